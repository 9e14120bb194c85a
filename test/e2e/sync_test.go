// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// writeFiles writes files below a directory; their content is their name.
func writeFiles(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// timed runs the plugin, which must succeed, and logs how long it took.
func timed(h *harness.T, what string, args ...string) (out string, took time.Duration) {
	h.Helper()
	begun := time.Now()
	out = h.Must(args...)
	took = time.Since(begun).Round(time.Millisecond)
	h.Logf("%s: %v", what, took)
	return out, took
}

func TestManyMatchesAndSeveralSources(t *testing.T) {
	t.Parallel()
	for name, image := range map[string]string{"Busybox": harness.ImageShell, "GNU": harness.ImagePython} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			h.Must("create", "dev", "--image", image, "--wait", "--", "sleep", "3600")
			h.Must("create", "other", "--image", harness.ImageShell, "--wait", "--", "sleep", "3600")
			h.Must("exec", "dev", "--", "sh", "-c",
				`mkdir -p /tmp/d && cd /tmp/d && echo x >other && i=0
				while [ $i -lt 111 ]; do echo $i >"it's $i.log"; i=$((i+1)); done`)
			here := filepath.Join(t.TempDir(), "logs")
			if _, took := timed(h, "111 files that match, "+name, "cp", "dev:/tmp/d/*.log", here); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
			timed(h, "111 files from here, "+name, "cp", "-r", here+"/", "dev:/tmp/back")
			timed(h, "111 files to another sandbox, "+name, "cp", "dev:/tmp/d/*.log", "other:/tmp/over")
			h.Must("exec", "dev", "--", "sh", "-c", "rm /tmp/d/other")
			want := h.Must("exec", "dev", "--", "sh", "-c", checksumScript, "sh", "/tmp/d")
			for _, copied := range [][]string{{"dev", "/tmp/back"}, {"other", "/tmp/over"}} {
				if got := h.Must("exec", copied[0], "--", "sh", "-c", checksumScript, "sh", copied[1]); got != want {
					t.Errorf("%s:%s differs", copied[0], copied[1])
				}
			}
			source := t.TempDir()
			writeFiles(t, source, "a", "b c", "-d/e", "-d/cache/f")
			h.Must("cp", source+"/a", source+"/b c", source+"/-d", "dev:~/several", "--exclude", "cache")
			got := h.Must("exec", "dev", "--", "sh", "-c", `cd ~/several && find . -type f | sort`)
			if got != "./-d/e\n./a\n./b c\n" {
				t.Errorf("several sources: %q", got)
			}
		})
	}
}

func TestManyFilesAreSynchronizedTwice(t *testing.T) {
	t.Parallel()
	for name, image := range map[string]string{"Busybox": harness.ImageShell, "GNU": harness.ImagePython} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			h.Must("create", "dev", "--image", image, "--wait", "--", "sleep", "3600")
			source, back := filepath.Join(t.TempDir(), "src"), filepath.Join(t.TempDir(), "back")
			for i := range 2_000 {
				writeFiles(t, source, fmt.Sprintf("%d/%d", i%100, i))
			}
			for _, way := range [][]string{{source, "dev:/tmp/there"}, {"dev:/tmp/there", back}} {
				timed(h, "2,000 new files, "+name, append([]string{"sync"}, way...)...)
				for _, flag := range []string{"--delete", "--checksum"} {
					what := "2,000 files that have not changed, " + name + " " + flag
					out, took := timed(h, what, append([]string{"sync", flag}, way...)...)
					if !strings.Contains(out, ": 0 copied") || !strings.Contains(out, ", 2000 unchanged") {
						t.Errorf("said %s", out)
					}
					if took > 20*time.Second {
						t.Errorf("took %v", took)
					}
				}
			}
			writeFiles(t, source, "50/new")
			out, _ := timed(h, "one of 2,000 files, "+name, "sync", source, "dev:/tmp/there")
			if !strings.HasPrefix(out, "copied 50/new\n") {
				t.Errorf("said %s", out)
			}
		})
	}
}

