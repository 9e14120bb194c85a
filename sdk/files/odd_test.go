// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// anyImage has this machine's programs, or those of Busybox if it is installed (Debian's package busybox-static).
func anyImage(t *testing.T, number int) func(string) func(context.Context, fakeserver.Process) error {
	t.Helper()
	busybox, err := exec.LookPath("busybox")
	if number == 0 || err != nil {
		return everything()
	}
	bin := t.TempDir()
	const programs = "cat chmod du find head mkdir mv readlink rm rmdir sh sha256sum stat tail tar tee touch wc"
	for name := range strings.FieldsSeq(programs) {
		must(t, os.Symlink(busybox, filepath.Join(bin, name)))
	}
	return func(directory string) func(context.Context, fakeserver.Process) error {
		local := fakeserver.Local(directory, "env", "test")
		return func(ctx context.Context, p fakeserver.Process) error {
			p.Command = append([]string{"env", "PATH=" + bin}, p.Command...)
			return local(ctx, p)
		}
	}
}

// nothingOfOurs fails the test if something of a copy is left.
func nothingOfOurs(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasPrefix(filepath.Base(path), ".kubectl-sandbox-") {
				t.Errorf("left behind: %q", path)
			}
			return err
		}))
	}
}

// FuzzCopiesThatAreCutGoOnToTheSameTree copies random trees, several at once and interrupted anywhere, until one copy
// succeeds.
func FuzzCopiesThatAreCutGoOnToTheSameTree(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 2))
		m := start(t, anyImage(t, int(seed%2)))
		m.server.NoSPDY = random.IntN(2) == 0
		source, target := filepath.Join(m.local, "src"), m.remote+"/dst"
		transfer := func(c *files.Copier) error { return c.Upload(t.Context(), source, target) }
		if seed%4 > 1 {
			source, target = m.remote+"/src", filepath.Join(m.local, "dst")
			transfer = func(c *files.Copier) error { return c.Download(t.Context(), source, target) }
		}
		grow(t, random, source)
		size := weight(source)
		cut := &cutting{}
		cut.over(m)
		done := false
		for try := 0; !done && try < 20; try++ {
			cut.passed.Store(0)
			cut.after.Store(0)
			if try < 4 {
				cut.after.Store(1 + random.Int64N(2*size+20_000))
			}
			var all sync.WaitGroup
			results := make([]error, 1+random.IntN(2))
			for i := range results {
				c := m.with(files.Options{Resume: try > 0 && i == 0})
				all.Go(func() { results[i] = transfer(c) })
			}
			all.Wait()
			for _, err := range results {
				done = done || err == nil
				if err != nil && try >= 4 && len(results) == 1 {
					t.Errorf("a copy that was not cut: %v", err)
				}
			}
		}
		if !done {
			t.Fatal("no copy was completed")
		}
		same(t, source, target)
		if want, got := fmt.Sprint(names(t, source)), fmt.Sprint(names(t, target)); want != got {
			t.Errorf("hard links: %s, want %s", got, want)
		}
	})
}

