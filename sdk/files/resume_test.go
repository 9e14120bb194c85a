// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// cutting breaks the connection after that many bytes, and counts them.
type cutting struct {
	server *fakeserver.Server
	after  atomic.Int64 // 0 for never
	passed atomic.Int64
	// arrived, if set, returns what the other end has received. Data on its way is lost with the connection, so the
	// connection is cut only when three quarters have arrived.
	arrived func() int64
}

type counted struct {
	*cutting
	in  io.Reader
	out io.Writer
}

func (c counted) Read(p []byte) (int, error)  { n, err := c.in.Read(p); c.count(n); return n, err }
func (c counted) Write(p []byte) (int, error) { n, err := c.out.Write(p); c.count(n); return n, err }

func (c *cutting) count(n int) {
	if total, after := c.passed.Add(int64(n)), c.after.Load(); after > 0 && total > after &&
		c.after.CompareAndSwap(after, 0) { // once, whoever else counts
		for range 4000 {
			if c.arrived == nil || c.arrived() >= after*3/4 {
				break
			}
			<-time.After(5 * time.Millisecond)
		}
		c.server.Cut()
	}
}

// over puts the counter between the network and the commands.
func (c *cutting) over(m *machine) {
	inner := m.server.Exec
	c.server = m.server
	m.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
		p.Stdin, p.Stdout = counted{cutting: c, in: p.Stdin}, counted{cutting: c, out: p.Stdout}
		return inner(ctx, p)
	}
}

