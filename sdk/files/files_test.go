// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// machine is a local directory, and one that represents the sandbox's.
type machine struct {
	*files.Copier
	local, remote string
	warnings      []string
	network       stream.Network
	server        *fakeserver.Server
}

func start(t *testing.T, exec func(directory string) func(context.Context, fakeserver.Process) error) *machine {
	t.Helper()
	m := &machine{local: t.TempDir(), remote: t.TempDir()}
	server := fakeserver.New()
	t.Cleanup(server.Close)
	server.Exec = exec(m.remote)
	network, err := stream.New(server.Config(), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	m.network, m.server = network, server
	m.Copier = m.with(files.Options{Warn: func(w string) { m.warnings = append(m.warnings, w) }})
	return m
}

// with returns a Copier with other options.
func (m *machine) with(options files.Options) *files.Copier {
	return files.New(m.network, stream.Container{Namespace: "ns", Pod: "pod"}, options)
}

func with(programs ...string) func(string) func(context.Context, fakeserver.Process) error {
	return func(directory string) func(context.Context, fakeserver.Process) error {
		return fakeserver.Local(directory, programs...)
	}
}

func everything() func(string) func(context.Context, fakeserver.Process) error {
	return with("tar", "test", "sh", "cat")
}

// fill creates a tree with one of every kind of file.
func fill(t *testing.T, root string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(root, "sub", "empty"), 0o755))
	write(t, filepath.Join(root, "a.txt"), "alpha", 0o644)
	write(t, filepath.Join(root, "sub", "run me.sh"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(root, "sub", "-dash"), "", 0o600)
	must(t, os.Symlink("../a.txt", filepath.Join(root, "sub", "link")))
	must(t, os.Symlink("/nowhere", filepath.Join(root, "dangling")))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), mode))
	must(t, os.Chmod(path, mode))
	old := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	must(t, os.Chtimes(path, old, old))
}

// tree describes everything below a directory.
func tree(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		must(t, err)
		info, err := entry.Info()
		must(t, err)
		relative, err := filepath.Rel(root, path)
		must(t, err)
		line := fmt.Sprintf("%s %s", info.Mode(), relative)
		switch {
		case relative == ".":
			return nil
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			must(t, err)
			line += fmt.Sprintf(" %s %s", described(content), info.ModTime().UTC().Format(time.RFC3339))
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			must(t, err)
			line += " -> " + link
		}
		all = append(all, line)
		return nil
	}))
	return all
}

// described returns short content as it is, and the size and sum of long content, which takes much time to quote.
func described(content []byte) string {
	if len(content) < 1024 {
		return strconv.Quote(string(content))
	}
	return fmt.Sprintf("%d bytes, sha256 %x", len(content), sha256.Sum256(content))
}

func same(t *testing.T, one, other string) {
	t.Helper()
	if diff := cmp.Diff(tree(t, one), tree(t, other)); diff != "" {
		t.Error(diff)
	}
}

// overBoth runs a test with SPDY, and with SPDY refused.
func overBoth(t *testing.T, test func(t *testing.T, noSPDY bool)) {
	t.Helper()
	t.Run("SPDY", func(t *testing.T) { test(t, false) })
	t.Run("WebSocket", func(t *testing.T) { test(t, true) })
}

func TestDirectoryThereAndBack(t *testing.T) { overBoth(t, directoryThereAndBack) }

func directoryThereAndBack(t *testing.T, noSPDY bool) {
	m := start(t, everything())
	m.server.NoSPDY = noSPDY
	fill(t, filepath.Join(m.local, "src"))
	for range 2 { // the second copy must have the same target
		must(t, m.Upload(t.Context(), filepath.Join(m.local, "src"), m.remote+"/deep/er/copy"))
		must(t, m.Download(t.Context(), m.remote+"/deep/er/copy", filepath.Join(m.local, "back")))
	}
	same(t, filepath.Join(m.local, "src"), filepath.Join(m.remote, "deep/er/copy"))
	same(t, filepath.Join(m.local, "src"), filepath.Join(m.local, "back"))
	if len(m.warnings) > 0 {
		t.Error(m.warnings)
	}
}

func TestWhereACopyGoes(t *testing.T) {
	tests := map[string]struct{ source, destination, want string }{
		"a directory takes the destination's name":                      {"src", "/new", "/new/a.txt"},
		"a directory takes it too when the destination exists":          {"src", "/there", "/there/a.txt"},
		"a slash at the destination's end puts the directory into it":   {"src", "/there/", "/there/src/a.txt"},
		"a slash at the source's end asks for what is in it":            {"src/", "/there/", "/there/a.txt"},
		"a dot at the source's end asks for the same":                   {"src/.", "/there", "/there/a.txt"},
		"a file takes the destination's name":                           {"src/a.txt", "/new", "/new"},
		"a file goes into a directory that exists":                      {"src/a.txt", "/there", "/there/a.txt"},
		"a slash at the destination's end puts the file into a new one": {"src/a.txt", "/new/", "/new/a.txt"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Run("into the sandbox", func(t *testing.T) {
				m := start(t, everything())
				fill(t, filepath.Join(m.local, "src"))
				must(t, os.Mkdir(filepath.Join(m.remote, "there"), 0o755))
				must(t, m.Upload(t.Context(), m.local+"/"+test.source, m.remote+test.destination))
				if _, err := os.Stat(m.remote + test.want); err != nil {
					t.Error(tree(t, m.remote))
				}
			})
			t.Run("out of the sandbox", func(t *testing.T) {
				m := start(t, everything())
				fill(t, filepath.Join(m.remote, "src"))
				must(t, os.Mkdir(filepath.Join(m.local, "there"), 0o755))
				must(t, m.Download(t.Context(), m.remote+"/"+test.source, m.local+test.destination))
				if _, err := os.Stat(m.local + test.want); err != nil {
					t.Error(tree(t, m.local))
				}
			})
		})
	}
}