func TestTwoEqualCopiesAtOnceAreBothRight(t *testing.T) {
	for name, tree := range map[string]bool{"a file": false, "a directory": true} {
		t.Run(name, func(t *testing.T) {
			m := start(t, everything())
			for _, root := range []string{m.local, m.remote} {
				if tree {
					odd(t, filepath.Join(root, "src"))
					write(t, filepath.Join(root, "src", "big"), noise(1<<20), 0o644)
				} else {
					write(t, filepath.Join(root, "src"), noise(1<<20), 0o644)
				}
			}
			for range 5 {
				var all sync.WaitGroup
				for range 3 {
					all.Go(func() {
						if err := m.with(files.Options{}).Upload(
							t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst",
						); err != nil {
							t.Error(err)
						}
						if err := m.with(files.Options{}).Download(
							t.Context(), m.remote+"/src", filepath.Join(m.local, "dst"),
						); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				same(t, filepath.Join(m.local, "src"), m.remote+"/dst")
				same(t, filepath.Join(m.remote, "src"), filepath.Join(m.local, "dst"))
				nothingOfOurs(t, m.local, m.remote)
				must(t, os.RemoveAll(m.remote+"/dst"))
				must(t, os.RemoveAll(filepath.Join(m.local, "dst")))
			}
		})
	}
}

func TestWhatWasDeletedMeanwhileIsSaidAndDoesNotComeBack(t *testing.T) {
	for _, way := range []string{"into the sandbox", "out of it"} {
		t.Run(way, func(t *testing.T) {
			m := start(t, everything())
			source, target := filepath.Join(m.local, "src"), m.remote+"/dst"
			transfer := func(c *files.Copier) error { return c.Upload(t.Context(), source, target) }
			if way == "out of it" {
				source, target = m.remote+"/src", filepath.Join(m.local, "dst")
				transfer = func(c *files.Copier) error { return c.Download(t.Context(), source, target) }
			}
			for i := range 8 { // tar decides what comes first
				write(t, filepath.Join(source, strconv.Itoa(i), "b", "gone\nsoon"), noise(largeFile/8), 0o644)
				must(t, os.Symlink("b", filepath.Join(source, strconv.Itoa(i), "link\nto")))
			}
			cut := &cutting{arrived: func() int64 { return weight(filepath.Dir(target)) }}
			cut.after.Store(largeFile / 2)
			cut.over(m)
			if err := transfer(m.Copier); err == nil || m.Partial() == "" {
				t.Fatalf("got %v, left %q", err, m.Partial())
			}
			came := map[bool]string{}
			for i := range 8 {
				info, err := os.Lstat(filepath.Join(m.Partial(), strconv.Itoa(i), "b", "gone\nsoon"))
				came[err == nil && info.Size() == largeFile/8 && info.Mode() == 0o644] = strconv.Itoa(i)
			}
			if len(came) != 2 {
				t.Fatalf("came: %v", came)
			}
			must(t, os.RemoveAll(filepath.Join(source, came[true])))
			must(t, os.RemoveAll(filepath.Join(source, came[false])))
			warned := ""
			must(t, transfer(m.with(files.Options{Resume: true, Warn: func(w string) { warned += w }})))
			same(t, source, target)
			nothingOfOurs(t, m.local, m.remote)
			if !strings.Contains(warned, came[true]+"/b/gone\nsoon was deleted") {
				t.Errorf("warned %q", warned)
			}
		})
	}
}

func TestAFileThatShrinksOrGrowsWhileItsDirectoryGoesInIsAWarning(t *testing.T) {
	for _, size := range []int{100, 300_000} { // read ahead, or not
		m := start(t, everything())
		source := filepath.Join(m.local, "src")
		write(t, filepath.Join(source, "a"), noise(8<<20), 0o644) // the others are read before it is removed
		for _, name := range []string{"b", "c", "d"} {
			write(t, filepath.Join(source, name), noise(size), 0o644)
		}
		begun := make(chan struct{})
		inner := m.server.Exec
		var once sync.Once
		m.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
			if strings.Contains(strings.Join(p.Command, " "), "-xpof") {
				once.Do(func() {
					<-time.After(500 * time.Millisecond) // the walk is ahead, and waits
					must(t, os.Truncate(filepath.Join(source, "b"), 10))
					must(t, os.Truncate(filepath.Join(source, "c"), int64(2*size)))
					must(t, os.Remove(filepath.Join(source, "d")))
					close(begun)
				})
			}
			return inner(ctx, p)
		}
		must(t, m.Upload(t.Context(), source, m.remote+"/dst"))
		<-begun
		if size > 64<<10 {
			said := strings.Join(m.warnings, "; ")
			for _, want := range []string{"b became shorter", "c became longer", "d was removed"} {
				if !strings.Contains(said, want) {
					t.Errorf("warned %q, want %q", said, want)
				}
			}
		}
		nothingOfOurs(t, m.remote)
	}
}

func TestAFailedMergeLeavesNothingOfOurs(t *testing.T) {
	for number := range 2 {
		m := start(t, anyImage(t, number))
		for _, root := range []string{m.local, m.remote} {
			write(t, filepath.Join(root, "src", "a"), "a", 0o644)
			write(t, filepath.Join(root, "src", "b", "c"), "c", 0o644)
			write(t, filepath.Join(root, "dst", "a", "in the way"), "mine", 0o644)
			write(t, filepath.Join(root, "dst", "b"), "mine", 0o644)
		}
		for way, err := range map[string]error{
			"in":  m.Upload(t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst"),
			"out": m.Download(t.Context(), m.remote+"/src", filepath.Join(m.local, "dst")),
		} {
			if err == nil {
				t.Errorf("%s: no error", way)
			}
		}
		nothingOfOurs(t, m.local, m.remote)
	}
}