// weight returns the total size of all files below a directory.
func weight(dir string) (sum int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil { // it may be gone
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

func noise(size int) string {
	random, data := rand.New(rand.NewPCG(3, 4)), make([]byte, size)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return string(data)
}

const largeFile = 8 << 20

func TestCopyThatWasCutGoesOn(t *testing.T) { overBoth(t, copyThatWasCutGoesOn) }

func copyThatWasCutGoesOn(t *testing.T, noSPDY bool) {
	tests := map[string]struct {
		fill  func(t *testing.T, root string)
		whole bool // it is a directory
	}{
		"a file": {fill: func(t *testing.T, root string) { write(t, root, noise(largeFile), 0o640) }},
		"a directory": {whole: true, fill: func(t *testing.T, root string) {
			for _, name := range []string{"a", "b", "c", "sub/d"} {
				write(t, filepath.Join(root, name), name+noise(largeFile/4), 0o640)
			}
			must(t, os.MkdirAll(filepath.Join(root, "empty"), 0o755))
			must(t, os.Symlink("a", filepath.Join(root, "link")))
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for way, copy := range map[string]func(c *files.Copier, m *machine) error{
				"into the sandbox": func(c *files.Copier, m *machine) error {
					return c.Upload(t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst")
				},
				"out of the sandbox": func(c *files.Copier, m *machine) error {
					return c.Download(t.Context(), m.remote+"/src", filepath.Join(m.local, "dst"))
				},
			} {
				t.Run(way, func(t *testing.T) {
					m := start(t, everything())
					m.server.NoSPDY = noSPDY
					source, target := filepath.Join(m.local, "src"), filepath.Join(m.remote, "dst")
					if way != "into the sandbox" {
						source, target = filepath.Join(m.remote, "src"), filepath.Join(m.local, "dst")
					}
					tt.fill(t, source)
					cut := &cutting{}
					cut.after.Store(largeFile * 3 / 4)
					if way == "out of the sandbox" {
						cut.arrived = func() int64 { return weight(m.local) }
					}
					cut.over(m)
					err := copy(m.Copier, m)
					if _, ok := errors.AsType[*stream.LostError](err); !ok {
						t.Fatalf("got %v, want a LostError", err)
					}
					if _, err := os.Lstat(target); !errors.Is(err, os.ErrNotExist) {
						t.Errorf("after a cut the final name exists: %v", err)
					}
					cut.after.Store(0)
					cut.passed.Store(0)
					must(t, copy(m.with(files.Options{Resume: true}), m))
					if passed := cut.passed.Load(); passed > largeFile*3/4 {
						t.Errorf("%d of %d bytes passed again", passed, largeFile)
					}
					if tt.whole {
						same(t, source, target)
					} else {
						same(t, filepath.Dir(source)+"/src", target)
					}
					for _, dir := range []string{m.local, m.remote} {
						for _, line := range tree(t, dir) {
							if strings.Contains(line, ".kubectl-sandbox-") {
								t.Errorf("left behind: %.80s", line)
							}
						}
					}
				})
			}
		})
	}
}

func TestWithoutResumeTheRestOfAnEarlierCopyIsNotUsed(t *testing.T) {
	m := start(t, everything())
	write(t, filepath.Join(m.local, "src"), noise(largeFile), 0o644)
	cut := &cutting{}
	cut.after.Store(largeFile / 2)
	cut.over(m)
	if err := m.Upload(t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst"); err == nil {
		t.Fatal("no error")
	}
	cut.after.Store(0)
	cut.passed.Store(0)
	must(t, m.Upload(t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst"))
	if cut.passed.Load() < largeFile {
		t.Errorf("%d bytes passed", cut.passed.Load())
	}
}

func TestRestThatIsNotTheBeginningIsNotUsed(t *testing.T) {
	m := start(t, everything())
	write(t, filepath.Join(m.local, "src"), noise(largeFile), 0o644)
	cut := &cutting{}
	cut.after.Store(largeFile / 2)
	cut.over(m)
	if err := m.Upload(t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst"); err == nil {
		t.Fatal("no error")
	}
	cut.after.Store(0)
	entries, err := os.ReadDir(m.remote)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(m.remote, entries[0].Name()), []byte("something else"), 0o600))
	warned := ""
	must(
		t,
		m.with(files.Options{Resume: true, Warn: func(w string) { warned = w }}).Upload(
			t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst",
		),
	)
	same(t, filepath.Join(m.local, "src"), m.remote+"/dst")
	if !strings.Contains(warned, "copied again") {
		t.Errorf("warning: %q", warned)
	}
}

// corrupting flips a bit of all large input and output of commands.
func corrupting(directory string) func(context.Context, fakeserver.Process) error {
	local := everything()(directory)
	return func(ctx context.Context, p fakeserver.Process) error {
		p.Stdin, p.Stdout = &flipping{in: p.Stdin}, &flipping{out: p.Stdout}
		return local(ctx, p)
	}
}

type flipping struct {
	in   io.Reader
	out  io.Writer
	seen int
}

func (f *flipping) Read(p []byte) (int, error) {
	n, err := f.in.Read(p)
	f.flip(p[:n])
	return n, err
}

func (f *flipping) Write(p []byte) (int, error) {
	p = bytes.Clone(p)
	f.flip(p)
	return f.out.Write(p)
}

func (f *flipping) flip(p []byte) {
	const at = 100_000 // in the middle of the data
	if f.seen <= at && at < f.seen+len(p) {
		p[at-f.seen] ^= 1
	}
	f.seen += len(p)
}

func TestCorruptCopyNeverGetsItsName(t *testing.T) {
	for _, name := range []string{"file", "tree"} {
		t.Run(name, func(t *testing.T) {
			m := start(t, corrupting)
			for _, root := range []string{m.local, m.remote} {
				write(t, filepath.Join(root, "file"), noise(300_000), 0o644)
				write(t, filepath.Join(root, "tree", "file"), noise(300_000), 0o644)
			}
			if err := m.Upload(t.Context(), filepath.Join(m.local, name), m.remote+"/dst"); err == nil ||
				!strings.Contains(err.Error(), "differs") {
				t.Errorf("got %v", err)
			}
			if err := m.Download(t.Context(), m.remote+"/"+name, filepath.Join(m.local, "dst")); err == nil ||
				!strings.Contains(err.Error(), "differs") {
				t.Errorf("got %v", err)
			}
			for _, root := range []string{m.local, m.remote} {
				if entries, err := os.ReadDir(root); err != nil || len(entries) != 2 {
					t.Errorf("left behind: %v, %v", entries, err)
				}
			}
		})
	}
}
