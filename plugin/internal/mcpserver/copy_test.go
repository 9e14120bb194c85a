// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/mcpserver"
)

func TestCopiesStayInTheDirectoryOfTheUser(t *testing.T) {
	w := newWorld(t)
	local, other := t.TempDir(), t.TempDir()
	s := w.start(t, mcpserver.Options{LocalDir: local})
	s.newBox()
	write := func(path, content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) string {
		t.Helper()
		content, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return string(content)
	}
	write(filepath.Join(local, "in.txt"), "from here")
	write(filepath.Join(other, "secret"), "secret")
	s.must("upload_file", map[string]any{"local_path": "in.txt", "path": w.dir + "/in.txt"})
	if got := read(filepath.Join(w.dir, "in.txt")); got != "from here" {
		t.Errorf("got %q", got)
	}
	w.write(t, "out.txt", "from there")
	s.must("download_file", map[string]any{"path": w.dir + "/out.txt", "local_path": filepath.Join(local, "sub/out.txt")})
	if got := read(filepath.Join(local, "sub/out.txt")); got != "from there" {
		t.Errorf("got %q", got)
	}
	s.refused("download_file", map[string]any{"path": w.dir + "/out.txt", "local_path": "in.txt"}, "overwrite")
	s.must("download_file", map[string]any{"path": w.dir + "/out.txt", "local_path": "in.txt", "overwrite": true})
	if got := read(filepath.Join(local, "in.txt")); got != "from there" {
		t.Errorf("got %q", got)
	}

	// A tree from the sandbox has links that lead outside.
	if err := os.MkdirAll(filepath.Join(w.dir, "tree"), 0o750); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"dir": other, "file": filepath.Join(other, "secret"), "new": other + "/new"} {
		if err := os.Symlink(to, filepath.Join(w.dir, "tree", name)); err != nil {
			t.Fatal(err)
		}
	}
	s.must("download_file", map[string]any{"path": w.dir + "/tree", "local_path": "tree"})
	for _, path := range []string{"tree/dir/secret", "tree/file", "tree/new", "tree/dir"} {
		s.refused("upload_file", map[string]any{"local_path": path, "path": w.dir + "/stolen"}, "local path")
		s.refused("download_file", map[string]any{
			"path": w.dir + "/out.txt", "local_path": path, "overwrite": true,
		}, "local path")
	}
	s.refused("download_file", map[string]any{"path": w.dir + "/out.txt", "local_path": "tree/dir/planted"}, "outside")
	left, err := os.ReadDir(other)
	if err != nil || len(left) != 1 || read(filepath.Join(other, "secret")) != "secret" {
		t.Errorf("%v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "stolen")); err == nil {
		t.Error("a file from outside is in the sandbox")
	}
}
