// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// put uploads a file.
func put(d *Directory, name, text string) error {
	upload, err := d.Create(name)
	if err != nil {
		return err
	}
	defer upload.Discard()
	if _, err := upload.Write([]byte(text)); err != nil {
		return err
	}
	return upload.Commit()
}

func content(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// partials returns the files below root that have no name yet.
func partials(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	if err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(entry.Name(), Partial) {
			all = append(all, name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAnUploadTakesItsNameWhenItIsComplete(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	upload, err := d.Create("file")
	if err != nil {
		t.Fatal(err)
	}
	defer upload.Discard()
	if _, err := upload.Write([]byte("new")); err != nil || content(t, root, "file") != "text" {
		t.Errorf("%v, before Commit the file has %q", err, content(t, root, "file"))
	}
	if len(partials(t, root)) != 1 {
		t.Errorf("partial files: %q", partials(t, root))
	}
	if err := upload.Commit(); err != nil || content(t, root, "file") != "new" || len(partials(t, root)) != 0 {
		t.Errorf("%v, after it %q, partial files %q", err, content(t, root, "file"), partials(t, root))
	}
}

func TestADiscardedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	upload, err := d.Create("dir/new")
	if err != nil {
		t.Fatal(err)
	}
	upload.Discard()
	_, file := upload.file.Stat()
	_, parent := upload.parent.Stat(".")
	if !errors.Is(file, os.ErrClosed) || !errors.Is(parent, os.ErrClosed) {
		t.Errorf("the file and its directory stay open: %v, %v", file, parent)
	}
	_, err = os.Stat(filepath.Join(root, "dir", "new"))
	if !errors.Is(err, fs.ErrNotExist) || len(partials(t, root)) != 0 {
		t.Errorf("%v, %q", err, partials(t, root))
	}
}

func TestWhereAnUploadGoes(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	for name, at := range map[string]string{
		"new": "new", "/absolute": "absolute", "a/b/c": "a/b/c", "in/linked": "dir/linked", "dir/../x": "x",
		"ä\xff": "ä\xff", "broken": "broken", "...": "...", " ": " ",
	} {
		if err := put(d, name, name); err != nil || content(t, root, at) != name {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, want := range map[string]error{
		"": ErrNotFile, "/": ErrNotFile, ".": ErrNotFile, "dir": ErrNotFile, "in": ErrNotFile, "dir/": ErrNotFile,
		"dir/..": ErrNotFile, "dir/.": ErrNotFile, "fresh/": ErrNotFile, "fresh/..": ErrNotFile,
		"file/x": ErrNotDirectory, "file/x/y": ErrNotDirectory,
		"a\x00b": ErrInvalidName, strings.Repeat("n", 300): unix.ENAMETOOLONG, "loop": unix.ELOOP,
	} {
		if err := put(d, name, "x"); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "fresh")); err == nil || len(partials(t, root)) != 0 {
		t.Errorf("what was refused left fresh (%v) or partial files: %q", err, partials(t, root))
	}
}

func TestAnUploadKeepsTheModeOfTheFile(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	for _, mode := range []fs.FileMode{0o755, 0o777, 0o600} {
		if err := os.Chmod(filepath.Join(root, "file"), mode); err != nil {
			t.Fatal(err)
		}
		if err := put(d, "file", "new"); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(root, "file")); err != nil || info.Mode() != mode {
			t.Errorf("%v, %v, want %v", info.Mode(), err, mode)
		}
	}
}

func TestAnUploadStaysInItsDirectoryWhenThatIsReplaced(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	upload, err := d.Create("dir/new")
	if err != nil {
		t.Fatal(err)
	}
	defer upload.Discard()
	at := filepath.Join(root, "dir")
	if err := errors.Join(os.Rename(at, at+".old"), os.Symlink("../outside", at), upload.Commit()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "..", "outside", "new")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("outside: %v", err)
	}
	content(t, root, "dir.old/new")
}

func TestAnUploadReplacesNoDirectory(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	upload, err := d.Create("late")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(root, "late"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := upload.Commit(); !errors.Is(err, ErrNotFile) {
		t.Error(err)
	}
	upload.Discard()
	if left := partials(t, root); len(left) != 0 {
		t.Errorf("partial files: %q", left)
	}
}

func TestUploadsOfOneNameAreEachWhole(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := put(d, "shared/file", strings.Repeat(string(rune('a'+i)), 100_000)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := content(t, root, "shared/file")
	equal := strings.Count(got, got[:1])
	if len(got) != 100_000 || equal != len(got) || len(partials(t, root)) != 0 {
		t.Errorf("%d bytes, %d of them %q, partial files %q", len(got), equal, got[:1], partials(t, root))
	}
}

// TestARefusedUploadKeepsNothingOpen runs before those that are parallel, which open files, too.
func TestARefusedUploadKeepsNothingOpen(t *testing.T) {
	d, err := Open("/proc/self") // where nobody can create a file
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	before := openFiles(t)
	for range 50 {
		if _, err := d.Create("new"); err == nil {
			t.Fatal("a file was created")
		}
	}
	if after := openFiles(t); after > before+10 {
		t.Errorf("%d files are open, before it were %d", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
