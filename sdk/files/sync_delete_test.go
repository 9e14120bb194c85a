// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func TestSyncDeletesWhatTheSourceDoesNotHaveAndNothingElse(t *testing.T) {
	overWays(t, func(t *testing.T, s syncer) {
		outside := filepath.Join(filepath.Dir(s.target), "outside")
		write(t, filepath.Join(outside, "precious"), "mine", 0o644)
		s.write(t, "kept", "x")
		s.write(t, "source only.tmp", "excluded")
		s.writeTarget(t, "kept", "x")
		for _, name := range []string{
			"gone", "line\nbreak", "-rf", "it's $(touch pwned)", "äöü", "dir/a/b", "dir/c", "non\xffutf", "*", "\\",
			"mixed/gone", "mixed/cache/kept", "cache/kept", "x.tmp", ".kubectl-sandbox-of-another-copy/x",
		} {
			s.writeTarget(t, name, "y")
		}
		must(t, os.Symlink(outside, filepath.Join(s.target, "door")))
		must(t, os.Symlink("../outside", filepath.Join(s.target, "dir", "door")))
		must(t, syscall.Mkfifo(filepath.Join(s.target, "pipe"), 0o600))
		exclude, err := files.ParseExclusions("cache", "*.tmp")
		must(t, err)
		c := s.m.with(files.Options{Exclude: exclude})
		report, err := s.sync(c, files.SyncOptions{Delete: true})
		must(t, err)
		if len(report.Copied) != 0 || report.Unchanged != 1 || report.Kept != 1 {
			t.Errorf("%+v", report)
		}
		want := []string{".kubectl-sandbox-of-another-copy/x", "cache/kept", "kept", "mixed/cache/kept", "x.tmp"}
		if diff := cmp.Diff(want, fileNames(t, s.target)); diff != "" {
			t.Error(diff)
		}
		for _, name := range []string{"door", "dir"} {
			if _, err := os.Lstat(filepath.Join(s.target, name)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := os.Lstat(filepath.Join(s.target, "pipe")); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(filepath.Join(outside, "precious")); string(got) != "mine" || err != nil {
			t.Errorf("outside of the destination: %s, %v", got, err)
		}
	})
}

func TestAnEmptySourceDeletesNothingUnlessItMay(t *testing.T) {
	overWays(t, func(t *testing.T, s syncer) {
		must(t, os.MkdirAll(s.source, 0o755))
		s.writeTarget(t, "a", "a")
		for _, dry := range []bool{true, false} {
			_, err := s.sync(s.m.Copier, files.SyncOptions{Delete: true, DryRun: dry})
			if !errors.Is(err, files.ErrEmptySource) {
				t.Errorf("got %v", err)
			}
		}
		exclude, err := files.ParseExclusions("*")
		must(t, err)
		s.write(t, "excluded", "a")
		if _, err := s.sync(s.m.with(files.Options{Exclude: exclude}), files.SyncOptions{Delete: true}); err != nil {
			t.Errorf("everything is excluded on both sides: %v", err)
		}
		must(t, os.Remove(filepath.Join(s.source, "excluded")))
		if got := fileNames(t, s.target); len(got) != 1 {
			t.Errorf("left: %v", got)
		}
		s.must(t, files.SyncOptions{Delete: true, AllowEmpty: true})
		if got := tree(t, s.target); len(got) > 0 {
			t.Errorf("left: %v", got)
		}
	})
}

func TestAListThatIsNotCompleteDeletesNothing(t *testing.T) {
	for name, scripts := range map[string]map[string]string{
		"find fails":               {"find": `"$real" "$@"; echo "find: ./x: Permission denied" >&2; exit 1`},
		"find is killed":           {"find": `"$real" "$@" | head -c 60; kill -9 $$`},
		"find lists nothing":       {"find": `exit 0`},
		"stat says nothing":        {"stat": `exit 0`},
		"stat leaves one out":      {"stat": `"$real" "$@" | head -n 1`},
		"stat fails":               {"stat": `"$real" "$@"; exit 1`},
		"a name leads out":         {"find": `printf '../x\0\0'; echo 81a4 1 1; exec "$real" "$@"`},
		"stat says something else": {"stat": `echo "what do you want"; "$real" "$@"`},
	} {
		for _, way := range []string{"up", "down"} {
			t.Run(name+" "+way, func(t *testing.T) {
				s := newSyncer(t, start(t, image(t, scripts)), way)
				for _, kept := range []string{"a", "b", "c"} {
					s.write(t, kept, kept)
					s.writeTarget(t, kept, kept)
				}
				s.writeTarget(t, "only here", "x")
				if _, err := s.sync(s.m.Copier, files.SyncOptions{Delete: true, AllowEmpty: true}); err == nil {
					t.Error("no error")
				}
				if got := fileNames(t, s.target); len(got) != 4 {
					t.Errorf("left: %v", got)
				}
			})
		}
	}
}

func TestAConnectionThatIsLostInTheListDeletesNothing(t *testing.T) {
	for _, way := range []string{"up", "down"} {
		s := newSyncer(t, start(t, everything()), way)
		s.write(t, "a", "a")
		s.writeTarget(t, "b", "b")
		inner := s.m.server.Exec
		s.m.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
			p.Stdout = cutBefore{p.Stdout, "links", s.m.server.Cut}
			return inner(ctx, p)
		}
		if _, err := s.sync(s.m.Copier, files.SyncOptions{Delete: true}); err == nil {
			t.Error("no error")
		}
		if got := fileNames(t, s.target); len(got) != 1 || got[0] != "b" {
			t.Errorf("left: %v", got)
		}
	}
}

