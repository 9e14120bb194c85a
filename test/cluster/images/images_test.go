// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// program builds an empty Go program and returns its path.
func program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, built := filepath.Join(dir, "main.go"), filepath.Join(dir, "operator")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", built, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return built
}

func TestTheImageOfAProgramIsReproducible(t *testing.T) {
	binary, dir := program(t), t.TempDir()
	var archives [2][]byte
	for i := range archives {
		out := filepath.Join(dir, "image.tar")
		if err := Program(OperatorProgram, binary, "localhost/operator:v1", out); err != nil {
			t.Fatal(err)
		}
		var err error
		if archives[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same binary gave two different archives")
	}
}

func TestTheImageOfAProgramRunsItUnprivileged(t *testing.T) {
	binary := program(t)
	for _, name := range []string{OperatorProgram, RuntimeProgram} {
		out := filepath.Join(t.TempDir(), "image.tar")
		if err := Program(name, binary, "localhost/program:v2", out); err != nil {
			t.Fatal(err)
		}
		image, err := tarball.ImageFromPath(out, nil)
		if err != nil {
			t.Fatal(err)
		}
		file, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if file.Config.User != "65532:65532" || !slices.Equal(file.Config.Entrypoint, []string{"/" + name}) {
			t.Errorf("user %q, entrypoint %v", file.Config.User, file.Config.Entrypoint)
		}
		labels := file.Config.Labels
		if labels["org.opencontainers.image.version"] != "v2" || labels["org.opencontainers.image.title"] != name {
			t.Errorf("labels %v", labels)
		}
	}
}

func TestProgramRefuses(t *testing.T) {
	binary := program(t)
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ binary, tag, want string }{
		"a name that a registry could answer to": {binary, "example.com/operator:v1", "localhost/"},
		"a name without a tag":                   {binary, "localhost/operator", "localhost/operator"},
		"what is no program":                     {text, "localhost/operator:v1", "not a Linux program"},
		"a program that needs a dynamic linker":  {"/bin/sh", "localhost/operator:v1", "CGO_ENABLED=0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "image.tar")
			err := Program(OperatorProgram, test.binary, test.tag, out)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v does not say %q", err, test.want)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("an archive was written despite the error")
			}
		})
	}
}

func TestALayerIsSortedAndHasEveryParent(t *testing.T) {
	content := tree{}
	content.file("usr/bin/z", 0o755, []byte("z"))
	content.symlink("bin", "usr/bin")
	data, err := content.layer()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for reader := tar.NewReader(bytes.NewReader(data)); ; {
		header, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Uid != 0 || header.ModTime.Unix() != 0 {
			t.Errorf("%s: user %d, time %v", header.Name, header.Uid, header.ModTime)
		}
		names = append(names, header.Name)
	}
	if want := []string{"bin", "usr/", "usr/bin/", "usr/bin/z"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

func TestPathsOfPackages(t *testing.T) {
	tests := map[string]string{
		"./":              "",
		"./bin/bash":      "usr/bin/bash",
		"./usr/bin/env":   "usr/bin/env",
		"./lib64/ld.so.2": "usr/lib64/ld.so.2",
		"./binary/x":      "binary/x",
		"../../etc/x":     "etc/x",
	}
	for name, want := range tests {
		if got := merged(name); got != want {
			t.Errorf("%s became %q, want %q", name, got, want)
		}
	}
}

func TestWantedPaths(t *testing.T) {
	tests := map[string]bool{
		"usr/bin/python3": true, "usr/share/doc/bash/README": false, "usr/share/documents": true,
		"usr/lib/python3/__pycache__/x.pyc": false, "var/lib/dpkg": false,
	}
	for at, want := range tests {
		if got := wanted(at); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
}