func TestRelativePathsStartAtTheWorkingDirectory(t *testing.T) {
	m := start(t, everything())
	write(t, filepath.Join(m.local, "a"), "alpha", 0o644)
	must(t, m.Upload(t.Context(), filepath.Join(m.local, "a"), "new/"))
	must(t, m.Download(t.Context(), "new/a", filepath.Join(m.local, "b")))
	must(t, m.Download(t.Context(), "new", filepath.Join(m.local, "c")))
	same(t, filepath.Join(m.remote, "new"), filepath.Join(m.local, "c"))
	shellless := start(t, with("tar", "test", "cat")) // it unpacks below /, and knows no other directory
	if err := shellless.Upload(t.Context(), filepath.Join(m.local, "a"), "../a"); err == nil ||
		!strings.Contains(err.Error(), "absolute") {
		t.Errorf("got %v", err)
	}
}

func TestExistingDirectoryKeepsItsMode(t *testing.T) {
	m := start(t, everything())
	fill(t, filepath.Join(m.local, "src"))
	must(t, os.Chmod(m.remote, fs.ModeSticky|0o777))
	must(t, m.Upload(t.Context(), filepath.Join(m.local, "src"), m.remote))
	info, err := os.Stat(m.remote)
	must(t, err)
	if got := info.Mode(); got != fs.ModeDir|fs.ModeSticky|0o777 {
		t.Errorf("mode of the destination became %s", got)
	}
}

func TestMissingSourceIsAnError(t *testing.T) {
	for name, programs := range map[string][]string{
		"with all programs": {"tar", "test", "sh", "cat"},
		"without test":      {"tar", "sh", "cat"},
		"without tar":       {"test", "sh", "cat"},
		"with cat alone":    {"cat"},
	} {
		t.Run(name, func(t *testing.T) {
			m := start(t, with(programs...))
			err := m.Download(t.Context(), m.remote+"/nope", filepath.Join(m.local, "nope"))
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), "no such file or directory") {
				t.Errorf("got %v", err)
			}
			if left := tree(t, m.local); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			err = m.Upload(t.Context(), filepath.Join(m.local, "nope"), m.remote+"/nope")
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAPipeIsNotWaitedFor(t *testing.T) {
	m := start(t, everything())
	must(t, syscall.Mkfifo(filepath.Join(m.remote, "pipe"), 0o600))
	for name, copy := range map[string]func() error{
		"to this machine":    func() error { return m.Download(t.Context(), m.remote+"/pipe", filepath.Join(m.local, "x")) },
		"to another sandbox": func() error { return m.Relay(t.Context(), m.remote+"/pipe", m.Copier, m.remote+"/x") },
	} {
		if err := copy(); err == nil || !strings.Contains(err.Error(), "neither a file nor a directory") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestImageWithoutTar(t *testing.T) {
	m := start(t, image(t, map[string]string{"tar": ""}))
	write(t, filepath.Join(m.local, "run.sh"), "echo", 0o755)
	must(t, os.Mkdir(filepath.Join(m.local, "dir"), 0o755))
	must(t, m.Upload(t.Context(), filepath.Join(m.local, "run.sh"), m.remote+"/run.sh"))
	must(t, m.Download(t.Context(), m.remote+"/run.sh", filepath.Join(m.local, "back.sh")))
	content, err := os.ReadFile(filepath.Join(m.local, "back.sh"))
	must(t, err)
	info, err := os.Stat(m.remote + "/run.sh")
	must(t, err)
	if string(content) != "echo" || info.Mode().Perm() != 0o755 {
		t.Errorf("got %q, mode %s", content, info.Mode())
	}
	if err := m.Upload(t.Context(), filepath.Join(m.local, "dir"), m.remote+"/dir"); !errors.Is(err, files.ErrNeedsTar) {
		t.Errorf("got %v", err)
	}
	if err := m.Download(t.Context(), m.remote, filepath.Join(m.local, "new")); !errors.Is(err, files.ErrNeedsTar) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(m.local, "new")); err == nil {
		t.Error("an empty directory is left behind")
	}
}

func TestStandardStreams(t *testing.T) {
	m := start(t, everything())
	must(t, m.UploadFrom(t.Context(), strings.NewReader("from stdin"), m.remote+"/it's here"))
	var out bytes.Buffer
	must(t, m.DownloadTo(t.Context(), m.remote+"/it's here", &out))
	if out.String() != "from stdin" {
		t.Errorf("got %q", out.String())
	}
}