func TestAFileInTheWayOfADirectoryIsReplacedOnlyWithDelete(t *testing.T) {
	overWays(t, func(t *testing.T, s syncer) {
		outside := filepath.Join(filepath.Dir(s.target), "outside")
		write(t, filepath.Join(outside, "inner", "precious"), "mine", 0o644)
		s.write(t, "a/inner/x", "x")
		s.write(t, "b", "y")
		s.write(t, "door/inner/z", "z")
		s.writeTarget(t, "a", "in the way")
		s.writeTarget(t, "b/deep/er", "in the way")
		must(t, os.Symlink("../outside", filepath.Join(s.target, "door")))
		before := tree(t, s.target)
		_, err := s.sync(s.m.Copier, files.SyncOptions{})
		if err == nil || !strings.Contains(err.Error(), "a is a directory at the source") {
			t.Errorf("got %v", err)
		}
		if diff := cmp.Diff(before, tree(t, s.target)); diff != "" {
			t.Error(diff)
		}
		s.must(t, files.SyncOptions{Delete: true})
		same(t, s.source, s.target)
		if got := fileNames(t, outside); len(got) != 1 {
			t.Errorf("outside of the destination: %v", got)
		}
	})
}

func TestADirectoryThatBecomesALinkIsNotDeletedThrough(t *testing.T) {
	m := start(t, everything())
	outside := filepath.Join(m.remote, "outside")
	write(t, filepath.Join(outside, "old"), "mine", 0o644)
	write(t, filepath.Join(m.local, "src", "a"), "a", 0o644)
	write(t, filepath.Join(m.remote, "dst", "a"), "a", 0o644)
	old := filepath.Join(m.remote, "dst", "sub")
	write(t, filepath.Join(old, "old"), "x", 0o644)
	same := m.server.Exec
	m.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
		if strings.Contains(strings.Join(p.Command, " "), "rmdir") { // between the list and the deletion
			if err := errors.Join(os.RemoveAll(old), os.Symlink(outside, old)); err != nil {
				return err
			}
		}
		return same(ctx, p)
	}
	write(t, filepath.Join(m.local, "src", "a"), "longer", 0o644)
	_, err := m.SyncUp(t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst", files.SyncOptions{Delete: true})
	if err == nil || !strings.Contains(err.Error(), "sub is not the directory that was listed any more") {
		t.Errorf("got %v", err)
	}
	if got, err := os.ReadFile(filepath.Join(outside, "old")); string(got) != "mine" || err != nil {
		t.Errorf("outside of the destination: %s, %v", got, err)
	}
}

func TestOtherFileSystemsAreNeitherCopiedNorDeleted(t *testing.T) {
	overWays(t, func(t *testing.T, s syncer) {
		s.write(t, "a", "a")
		s.write(t, "vol ume/x", "x")
		s.writeTarget(t, "vol ume/y", "y")
		mounting(t, s.m, "src/vol ume", "dst/vol ume")
		report := s.must(t, files.SyncOptions{Delete: true})
		if len(report.Copied) != 1 || len(report.Deleted) != 0 {
			t.Errorf("%+v", report)
		}
		if diff := cmp.Diff([]string{"a", "vol ume/y"}, fileNames(t, s.target)); diff != "" {
			t.Error(diff)
		}
	})
}
