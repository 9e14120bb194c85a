// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// syncer synchronizes in one direction.
type syncer struct {
	m              *machine
	source, target string
	sync           func(c *files.Copier, o files.SyncOptions) (*files.SyncReport, error)
}

// overWays runs a test in both directions, with the programs of two images.
func overWays(t *testing.T, test func(t *testing.T, s syncer)) {
	t.Helper()
	for number, image := range []string{"GNU", "Busybox"} {
		for _, way := range []string{"up", "down"} {
			t.Run(image+" "+way, func(t *testing.T) { test(t, newSyncer(t, start(t, anyImage(t, number)), way)) })
		}
	}
}

func newSyncer(t *testing.T, m *machine, way string) syncer {
	t.Helper()
	s := syncer{m: m, source: filepath.Join(m.local, "src"), target: m.remote + "/dst"}
	s.sync = func(c *files.Copier, o files.SyncOptions) (*files.SyncReport, error) {
		return c.SyncUp(t.Context(), s.source, s.target, o)
	}
	if way == "down" {
		s.source, s.target = m.remote+"/src", filepath.Join(m.local, "dst")
		s.sync = func(c *files.Copier, o files.SyncOptions) (*files.SyncReport, error) {
			return c.SyncDown(t.Context(), s.source, s.target, o)
		}
	}
	return s
}

// must synchronizes.
func (s syncer) must(t *testing.T, o files.SyncOptions) *files.SyncReport {
	t.Helper()
	report, err := s.sync(s.m.Copier, o)
	must(t, err)
	return report
}

func (s syncer) write(t *testing.T, name, content string) {
	t.Helper()
	write(t, filepath.Join(s.source, name), content, 0o644)
}

func (s syncer) writeTarget(t *testing.T, name, content string) {
	t.Helper()
	write(t, filepath.Join(s.target, name), content, 0o644)
}

func TestSyncCopiesOnlyWhatDiffers(t *testing.T) {
	overWays(t, func(t *testing.T, s syncer) {
		odd(t, s.source)
		if first := s.must(t, files.SyncOptions{}); first.Unchanged != 0 || first.Files != 9 {
			t.Errorf("first: %+v", first)
		}
		same(t, s.source, s.target)
		count := counting(s.m)
		if again := s.must(t, files.SyncOptions{}); len(again.Copied) != 0 || again.Unchanged != 11 || count.Load() != 1 {
			t.Errorf("nothing has changed: %+v, %d commands", again, count.Load())
		}
		s.write(t, "a.txt", "longer than before")
		s.write(t, "sub/line\nbreak 2", "new")
		must(t, os.Chmod(filepath.Join(s.source, "sub", "it's"), 0o600))
		must(t, os.Remove(filepath.Join(s.source, "dangling")))
		must(t, os.Symlink("/elsewhere", filepath.Join(s.source, "dangling")))
		must(t, os.Mkdir(filepath.Join(s.source, "new empty"), 0o750))
		must(t, os.Remove(filepath.Join(s.source, "sub", "-dash")))
		report := s.must(t, files.SyncOptions{})
		want := []string{"a.txt", "dangling", "new empty/", "sub/it's", "sub/line\nbreak 2"}
		if diff := cmp.Diff(want, report.Copied); diff != "" || len(report.Deleted) > 0 || report.Bytes != 18+3+4 {
			t.Errorf("%+v: %s", report, diff)
		}
		must(t, os.WriteFile(filepath.Join(s.source, "sub", "-dash"), nil, 0o600)) // the target still has it
		must(t, os.Chtimes(filepath.Join(s.source, "sub", "-dash"), time.Time{}, time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)))
		same(t, s.source, s.target)
		nothingOfOurs(t, s.m.local, s.m.remote)
	})
}

