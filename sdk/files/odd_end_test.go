// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A program that only computes sums never notices that nobody reads its output.
func TestWhatRunsForUsEndsWithUs(t *testing.T) {
	for name, program := range map[string]string{"a sum": "sha256sum", "tar": "tar"} {
		t.Run(name, func(t *testing.T) {
			pids := filepath.Join(t.TempDir(), "pids")
			m := start(t, image(t, map[string]string{program: `echo $$ >>` + pids + `; exec /bin/sleep 300`}))
			write(t, m.remote+"/src/a", noise(300_000), 0o644)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- m.Download(ctx, m.remote+"/src", filepath.Join(m.local, "dst")) }()
			running := func() (all []int) {
				text, _ := os.ReadFile(pids)
				for word := range strings.FieldsSeq(string(text)) {
					pid, err := strconv.Atoi(word)
					if err == nil && syscall.Kill(pid, 0) == nil {
						all = append(all, pid)
					}
				}
				return all
			}
			eventually(t, "it runs", func() bool { return len(running()) > 0 })
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			eventually(t, "it ends", func() bool { return len(running()) == 0 })
		})
	}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 500 {
		if is() {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Errorf("not within ten seconds: %s", what)
}

// Files that are generated while they are read claim to be empty, and may be endless.
func TestADirectoryOfFilesWithoutEndEnds(t *testing.T) {
	for number := range 2 {
		m := start(t, anyImage(t, number))
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		err := m.Download(ctx, "/proc/1", filepath.Join(m.local, "d"))
		if ctx.Err() != nil {
			t.Errorf("it did not end: %v", err)
		}
		cancel()
		nothingOfOurs(t, m.local)
	}
}
