// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// meanwhile repeats something until the test calls the function.
func meanwhile(t *testing.T, do func(i int) error) (stop func()) {
	t.Helper()
	var running sync.WaitGroup
	done := make(chan struct{})
	running.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			if err := do(i); err != nil {
				t.Error(err)
				return
			}
		}
	})
	return func() { close(done); running.Wait() }
}

func TestAListTellsNothingOfAnotherDirectory(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	at := filepath.Join(root, "flip")
	if err := errors.Join(
		os.Symlink("dir", at), os.WriteFile(filepath.Join(root, "dir", "both"), []byte("x"), 0o644),
		os.WriteFile(filepath.Join(root, "..", "outside", "both"), []byte("secret"), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	stop := meanwhile(t, func(i int) error {
		target := []string{"dir", "../outside"}[i%2]
		return errors.Join(os.Symlink(target, at+".new"), os.Rename(at+".new", at))
	})
	defer stop()
	for range 2000 {
		entries, err := d.List("flip")
		if err != nil {
			continue // it led out of the base directory
		}
		for _, one := range entries {
			if one.Name == "both" && one.Size != 1 {
				t.Fatalf("the file has the size %d of one outside", one.Size)
			}
		}
	}
}

func TestAListNeedsNoFileToStay(t *testing.T) {
	t.Parallel()
	d, root := open(t)
	stop := meanwhile(t, func(i int) error { // 50 files appear, and then they disappear
		at := filepath.Join(root, "dir", fmt.Sprint("passing-", i%50))
		if i/50%2 == 0 {
			return os.WriteFile(at, nil, 0o644)
		}
		return os.Remove(at)
	})
	defer stop()
	for range 2000 {
		if entries, err := d.List("dir"); err != nil || len(entries) < 2 {
			t.Fatalf("%+v, %v", entries, err)
		}
	}
}
