// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
)

// grow creates a random tree: any valid names, files with sizes near the limits of buffers, empty directories, and both
// kinds of links.
func grow(t *testing.T, random *rand.Rand, root string) {
	t.Helper()
	letters := strings.Split("aZ0 .-_'\"*?[]\\$(){};&|<>~#%äß漢🙂\t\n\r", "")
	letters = append(letters, "\xff", "\x80") // no UTF-8
	must(t, os.MkdirAll(root, 0o755))
	directories, written := []string{root}, []string{}
	name := func() string {
		for {
			base := ""
			for range 1 + random.IntN(12) {
				base += letters[random.IntN(len(letters))]
			}
			path := filepath.Join(directories[random.IntN(len(directories))], base)
			if _, err := os.Lstat(path); err != nil && base != "." && base != ".." {
				return path
			}
		}
	}
	for range 5 + random.IntN(40) {
		path := name()
		switch random.IntN(6) {
		case 0:
			must(t, os.Mkdir(path, 0o700|fs.FileMode(random.IntN(64))))
			directories = append(directories, path)
		case 1:
			must(t, os.Symlink([]string{"a", "/etc/passwd", "../..", "x y", filepath.Base(path)}[random.IntN(5)], path))
		case 2:
			if len(written) > 0 {
				must(t, os.Link(written[random.IntN(len(written))], path))
			}
		default:
			sizes := []int{0, 1, 511, 512, 513, 4096, 65536, 65537, 200_000}
			data := make([]byte, sizes[random.IntN(len(sizes))])
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			must(t, os.WriteFile(path, data, 0o600))
			must(t, os.Chmod(path, 0o400|fs.FileMode(random.IntN(512))))
			must(t, os.Chtimes(path, time.Time{}, time.Unix(random.Int64N(2_000_000_000), 0)))
			written = append(written, path)
		}
	}
}

// names counts the hard links that files below a root share, in the order of the tree.
func names(t *testing.T, root string) []uint64 {
	t.Helper()
	var all []uint64
	must(t, filepath.WalkDir(root, func(_ string, entry fs.DirEntry, err error) error {
		must(t, err)
		info, err := entry.Info()
		must(t, err)
		if info.Mode().IsRegular() {
			all = append(all, uint64(info.Sys().(*syscall.Stat_t).Nlink)) //nolint:unconvert // it is smaller on other platforms
		}
		return nil
	}))
	return all
}

func FuzzAnyTreeComesBackTheSame(f *testing.F) {
	for seed := range uint64(6) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 1))
		m := start(t, anyImage(t, random.IntN(2)))
		source, there, other, back := filepath.Join(m.local, "src"), m.remote+"/there", m.remote+"/other", filepath.Join(
			m.local, "back",
		)
		grow(t, random, source)
		for range 2 { // into a new directory, and into an existing one
			must(t, m.Upload(t.Context(), source, there))
			must(t, m.Relay(t.Context(), there, m.Copier, other))
			must(t, m.Download(t.Context(), other, back))
			for _, copied := range []string{there, other, back} {
				same(t, source, copied)
				if want, got := fmt.Sprint(names(t, source)), fmt.Sprint(names(t, copied)); want != got {
					t.Errorf("hard links: %s, want %s", got, want)
				}
			}
		}
		if entries, err := os.ReadDir(m.remote); err != nil || len(entries) != 2 {
			t.Errorf("left behind: %v, %v", entries, err)
		}
	})
}

func TestManySmallFilesAndOneLargeOne(t *testing.T) {
	m := start(t, everything())
	source := filepath.Join(m.local, "src")
	for i := range 700 {
		write(t, filepath.Join(source, fmt.Sprint(i%20), fmt.Sprint(i)), fmt.Sprintf("file %d", i), 0o644)
	}
	write(t, filepath.Join(source, "large"), string(make([]byte, 3<<20)), 0o644)
	progress := &files.Progress{}
	must(t, m.with(files.Options{Progress: progress}).Upload(t.Context(), source, m.remote+"/dst"))
	if progress.Done() != progress.Total() || progress.Total() < 3<<20 {
		t.Errorf("progress says %d of %d", progress.Done(), progress.Total())
	}
	must(t, m.Download(t.Context(), m.remote+"/dst", filepath.Join(m.local, "back")))
	same(t, source, m.remote+"/dst")
	same(t, source, filepath.Join(m.local, "back"))
}
