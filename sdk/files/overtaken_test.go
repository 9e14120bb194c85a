// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// The other copy runs after all data of the first has arrived, and before the first knows. With Resume it adopts what
// others have left.
func TestADownloadThatAnEqualOneOvertakesIsRight(t *testing.T) {
	for kind, name := range map[string]string{"a file": "", "a directory": "a"} {
		for how, resume := range map[string]bool{"": false, ", which goes on with what is left": true} {
			t.Run(kind+how, func(t *testing.T) {
				m := start(t, everything())
				source, target := m.remote+"/src", filepath.Join(m.local, "dst")
				write(t, filepath.Join(source, name), noise(1<<20), 0o644)
				count := &cutting{}
				count.over(m)
				inner := m.server.Exec
				var overtaken atomic.Bool
				m.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
					err := inner(ctx, p)
					if count.passed.Load() > 1<<20 && overtaken.CompareAndSwap(false, true) {
						eventually(t, "it arrives", func() bool { return weight(m.local) > 0 })
						if err := m.with(files.Options{Resume: resume}).Download(ctx, source, target); err != nil {
							t.Errorf("the faster one: %v", err)
						}
					}
					return err
				}
				must(t, m.Download(t.Context(), source, target))
				if !overtaken.Load() {
					t.Error("nobody was faster")
				}
				same(t, source, target)
				nothingOfOurs(t, m.local)
			})
		}
	}
}

// Another copy creates the directory between the probe and the move.
func TestAnUploadWhosePlaceIsTakenMeanwhileIsMerged(t *testing.T) {
	m := start(t, image(t, map[string]string{"mv": `[ -e "$2" ] || mkdir -p "$2/theirs"; exec "$real" "$@"`}))
	write(t, filepath.Join(m.local, "src", "ours"), "ours", 0o644)
	must(t, m.Upload(t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst"))
	for _, name := range []string{"ours", "theirs"} {
		if _, err := os.Lstat(filepath.Join(m.remote, "dst", name)); err != nil {
			t.Error(err)
		}
	}
	nothingOfOurs(t, m.remote)
}

// A file that claims to be empty may be generated while it is read, and be endless.
func TestAnEmptyFileIsNotReadForItsSum(t *testing.T) {
	read := filepath.Join(t.TempDir(), "read")
	m := start(
		t,
		image(
			t, map[string]string{"sha256sum": `for f; do [ -s "$f" ] || echo "$f" >>` + read + `; done; exec "$real" "$@"`},
		),
	)
	write(t, filepath.Join(m.local, "src", "empty"), "", 0o644)
	write(t, filepath.Join(m.local, "src", "full"), "full", 0o644)
	must(t, m.Upload(t.Context(), filepath.Join(m.local, "src"), m.remote+"/dst"))
	same(t, filepath.Join(m.local, "src"), m.remote+"/dst")
	if names, err := os.ReadFile(read); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read: %s, %v", names, err)
	}
}
