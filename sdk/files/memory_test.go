// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// peak measures this process's memory until the function ends, and returns by how much it grew at most.
func peak(do func()) uint64 {
	used := func() uint64 {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return now.HeapInuse
	}
	runtime.GC()
	begun, most := used(), uint64(0)
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
				most = max(most, used())
			}
		}
	})
	do()
	close(over)
	watching.Wait()
	return max(most, begun) - begun
}

// withoutEnd writes what the function returns until nobody reads it.
func withoutEnd(out io.Writer, first string, next func(i int) string) error {
	if _, err := io.WriteString(out, first); err != nil {
		return err
	}
	var piece bytes.Buffer
	for i := 0; ; {
		for piece.Reset(); piece.Len() < 32<<10; i++ {
			piece.WriteString(next(i))
		}
		if _, err := out.Write(piece.Bytes()); err != nil {
			return nil //nolint:nilerr // it is as killed
		}
	}
}

// entry is one of an archive.
func entry(kind byte, name string) string {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	_ = w.WriteHeader(&tar.Header{Typeflag: kind, Name: name, Mode: 0o755}) // into memory
	return out.String()
}

func TestASandboxThatPrintsWithoutEndTakesNoMemory(t *testing.T) {
	const most = 900 << 20 // all names that may be kept, and uncollected garbage
	xs, lines := strings.Repeat("x", 1000), strings.Repeat("y", 1000)+"\n"
	directory := "kind directory\nhas sha256sum\nhas find\nhas tar\n"
	archive := directory + "archive\n"
	end := string(make([]byte, 1024))
	long := entry(tar.TypeChar, strings.Repeat("z", 30_000))
	download := func(m *machine) error { return m.Download(t.Context(), "d", filepath.Join(m.local, "d")) }
	synchronize := func(m *machine) error {
		_, err := m.SyncDown(t.Context(), "d", filepath.Join(m.local, "d"), files.SyncOptions{})
		return err
	}
	tests := map[string]struct {
		first string
		next  func(i int) string
		copy  func(m *machine) error
		want  string
	}{
		"instead of facts, on the way out": {"", func(int) string { return lines }, download, "more than 1024 KiB"},
		"without a line break":             {"", func(int) string { return xs }, download, "more than 1024 KiB"},
		"instead of facts, on the way in": {"", func(int) string { return lines },
			func(m *machine) error { return m.Upload(t.Context(), m.local+"/a", "x") }, "more than 1024 KiB"},
		"for a pattern, one name": {"", func(int) string { return xs },
			func(m *machine) error { _, err := m.Expand(t.Context(), "*"); return err }, "a name of more than 64 KiB"},
		"for a pattern, many names": {"", func(i int) string { return fmt.Sprintf("%d%s\x00", i, xs) },
			func(m *machine) error { _, err := m.Expand(t.Context(), "*"); return err }, "too many files"},
		"for a synchronization, many names": {
			"kind directory\nhas find\nhas stat\nentries\n", func(i int) string { return fmt.Sprintf("./%d%s\x00", i, xs) },
			synchronize, "too many files",
		},
		"for a synchronization, many lines": {"", func(int) string { return lines }, synchronize, "too many files"},
		"for a list": {"", func(i int) string { return fmt.Sprintf("1 1 81a4 %d%s\x00", i, xs) },
			func(m *machine) error { _, err := m.List(t.Context(), "."); return err }, "too many files"},
		"zeros behind an archive": {archive + end, func(int) string { return end }, download, "goes on behind its end"},
		"text behind an archive":  {archive + end, func(int) string { return xs }, download, "a name of more than 64 KiB"},
		"sums behind an archive": {
			archive + end, func(i int) string { return fmt.Sprintf("%064d  ./%d%s\n", i, i, xs) }, download, "too many files",
		},
		"names in an archive":     {archive, func(int) string { return long }, download, "too many files"},
		"names between sandboxes": {directory, func(int) string { return long }, nil, "too many files"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := start(t, func(directory string) func(context.Context, fakeserver.Process) error {
				return func(ctx context.Context, p fakeserver.Process) error {
					if p.Command[0] == "tar" {
						return withoutEnd(p.Stdout, "", tt.next)
					}
					if tt.copy == nil {
						_, err := io.WriteString(p.Stdout, tt.first)
						return err
					}
					return withoutEnd(p.Stdout, tt.first, tt.next)
				}
			})
			write(t, filepath.Join(m.local, "a"), "alpha", 0o644)
			transfer := tt.copy
			if transfer == nil {
				other := start(t, everything())
				transfer = func(m *machine) error { return m.Relay(t.Context(), "d", other.Copier, "d") }
			}
			var err error
			if grown := peak(func() { err = transfer(m) }); grown > most {
				t.Errorf("took %d MiB", grown>>20)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
