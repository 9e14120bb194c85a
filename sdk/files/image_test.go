// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// image has a shell and this machine's programs except the given ones: with an empty script they do not exist,
// otherwise the script replaces them.
func image(t *testing.T, scripts map[string]string) func(string) func(context.Context, fakeserver.Process) error {
	t.Helper()
	bin := t.TempDir()
	programs := []string{
		"cat", "chmod", "du", "env", "find", "head", "mkdir", "mv", "readlink", "rm", "rmdir", "sh", "sha256sum", "stat",
		"tail", "tar", "tee", "touch", "wc",
	}
	for name := range scripts {
		if !slices.Contains(programs, name) {
			programs = append(programs, name)
		}
	}
	for _, name := range programs {
		script, other := scripts[name]
		switch path, err := exec.LookPath(name); {
		case script != "":
			must(
				t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nreal=\""+path+"\"\n"+script), 0o755),
			) //nolint:gosec // it is to be run
		case !other:
			must(t, err)
			must(t, os.Symlink(path, filepath.Join(bin, name)))
		}
	}
	return func(directory string) func(context.Context, fakeserver.Process) error {
		local := fakeserver.Local(directory, "env", "test", "cat")
		return func(ctx context.Context, p fakeserver.Process) error {
			if p.Command[0] == "sh" {
				p.Command = append([]string{"env", "PATH=" + bin}, p.Command...)
			}
			return local(ctx, p)
		}
	}
}

// odd creates a tree with names that some programs cannot represent, and an empty directory.
func odd(t *testing.T, root string) {
	t.Helper()
	fill(t, root)
	for _, name := range []string{"line\nbreak", "back\\slash", `"quoted"`, "it's", "tail ", "a  ./b"} {
		write(t, filepath.Join(root, "sub", name), name, 0o640)
	}
}

func TestADirectoryComesOutOfAnyImage(t *testing.T) {
	for name, scripts := range map[string]map[string]string{
		"with all programs":             nil,
		"without sha256sum":             {"sha256sum": ""},
		"without tee":                   {"tee": ""},
		"without find":                  {"find": ""},
		"without both":                  {"tee": "", "find": ""},
		"with a tee that opens no pipe": {"tee": `echo "tee: $1: Permission denied" >&2; cat; exit 1`},
	} {
		t.Run(name, func(t *testing.T) {
			m := start(t, image(t, scripts))
			odd(t, filepath.Join(m.remote, "src"))
			must(t, os.Mkdir(filepath.Join(m.remote, "nothing"), 0o755))
			for range 2 {
				must(t, m.Download(t.Context(), m.remote+"/src", filepath.Join(m.local, "dst")))
				must(t, m.Download(t.Context(), "nothing", filepath.Join(m.local, "none")))
			}
			same(t, filepath.Join(m.remote, "src"), filepath.Join(m.local, "dst"))
			if entries, err := os.ReadDir(filepath.Join(m.local, "none")); err != nil || len(entries) > 0 {
				t.Errorf("of an empty directory: %v, %v", entries, err)
			}
			if entries, err := os.ReadDir(m.local); err != nil || len(entries) != 2 || len(m.warnings) > 0 {
				t.Errorf("left behind: %v, %v; warnings: %q", entries, err, m.warnings)
			}
		})
	}
}

