// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// counting counts the commands that run in the sandbox.
func counting(m *machine) *atomic.Int64 {
	count, inner := &atomic.Int64{}, m.server.Exec
	m.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
		count.Add(1)
		return inner(ctx, p)
	}
	return count
}

// overImages runs a test with this machine's programs and with those of Busybox.
func overImages(t *testing.T, test func(t *testing.T, m *machine)) {
	t.Helper()
	for number, name := range []string{"GNU", "Busybox"} {
		t.Run(name, func(t *testing.T) { test(t, start(t, anyImage(t, number))) })
	}
}

func TestManyMatchesGoInOneStream(t *testing.T) {
	overImages(t, func(t *testing.T, m *machine) {
		for i := range 111 {
			write(t, filepath.Join(m.remote, "logs", fmt.Sprintf("%d it's.log", i)), fmt.Sprint(i), 0o640)
		}
		write(t, filepath.Join(m.remote, "logs", "other"), "no match", 0o640)
		count := counting(m)
		must(t, m.DownloadAll(t.Context(), []string{"logs/*.log"}, filepath.Join(m.local, "here")))
		must(t, m.RelayAll(t.Context(), []string{m.remote + "/logs/*.log"}, m.Copier, m.remote+"/there/"))
		if n := count.Load(); n > 12 {
			t.Errorf("took %d commands", n)
		}
		same(t, filepath.Join(m.local, "here"), filepath.Join(m.remote, "there"))
		must(t, os.Remove(filepath.Join(m.remote, "logs", "other")))
		same(t, filepath.Join(m.local, "here"), filepath.Join(m.remote, "logs"))
		nothingOfOurs(t, m.local, m.remote)
	})
}

func TestSeveralSourcesGoIntoTheDestination(t *testing.T) {
	overImages(t, func(t *testing.T, m *machine) {
		for _, root := range []string{m.local, m.remote} {
			odd(t, filepath.Join(root, "a", "tree"))
			write(t, filepath.Join(root, "b", "file"), "one", 0o640)
			write(t, filepath.Join(root, "-dash"), "two", 0o600)
			write(t, filepath.Join(root, "c", "inner"), "three", 0o644)
			must(t, os.Symlink("b/file", filepath.Join(root, "link")))
		}
		names := []string{"a/tree", "b/file", "-dash", "c/", "link"}
		from := func(root string) []string {
			var all []string
			for _, name := range names {
				all = append(all, root+"/"+name)
			}
			return all
		}
		want := filepath.Join(m.local, "want")
		odd(t, filepath.Join(want, "tree"))
		write(t, filepath.Join(want, "file"), "one", 0o640)
		write(t, filepath.Join(want, "-dash"), "two", 0o600)
		write(t, filepath.Join(want, "inner"), "three", 0o644)
		write(t, filepath.Join(want, "link"), "one", 0o640)
		for range 2 {
			must(t, m.UploadAll(t.Context(), from(m.local), m.remote+"/up"))
			must(t, m.DownloadAll(t.Context(), from(m.remote), filepath.Join(m.local, "down")+"/"))
			must(t, m.DownloadAll(t.Context(), names, filepath.Join(m.local, "relative")))
			must(t, m.RelayAll(t.Context(), from(m.remote), m.Copier, m.remote+"/over"))
			for _, copied := range []string{
				m.remote + "/up", filepath.Join(m.local, "down"), filepath.Join(m.local, "relative"), m.remote + "/over",
			} {
				same(t, want, copied)
			}
		}
		nothingOfOurs(t, m.local, m.remote)
	})
}

func TestSourcesOfOneNameAreRefused(t *testing.T) {
	m := start(t, everything())
	for _, root := range []string{m.local, m.remote} {
		write(t, filepath.Join(root, "a", "x"), "one", 0o644)
		write(t, filepath.Join(root, "b", "x"), "two", 0o644)
	}
	for way, err := range map[string]error{
		"up": m.UploadAll(
			t.Context(), []string{filepath.Join(m.local, "a/x"), filepath.Join(m.local, "b/x")}, m.remote+"/dst",
		),
		"down": m.DownloadAll(t.Context(), []string{"*/x"}, filepath.Join(m.local, "dst")),
	} {
		if err == nil || !strings.Contains(err.Error(), "would both be copied to x") {
			t.Errorf("%s: got %v", way, err)
		}
	}
}

