// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// zeros is that many zeros.
type zeros struct{ left int }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left <= 0 {
		return 0, io.EOF
	}
	clear(p)
	z.left -= len(p)
	return len(p), nil
}

// ending detects the end of what it reads.
type ending struct {
	io.Reader
	got, seen atomic.Bool
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if n > 0 {
		e.got.Store(true)
	}
	if err != nil {
		e.seen.Store(true)
	}
	return n, err
}

// draining fails the test if a command ends before its input does: containerd would never report its end.
func draining(
	t *testing.T, exec func(string) func(context.Context, fakeserver.Process) error,
) func(string) func(context.Context, fakeserver.Process) error {
	return func(directory string) func(context.Context, fakeserver.Process) error {
		run := exec(directory)
		return func(ctx context.Context, p fakeserver.Process) error {
			if p.Stdin == nil {
				return run(ctx, p)
			}
			input := &ending{Reader: p.Stdin}
			p.Stdin = input
			err := run(ctx, p)
			if input.got.Load() && !input.seen.Load() {
				t.Errorf("%q ended and has left input behind", p.Command)
			}
			return err
		}
	}
}

func TestACopyThatFailsOverThereEndsAtOnceAndSaysWhy(t *testing.T) {
	overBoth(t, copyThatFailsOverThere)
}

func copyThatFailsOverThere(t *testing.T, noSPDY bool) {
	const much = 256 << 20 // more than the buffers on the way hold
	long := &zeros{}
	const onFull = `[ $# = 0 ] || exec "$real" "$@"; exec "$real" >/dev/full`
	full := "echo 'No space left on device' >&2; exit 1"
	tests := map[string]struct {
		image map[string]string
		copy  func(*machine) error
		want  string
	}{
		"a file, with Python": {
			map[string]string{"python3": `echo begun; head -c 100000 >/dev/null; ` + full},
			func(m *machine) error {
				big := filepath.Join(m.local, "big")
				must(t, os.WriteFile(big, heavy(), 0o600))
				return m.Upload(t.Context(), big, "x")
			}, "No space left on device",
		},
		"a long input": {
			map[string]string{"cat": onFull},
			func(m *machine) error { return m.UploadFrom(t.Context(), long, "x") }, "No space left on device",
		},
		"a long input, without sums": {
			map[string]string{"sha256sum": "", "cat": onFull},
			func(m *machine) error { return m.UploadFrom(t.Context(), long, "x") }, "No space left on device",
		},
		"a long input, no directory for it": {
			map[string]string{"mkdir": full},
			func(m *machine) error { return m.UploadFrom(t.Context(), long, "no/x") }, "No space left on device",
		},
		"a long input into a device": {
			nil,
			func(m *machine) error { return m.UploadFrom(t.Context(), long, "/dev/full") }, "o space left on device",
		},
		"a directory": {
			map[string]string{"tar": "head -c 100000 >/dev/null; " + full},
			func(m *machine) error {
				tree := filepath.Join(m.local, "tree")
				must(t, os.Mkdir(tree, 0o750))
				must(t, os.WriteFile(filepath.Join(tree, "big"), heavy(), 0o600))
				return m.Upload(t.Context(), tree, "x")
			}, "No space left on device",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			long.left = much
			m := start(t, draining(t, image(t, tt.image)))
			m.server.NoSPDY = noSPDY
			err := tt.copy(m)
			var ended *stream.ExitError
			if !errors.As(err, &ended) || ended.Code == 0 || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want the command's exit code and %q", err, tt.want)
			}
			if strings.Contains(err.Error(), ".kubectl-sandbox") {
				t.Errorf("a word between us and the shell is shown: %s", err)
			}
			if long.left < much/2 {
				t.Error("the input was sent to a command that had failed")
			}
			left, err := os.ReadDir(m.remote)
			if err != nil || len(left) != 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestACopyThatFailsAndIsCutThenSaysWhyItFailed(t *testing.T) {
	overBoth(t, func(t *testing.T, noSPDY bool) {
		m := start(t, everything())
		m.server.NoSPDY = noSPDY
		local := m.server.Exec
		m.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
			if !slices.Contains(p.Command, ".kubectl-sandbox-failed") {
				return local(ctx, p)
			}
			_, _ = io.WriteString(p.Stderr, "No space left on device\n.kubectl-sandbox-failed\n")
			_, _ = io.Copy(io.Discard, p.Stdin) // until it is stopped
			m.server.Cut()
			<-ctx.Done()
			return nil
		}
		err := m.UploadFrom(t.Context(), &zeros{left: 256 << 20}, "x")
		var lost *stream.LostError
		if errors.As(err, &lost) || err == nil || !strings.Contains(err.Error(), "No space left on device") {
			t.Errorf("got %v", err)
		}
	})
}