func TestWhatTheImageSaysOfADirectory(t *testing.T) {
	const tarThen = `"$real" "$@" || exit; `
	tests := map[string]struct {
		scripts      map[string]string
		fails, warns string
	}{
		"a file is written to behind tar": {
			scripts: map[string]string{"tar": tarThen + `echo more >>a`}, warns: "a was written to while it was copied",
		},
		"a file is written to and no sum can be taken of the archive": {
			scripts: map[string]string{
				"tar": tarThen + `echo more >>a`, "tee": "",
			},
			warns: "a was written to while it was copied",
		},
		"a file changes while GNU tar reads it": {
			scripts: map[string]string{
				"tar": tarThen + `echo "tar: ./a: file changed as we read it" >&2; exit 1`,
			},
			warns: "changed as we read it",
		},
		"tar cannot read all": {
			scripts: map[string]string{
				"tar": tarThen + `echo "tar: ./b: Cannot open: Permission denied" >&2; exit 2`,
			},
			fails: "Permission denied",
		},
		"tar is killed": {
			scripts: map[string]string{"tar": `"$real" "$@" | head -c 600; kill -9 $$`}, fails: "Killed",
		},
		"the sum is another": {
			scripts: map[string]string{"sha256sum": `echo "$(echo other | "$real")"`}, fails: "differs",
		},
		"there is no sum": {scripts: map[string]string{"sha256sum": "exit 0"}, fails: "differs"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := start(t, image(t, tt.scripts))
			write(t, filepath.Join(m.remote, "a"), "alpha", 0o644)
			err := m.Download(t.Context(), ".", filepath.Join(m.local, "dst"))
			content, missing := os.ReadFile(filepath.Join(m.local, "dst", "a"))
			if tt.fails == "" && (err != nil || string(content) != "alpha") {
				t.Errorf("got %v, and %q", err, content)
			}
			if tt.fails != "" &&
				(err == nil || !strings.Contains(err.Error(), tt.fails) || !errors.Is(missing, os.ErrNotExist)) {
				t.Errorf("got %v, and %q", err, content)
			}
			if got := strings.Join(m.warnings, "; "); !strings.Contains(got, tt.warns) || tt.warns == "" && got != "" {
				t.Errorf("warned %q", got)
			}
			if left, err := os.ReadDir(m.local); err != nil || (len(left) > 0) != (tt.fails == "") {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// cutBefore breaks the connection before a command's output ends with the text.
type cutBefore struct {
	io.Writer
	end string
	cut func()
}

func (c cutBefore) Write(p []byte) (int, error) {
	if n := bytes.LastIndex(p, []byte(c.end)); n >= 0 {
		_, _ = c.Writer.Write(p[:n]) // the connection is cut now
		c.cut()
		return 0, io.ErrClosedPipe
	}
	return c.Writer.Write(p)
}

func TestADirectoryCutInTheMiddleOfItsSumsGoesOn(t *testing.T) {
	for name, end := range map[string]string{"of the archive": "  -\n", "of files": "  ./a\n"} {
		t.Run(name, func(t *testing.T) {
			scripts := map[string]string{}
			if name == "of files" {
				scripts["tee"] = ""
			}
			m := start(t, image(t, scripts))
			write(t, filepath.Join(m.remote, "src", "a"), noise(300_000), 0o644)
			whole := m.server.Exec
			m.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
				p.Stdout = cutBefore{p.Stdout, end, func() {
					for range 4000 { // data on its way is lost with the connection
						if weight(m.local) >= 300_000 {
							break
						}
						<-time.After(5 * time.Millisecond)
					}
					m.server.Cut()
				}}
				return whole(ctx, p)
			}
			err := m.Download(t.Context(), m.remote+"/src", filepath.Join(m.local, "dst"))
			if _, lost := errors.AsType[*stream.LostError](err); !lost {
				t.Errorf("got %v, want a LostError", err)
			}
			if _, err := os.Lstat(filepath.Join(m.local, "dst")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("after a cut the final name exists: %v", err)
			}
			var passed bytes.Buffer
			m.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
				p.Stdout = io.MultiWriter(p.Stdout, &passed)
				return whole(ctx, p)
			}
			must(t, m.with(files.Options{Resume: true}).Download(t.Context(), m.remote+"/src", filepath.Join(m.local, "dst")))
			same(t, filepath.Join(m.remote, "src"), filepath.Join(m.local, "dst"))
			if passed.Len() > 100_000 {
				t.Errorf("%d bytes passed again", passed.Len())
			}
		})
	}
}

func TestALocalFileInTheWayOfADirectoryStays(t *testing.T) {
	m := start(t, everything())
	write(t, filepath.Join(m.remote, "src", "a"), noise(4<<20), 0o644)
	write(t, filepath.Join(m.local, "dst"), "mine", 0o644)
	if err := m.Download(t.Context(), m.remote+"/src", filepath.Join(m.local, "dst")); err == nil ||
		!strings.Contains(err.Error(), "is no directory here") {
		t.Errorf("got %v", err)
	}
	if got := tree(t, m.local); len(got) != 1 || !strings.Contains(got[0], "mine") {
		t.Error(got)
	}
}

// A broken Python leaves the input to another program.
func TestALargeFileGoesIntoAnyImage(t *testing.T) {
	content := heavy()
	for name, scripts := range map[string]map[string]string{
		"without Python":                          nil,
		"with a Python that cannot start":         {"python3": "echo broken >&2; exit 1"},
		"with a Python and no sums":               {"python3": "exit 1", "sha256sum": ""},
		"without Python and tee":                  {"tee": ""},
		"without Python, sha256sum or tee either": {"sha256sum": "", "tee": ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := start(t, image(t, scripts))
			must(t, os.WriteFile(filepath.Join(m.local, "large"), content, 0o600))
			must(t, m.Upload(t.Context(), filepath.Join(m.local, "large"), m.remote+"/large"))
			if got, err := os.ReadFile(filepath.Join(m.remote, "large")); err != nil || !bytes.Equal(got, content) {
				t.Errorf("got %d bytes of %d, %v", len(got), len(content), err)
			}
			if left, err := os.ReadDir(m.remote); err != nil || len(left) != 1 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// A Python that fails after it has started has consumed input.
func TestAPythonThatFailsInTheMiddleFailsTheCopy(t *testing.T) {
	m := start(
		t, image(t, map[string]string{"python3": "echo begun; head -c 70000 >/dev/null; echo no space >&2; exit 1"}),
	)
	must(t, os.WriteFile(filepath.Join(m.local, "large"), heavy(), 0o600))
	if err := m.Upload(t.Context(), filepath.Join(m.local, "large"), m.remote+"/large"); err == nil ||
		!strings.Contains(err.Error(), "no space") {
		t.Errorf("got %v", err)
	}
	if left := tree(t, m.remote); len(left) > 0 {
		t.Errorf("left behind: %.100q", left)
	}
}

func TestACorruptFileOfAnyNameNeverGetsIt(t *testing.T) {
	m := start(t, func(directory string) func(context.Context, fakeserver.Process) error {
		local := image(t, nil)(directory)
		return func(ctx context.Context, p fakeserver.Process) error {
			p.Stdout = &flipping{out: p.Stdout}
			return local(ctx, p)
		}
	})
	write(t, filepath.Join(m.remote, "src", "line\nbreak"), noise(300_000), 0o644)
	if err := m.Download(t.Context(), m.remote+"/src", filepath.Join(m.local, "dst")); err == nil ||
		!strings.Contains(err.Error(), "differs") {
		t.Errorf("got %v", err)
	}
	if left := tree(t, m.local); len(left) > 0 {
		t.Errorf("left behind: %.100q", left)
	}
}