func TestAMissingSourceOfSeveralIsAnErrorBeforeAnythingIsCopied(t *testing.T) {
	m := start(t, everything())
	write(t, filepath.Join(m.remote, "a"), "one", 0o644)
	for want, sources := range map[string][]string{
		"none: no such file or directory in the sandbox":           {"a", "none"},
		"*.none: no such file or directory in the sandbox matches": {"a", "*.none"},
	} {
		err := m.DownloadAll(t.Context(), sources, filepath.Join(m.local, "dst"))
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if left := tree(t, m.local); len(left) > 0 {
		t.Error(left)
	}
}

func TestSeveralSourcesWithoutTarAreCopiedOneByOne(t *testing.T) {
	m := start(t, image(t, map[string]string{"tar": ""}))
	for _, root := range []string{m.local, m.remote} {
		write(t, filepath.Join(root, "a", "1"), "one", 0o644)
		write(t, filepath.Join(root, "a", "2"), "two", 0o755)
	}
	must(t, m.UploadAll(
		t.Context(), []string{filepath.Join(m.local, "a/1"), filepath.Join(m.local, "a/2")}, m.remote+"/dst",
	))
	must(t, m.DownloadAll(t.Context(), []string{"a/*"}, filepath.Join(m.local, "dst")))
	same(t, filepath.Join(m.local, "a"), filepath.Join(m.local, "dst"))
	same(t, filepath.Join(m.remote, "a"), filepath.Join(m.remote, "dst"))
	must(t, os.Mkdir(filepath.Join(m.remote, "a", "sub"), 0o755))
	err := m.DownloadAll(t.Context(), []string{"a/*"}, filepath.Join(m.local, "dst"))
	if !errors.Is(err, files.ErrNeedsTar) {
		t.Errorf("got %v", err)
	}
}

func TestSeveralSourcesThatAreCutGoOn(t *testing.T) {
	overImages(t, func(t *testing.T, m *machine) {
		for _, root := range []string{m.local, m.remote} {
			for _, name := range []string{"src/a/1", "src/a/2\n", "src/b", "src/c"} {
				write(t, filepath.Join(root, name), name+noise(largeFile/4), 0o640)
			}
		}
		cut := &cutting{}
		cut.over(m)
		for way, transfer := range map[string]func(c *files.Copier) error{
			"up": func(c *files.Copier) error {
				sources := []string{m.local + "/src/a", m.local + "/src/b", m.local + "/src/c"}
				return c.UploadAll(t.Context(), sources, m.remote+"/dst")
			},
			"down": func(c *files.Copier) error {
				return c.DownloadAll(t.Context(), []string{m.remote + "/src/*"}, filepath.Join(m.local, "dst"))
			},
		} {
			cut.passed.Store(0)
			cut.arrived = func() int64 { return weight(m.local) + weight(m.remote) - 2*largeFile }
			cut.after.Store(largeFile * 3 / 4)
			if _, lost := errors.AsType[*stream.LostError](transfer(m.Copier)); !lost {
				t.Fatalf("%s: the connection was not lost", way)
			}
			cut.after.Store(0)
			cut.passed.Store(0)
			must(t, transfer(m.with(files.Options{Resume: true})))
			if passed := cut.passed.Load(); passed > largeFile*3/4 {
				t.Errorf("%s: %d of %d bytes passed again", way, passed, largeFile)
			}
		}
		same(t, filepath.Join(m.local, "src"), m.remote+"/dst")
		same(t, filepath.Join(m.remote, "src"), filepath.Join(m.local, "dst"))
		nothingOfOurs(t, m.local, m.remote)
	})
}

func TestWhatWasNotAskedForIsNotWritten(t *testing.T) {
	archive := archiveOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "./a"}, tar.Header{Typeflag: tar.TypeReg, Name: "./b"},
		tar.Header{Typeflag: tar.TypeReg, Name: "./evil"}, tar.Header{Typeflag: tar.TypeReg, Name: "./.git/evil"})
	m := start(t, image(t, map[string]string{"tar": "cat " + saved(t, archive)}))
	write(t, filepath.Join(m.remote, "a"), "evil", 0o644)
	write(t, filepath.Join(m.remote, "b"), "evil", 0o644)
	must(t, m.DownloadAll(t.Context(), []string{"a", "b"}, filepath.Join(m.local, "several")))
	exclude, err := files.ParseExclusions(".git", "evil")
	must(t, err)
	must(t, m.with(files.Options{Exclude: exclude}).Download(t.Context(), ".", filepath.Join(m.local, "tree")))
	for _, dir := range []string{"several", "tree"} {
		entries, err := os.ReadDir(filepath.Join(m.local, dir))
		if err != nil || len(entries) != 2 {
			t.Errorf("%s: %v, %v", dir, entries, err)
		}
	}
}

func TestTheHomeDirectoryOfTheContainersUser(t *testing.T) {
	m := start(t, everything())
	t.Setenv("HOME", m.remote)
	for text, want := range map[string]string{
		"~": m.remote, "~/": m.remote + "/", "~/a b": m.remote + "/a b", "./~": "./~", "a/~": "a/~", "~root/x": "~root/x",
	} {
		if got, err := m.ExpandHome(t.Context(), text); got != want || err != nil {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	t.Setenv("HOME", "")
	for _, m := range []*machine{m, start(t, with("cat"))} {
		if _, err := m.ExpandHome(t.Context(), "~"); err == nil || !strings.Contains(err.Error(), "give the path from /") {
			t.Errorf("got %v", err)
		}
	}
}
