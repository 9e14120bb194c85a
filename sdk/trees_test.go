// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
)

// writeFiles creates files below a directory. Their content is their name.
func writeFiles(t *testing.T, directory string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(directory, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// filesIn returns the files below a directory, sorted.
func filesIn(t *testing.T, directory string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(directory), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestSeveralSourcesAreCopiedBothWays(t *testing.T) {
	w := start(t)
	box := create(t, w.client(), sdk.Spec{Template: "t"})
	here, back := t.TempDir(), t.TempDir()
	writeFiles(t, here, "a.txt", "b.txt", "project/main.py", "project/.git/config")
	sources := []string{
		filepath.Join(here, "a.txt"), filepath.Join(here, "b.txt"), filepath.Join(here, "project"),
	}
	if err := box.UploadAll(t.Context(), sources, "work", sdk.Exclude(".git")); err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, filepath.Join(w.dir, "work")); !slices.Equal(got, []string{"a.txt", "b.txt", "project/main.py"}) {
		t.Errorf("the sandbox has %q", got)
	}
	if err := box.DownloadAll(t.Context(), []string{"work/*.txt", "work/project"}, back, sdk.Exclude("b*")); err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, back); !slices.Equal(got, []string{"a.txt", "project/main.py"}) {
		t.Errorf("this machine has %q", got)
	}
}

func TestOneSourceIsCopiedWithoutWhatIsExcluded(t *testing.T) {
	w := start(t)
	box := create(t, w.client(), sdk.Spec{Template: "t"})
	here, back := t.TempDir(), t.TempDir()
	writeFiles(t, here, "src/keep", "src/drop")
	if err := box.Upload(t.Context(), filepath.Join(here, "src"), "up", sdk.Exclude("drop")); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, filepath.Join(w.dir, "up"), "later")
	if err := box.Download(t.Context(), "up", filepath.Join(back, "down"), sdk.Exclude("keep")); err != nil {
		t.Fatal(err)
	}
	if up, down := filesIn(t, filepath.Join(w.dir, "up")), filesIn(t, filepath.Join(back, "down")); !slices.Equal(
		up, []string{"keep", "later"}) || !slices.Equal(down, []string{"later"}) {
		t.Errorf("up %q, down %q", up, down)
	}
}

func TestADirectoryOfTheSandboxIsSynchronized(t *testing.T) {
	w := start(t)
	box := create(t, w.client(), sdk.Spec{Template: "t"})
	here := t.TempDir()
	writeFiles(t, w.dir, "results/new", "results/same")
	writeFiles(t, here, "old", "kept.log")
	report, err := box.SyncDown(
		t.Context(), "results", here, files.SyncOptions{Delete: true}, sdk.Exclude("*.log"),
	)
	if err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, here); !slices.Equal(got, []string{"kept.log", "new", "same"}) ||
		!slices.Equal(report.Deleted, []string{"old"}) {
		t.Errorf("%q, deleted %q", got, report.Deleted)
	}
	if _, err = box.SyncUp(t.Context(), t.TempDir(), "results", files.SyncOptions{Delete: true}); !errors.Is(
		err, files.ErrEmptySource) {
		t.Errorf("an empty source: %v", err)
	}
	if got := filesIn(t, filepath.Join(w.dir, "results")); len(got) != 2 {
		t.Errorf("the sandbox has %q", got)
	}
}

func TestAPatternThatCannotBeUnderstoodCopiesNothing(t *testing.T) {
	w := start(t)
	box := create(t, w.client(), sdk.Spec{Template: "t"})
	here := t.TempDir()
	writeFiles(t, here, "f")
	err := box.Upload(t.Context(), filepath.Join(here, "f"), "f", sdk.Exclude("[x"))
	if err == nil || !strings.Contains(err.Error(), `the pattern "[x"`) {
		t.Errorf("got %v", err)
	}
	if got := filesIn(t, w.dir); len(got) > 0 {
		t.Errorf("the sandbox has %q", got)
	}
}