func TestACopyOfTheRootEnds(t *testing.T) {
	t.Parallel()
	for name, image := range map[string]string{"Busybox": harness.ImageShell, "GNU": harness.ImagePython} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			h.Must("create", "dev", "--image", image, "--wait", "--", "sleep", "3600")
			h.Must("exec", "dev", "--", "sh", "-c", "mkdir -p /work && echo kept >/work/file")
			root := filepath.Join(t.TempDir(), "root")
			r := h.Plugin("cp", "dev:/", root)
			if r.Code != 0 || strings.Count(r.Stderr, "Warning:") != 1 || !strings.Contains(r.Stderr, "--all-filesystems") {
				t.Errorf("%v", r)
			}
			for _, mounted := range []string{"/dev", "/proc", "/sys"} {
				if !strings.Contains(r.Stderr, mounted) {
					t.Errorf("%s is not named: %s", mounted, r.Stderr)
				}
				if _, err := os.Lstat(filepath.Join(root, mounted)); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s was copied: %v", mounted, err)
				}
			}
			if got, err := os.ReadFile(filepath.Join(root, "work", "file")); string(got) != "kept\n" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestSyncDeletesOnlyWhatItMay(t *testing.T) {
	t.Parallel()
	for name, image := range map[string]string{"Busybox": harness.ImageShell, "GNU": harness.ImagePython} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			h.Must(
				"create", "dev", "--image", image, "--volume", "vol=16Mi:/work/dst/vol", "--wait", "--", "sleep", "3600",
			)
			h.Must("exec", "dev", "--", "sh", "-c", `cd /work && mkdir -p outside dst/old/cache dst/older && cd dst &&
				echo x >../outside/precious && echo x >vol/precious && echo x >old/cache/kept && echo x >old/gone &&
				echo x >older/gone && echo x >'line
break' && ln -s ../outside door && ln -s /work/outside older/door`)
			source := filepath.Join(t.TempDir(), "src")
			writeFiles(t, source, "a", "sub/b", "cache/not copied")
			out := h.Must("sync", source, "dev:/work/dst", "--delete", "--exclude", "cache")
			if !strings.Contains(out, "dev:/work/dst: 3 copied") ||
				!strings.Contains(out, ", 6 deleted, 0 unchanged; 1 of the directories stay") {
				t.Errorf("said %s", out)
			}
			got := h.Must("exec", "dev", "--", "sh", "-c", "cd /work && find . -type f | sort")
			if want := "./dst/a\n./dst/old/cache/kept\n./dst/sub/b\n./dst/vol/precious\n./outside/precious\n"; got != want {
				t.Errorf("left:\n%s\nwant:\n%s", got, want)
			}
			empty := t.TempDir()
			r := h.Plugin("sync", empty+"/", "dev:/work/dst", "--delete")
			if r.Code != 1 || !strings.Contains(r.Stderr, "--yes") {
				t.Errorf("%v", r)
			}
			writeFiles(t, empty, "mine", "cache/mine")
			h.Must("sync", "dev:/work/dst/", empty, "--delete", "--exclude", "cache")
			if entries, err := os.ReadDir(empty); err != nil || len(entries) != 4 { // a, cache, old, sub
				t.Errorf("%v, %v", entries, err)
			}
		})
	}
}

func TestWatchPicksUpAnEdit(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "dev", "--image", harness.ImageShell, "--wait", "--", "sleep", "3600")
	source := filepath.Join(t.TempDir(), "src")
	writeFiles(t, source, "a", "b")
	watch, out := startPlugin(h, "sync", source, "dev:/tmp/there", "--watch", "--delete")
	go func() { _, _ = io.Copy(io.Discard, out) }()
	shows := func(want string) func() error {
		return func() error {
			r := h.Plugin("exec", "dev", "--", "sh", "-c", "cd /tmp/there && cat *")
			if r.Stdout != want {
				return fmt.Errorf("%v", r)
			}
			return nil
		}
	}
	h.Eventually("the first copy", shows("ab"))
	begun := time.Now()
	if err := errors.Join(
		os.WriteFile(filepath.Join(source, "a"), []byte("edited "), 0o644), os.Remove(filepath.Join(source, "b")),
	); err != nil {
		t.Fatal(err)
	}
	h.Eventually("the edit", shows("edited "))
	h.Logf("an edit was seen in the sandbox after %v", time.Since(begun).Round(time.Millisecond))
	h.Must("suspend", "dev", "--wait")
	h.Must("resume", "dev", "--wait")
	writeFiles(t, source, "c")
	h.Eventually("all of it in the next Pod", shows("edited c"))
	if err := watch.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := watch.Wait(); watch.ProcessState.ExitCode() != 130 {
		t.Errorf("ended with %v", err)
	}
}