func TestSyncFollowsTheRulesOfCopiesForItsTarget(t *testing.T) {
	m := start(t, everything())
	write(t, filepath.Join(m.local, "src", "a"), "a", 0o644)
	write(t, filepath.Join(m.remote, "src", "a"), "a", 0o644)
	for destination, want := range map[string]string{"/x": "/x/a", "/y/": "/y/src/a"} {
		_, err := m.SyncUp(t.Context(), filepath.Join(m.local, "src"), m.remote+destination, files.SyncOptions{})
		must(t, err)
		_, err = m.SyncDown(t.Context(), m.remote+"/src", m.local+destination, files.SyncOptions{})
		must(t, err)
		for _, root := range []string{m.remote, m.local} {
			if _, err := os.Stat(root + want); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestSyncByChecksumNoticesWhatSizesAndTimesHide(t *testing.T) {
	overWays(t, func(t *testing.T, s syncer) {
		s.write(t, "same", "same")
		s.write(t, "a", "one")
		s.writeTarget(t, "a", "two") // of the same time
		s.writeTarget(t, "same", "same")
		must(t, os.Chtimes(filepath.Join(s.target, "same"), time.Time{}, time.Unix(5, 0)))
		if report := s.must(t, files.SyncOptions{DryRun: true}); fmt.Sprint(report.Copied) != "[same]" {
			t.Errorf("without checksums: %+v", report)
		}
		if report := s.must(t, files.SyncOptions{Checksum: true}); fmt.Sprint(report.Copied) != "[a]" {
			t.Errorf("with checksums: %+v", report)
		}
		if got, err := os.ReadFile(filepath.Join(s.target, "a")); string(got) != "one" || err != nil {
			t.Errorf("%s, %v", got, err)
		}
	})
}

func TestADryRunChangesNothing(t *testing.T) {
	overWays(t, func(t *testing.T, s syncer) {
		s.write(t, "new/a", "a")
		s.writeTarget(t, "old/b", "b")
		before := tree(t, s.target)
		report := s.must(t, files.SyncOptions{DryRun: true, Delete: true})
		if diff := cmp.Diff([]string{"new/", "new/a"}, report.Copied); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"old/", "old/b"}, report.Deleted); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(before, tree(t, s.target)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestManyUnchangedFilesTakeOneCommand(t *testing.T) {
	overWays(t, func(t *testing.T, s syncer) {
		for i := range 2000 {
			s.write(t, fmt.Sprintf("%d/%d", i%20, i), "x")
		}
		s.must(t, files.SyncOptions{})
		count := counting(s.m)
		if again := s.must(t, files.SyncOptions{Delete: true}); again.Unchanged != 2000 || count.Load() != 1 {
			t.Errorf("%d unchanged, %d commands", again.Unchanged, count.Load())
		}
	})
}

func FuzzAnyTreeBecomesLikeAnother(f *testing.F) {
	for seed := range uint64(4) { // each image and direction once
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 7))
		s := newSyncer(t, start(t, anyImage(t, int(seed%2))), []string{"up", "down"}[seed/2%2])
		grow(t, random, s.source)
		for range 3 {
			s.must(t, files.SyncOptions{Delete: true})
			same(t, s.source, s.target)
			if again := s.must(t, files.SyncOptions{Delete: true, DryRun: true}); len(again.Copied)+len(again.Deleted) > 0 {
				t.Errorf("again: %+v", again)
			}
			grow(t, random, s.source) // names may be there already
			prune(t, random, s.source)
			grow(t, random, s.target)
		}
		nothingOfOurs(t, s.m.local, s.m.remote)
	})
}

// prune removes some of a tree.
func prune(t *testing.T, random *rand.Rand, root string) {
	t.Helper()
	entries, err := os.ReadDir(root)
	must(t, err)
	for _, entry := range entries {
		if random.IntN(3) == 0 {
			must(t, os.RemoveAll(filepath.Join(root, entry.Name())))
		}
	}
}

func TestASyncThatIsCutGoesOn(t *testing.T) {
	overWays(t, func(t *testing.T, s syncer) {
		for _, name := range []string{"a", "b", "c", "sub/d"} {
			s.write(t, name, name+noise(largeFile/4))
		}
		s.writeTarget(t, "stays until all has been copied", "x")
		cut := &cutting{arrived: func() int64 { return weight(filepath.Dir(s.target)) }}
		cut.after.Store(largeFile * 3 / 4)
		cut.over(s.m)
		_, err := s.sync(s.m.Copier, files.SyncOptions{Delete: true})
		if _, lost := errors.AsType[*stream.LostError](err); !lost {
			t.Fatalf("got %v", err)
		}
		if entries, err := os.ReadDir(s.target); err != nil || len(entries) != 2 {
			t.Errorf("after the cut: %v, %v", entries, err)
		}
		cut.after.Store(0)
		cut.passed.Store(0)
		_, err = s.sync(s.m.with(files.Options{}), files.SyncOptions{Delete: true}) // as another process
		must(t, err)
		if passed := cut.passed.Load(); passed > largeFile*3/4 {
			t.Errorf("%d of %d bytes passed again", passed, largeFile)
		}
		same(t, s.source, s.target)
		nothingOfOurs(t, s.m.local, s.m.remote)
	})
}

func TestASnapshotNoticesChangesWithinASecond(t *testing.T) {
	m := start(t, everything())
	write(t, filepath.Join(m.local, "src", "a"), "1", 0o644)
	write(t, filepath.Join(m.local, "src", "b"), "1", 0o644)
	before, err := m.Snapshot(filepath.Join(m.local, "src"))
	must(t, err)
	_, err = m.SyncUp(t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst", files.SyncOptions{})
	must(t, err)
	write(t, filepath.Join(m.local, "src", "a"), "2", 0o644)
	old := time.Date(2020, 2, 3, 4, 5, 6, 7, time.UTC)
	must(t, os.Chtimes(filepath.Join(m.local, "src", "a"), old, old))
	must(t, os.Remove(filepath.Join(m.local, "src", "b")))
	after, err := m.Snapshot(filepath.Join(m.local, "src"))
	must(t, err)
	changed := after.Since(before)
	if diff := cmp.Diff(map[string]bool{"a": true, "b": true}, changed); diff != "" {
		t.Error(diff)
	}
	_, err = m.SyncUp(t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst", files.SyncOptions{Changed: changed})
	must(t, err)
	if got, err := os.ReadFile(m.remote + "/dst/a"); string(got) != "2" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func TestWhatCannotBeSynchronizedIsSaid(t *testing.T) {
	tests := map[string]struct {
		image func(string) func(context.Context, fakeserver.Process) error
		local string
		want  string
	}{
		"a missing source":        {everything(), "none", "none: no such directory"},
		"a file":                  {everything(), "file", "file is no directory"},
		"an image without shell":  {with("cat"), "src", "the image has no shell"},
		"an image without stat":   {image(t, map[string]string{"stat": ""}), "src", "the image lacks find or stat"},
		"an image without find":   {image(t, map[string]string{"find": ""}), "src", "the image lacks find or stat"},
		"an image without tar":    {image(t, map[string]string{"tar": ""}), "src", "the image has no tar"},
		"a target that is a file": {everything(), "onto file", "dst is no directory in the sandbox"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := start(t, tt.image)
			write(t, filepath.Join(m.local, "src", "a"), "a", 0o644)
			write(t, filepath.Join(m.local, "onto file", "a"), "a", 0o644)
			write(t, filepath.Join(m.local, "file"), "a", 0o644)
			write(t, filepath.Join(m.remote, "dst", "b"), "b", 0o644)
			if tt.local == "onto file" {
				must(t, os.RemoveAll(m.remote+"/dst"))
				write(t, filepath.Join(m.remote, "dst"), "b", 0o644)
			}
			_, err := m.SyncUp(t.Context(), filepath.Join(m.local, tt.local), m.remote+"/dst", files.SyncOptions{Delete: true})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	m := start(t, everything())
	if _, err := m.SyncDown(t.Context(), "none", filepath.Join(m.local, "x"), files.SyncOptions{}); err == nil ||
		!strings.Contains(err.Error(), "no such directory in the sandbox") {
		t.Errorf("got %v", err)
	}
}
