// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package workspace

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// open returns a base directory beside a directory with a secret, and its path.
func open(t *testing.T) (*Directory, string) {
	t.Helper()
	top := t.TempDir()
	root := filepath.Join(top, "root")
	if err := errors.Join(
		os.MkdirAll(filepath.Join(root, "dir", "deep"), 0o755), os.Mkdir(filepath.Join(top, "outside"), 0o755),
		os.WriteFile(filepath.Join(top, "outside", "secret"), []byte("secret"), 0o644),
		os.WriteFile(filepath.Join(root, "file"), []byte("text"), 0o644),
		os.WriteFile(filepath.Join(root, "dir", "inner"), []byte("inner"), 0o644),
		os.Symlink("../outside", filepath.Join(root, "out")),
		os.Symlink("../outside/secret", filepath.Join(root, "leak")),
		os.Symlink("/etc", filepath.Join(root, "etc")),
		os.Symlink("dir", filepath.Join(root, "in")),
		os.Symlink("nothing", filepath.Join(root, "broken")),
		os.Symlink("loop", filepath.Join(root, "loop")),
	); err != nil {
		t.Fatal(err)
	}
	directory, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = directory.Close() })
	return directory, root
}

// outside are names that lead out of the base directory.
var outside = []string{
	"..", "../outside/secret", "../root/file", "dir/../../outside/secret", "no/such/../../../x", "out", "out/secret",
	"leak", "etc", "etc/passwd", "in/../../outside", "/../outside", "//..//outside",
}

func TestNoNameLeadsOutOfTheBaseDirectory(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	for _, name := range outside {
		_, _, opened := d.Open(name)
		_, listed := d.List(name)
		_, found := d.Exists(name)
		_, created := d.Create(name)
		for what, err := range map[string]error{"Open": opened, "List": listed, "Exists": found, "Create": created} {
			if !errors.Is(err, ErrOutside) && (what != "Create" || !errors.Is(err, ErrNotFile)) {
				t.Errorf("%s(%q): %v", what, name, err)
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join(root, "..", "outside", "secret")); err != nil || string(text) != "secret" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestALinkThatChangesMeanwhileLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	var flip sync.WaitGroup
	stop := make(chan struct{})
	at := filepath.Join(root, "flip")
	if err := os.Symlink("dir", at); err != nil {
		t.Fatal(err)
	}
	flip.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			target := []string{"dir", "../outside"}[i%2]
			if err := errors.Join(os.Symlink(target, at+".new"), os.Rename(at+".new", at)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 2000 {
		if file, _, err := d.Open("flip/secret"); err == nil {
			t.Error("the secret was opened")
			_ = file.Close()
		}
		if entries, err := d.List("flip"); err == nil && slices.ContainsFunc(entries, isSecret) {
			t.Error("the secret was listed")
		}
		if i%10 != 0 { // uploads wait for the disk
			continue
		}
		if upload, err := d.Create("flip/planted"); err == nil {
			_, _ = upload.Write([]byte("x"))
			_ = upload.Commit()
			upload.Discard()
		}
	}
	close(stop)
	flip.Wait()
	names, err := os.ReadDir(filepath.Join(root, "..", "outside"))
	if err != nil || len(names) != 1 {
		t.Errorf("outside there are %v, %v", names, err)
	}
}

func isSecret(one Entry) bool { return one.Name == "secret" }

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	pipe := filepath.Join(root, "pipe")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(root, "socket"))
	if err := errors.Join(err, unix.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	for name, want := range map[string]error{
		"dir": ErrNotFile, "": ErrNotFile, "/": ErrNotFile, "in": ErrNotFile, "pipe": ErrNotFile, "socket": ErrNotFile,
		"nothing": fs.ErrNotExist, "broken": fs.ErrNotExist, "file/x": unix.ENOTDIR, "loop": unix.ELOOP,
		"a\x00b": ErrInvalidName, strings.Repeat("n", 300): unix.ENAMETOOLONG,
	} {
		if _, _, err := d.Open(name); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
	for name, want := range map[string]string{
		"file": "text", "/file": "text", "in/inner": "inner", "dir/../file": "text", "dir/./inner": "inner",
		"//dir//inner": "inner",
	} {
		file, info, err := d.Open(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		text, err := io.ReadAll(file)
		if err != nil || string(text) != want || info.Size() != int64(len(want)) {
			t.Errorf("%q: %q, %d, %v", name, text, info.Size(), err)
		}
		_ = file.Close()
	}
}

func TestAListTellsFilesFromDirectories(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	if err := os.WriteFile(filepath.Join(root, "dir", "\xff"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "/", "."} {
		entries, err := d.List(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range entries {
			if one.Directory {
				one.Name += "/"
			}
			got = append(got, one.Name)
			if one.Modified.IsZero() || one.Name == "file" && one.Size != 4 {
				t.Errorf("%+v", one)
			}
		}
		want := []string{"broken", "dir/", "etc", "file", "in/", "leak", "loop", "out"}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if entries, err := d.List("in"); err != nil || len(entries) != 3 || entries[1].Name != "inner" ||
		entries[2].Name != "\xff" {
		t.Errorf("%+v, %v", entries, err)
	}
	for name, want := range map[string]error{
		"file": ErrNotDirectory, "nothing": fs.ErrNotExist, "file/x": unix.ENOTDIR, "x\x00": ErrInvalidName,
	} {
		if _, err := d.List(name); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
}

func TestWhatExists(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	for name, want := range map[string]bool{
		"": true, "/": true, "file": true, "dir": true, "dir/": true, "in/inner": true, "in": true,
		"nothing": false, "broken": false, "file/x": false, strings.Repeat("n", 300): false, "FILE": false,
	} {
		if got, err := d.Exists(name); err != nil || got != want {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
}

func TestABaseDirectoryHasToExist(t *testing.T) {
	t.Parallel()
	if _, err := Open(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if d, err := Open("/"); err != nil { // its .. is itself for everybody else
		t.Error(err)
	} else if found, err := d.Exists("/proc/self"); err != nil || !found {
		t.Errorf("%v, %v", found, err)
	}
}

func FuzzNames(f *testing.F) {
	for _, seed := range append(slices.Clone(outside), "file", "", "a\x00", "\xff/..", "./..//", "dir/deep/../../file") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		d, root := open(t)
		file, _, err := d.Open(name)
		if err != nil {
			return
		}
		defer func() { _ = file.Close() }()
		if text, err := io.ReadAll(file); err != nil || string(text) != "text" && string(text) != "inner" {
			t.Errorf("%q in %s has %q, %v", name, root, text, err)
		}
	})
}
