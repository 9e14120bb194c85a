// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"archive/tar"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPatternsMatchNamesAndExecuteNothing(t *testing.T) {
	m := start(t, everything())
	for _, name := range []string{"a.log", "b.log", "with space.log", "$(touch pwned).log", "[x].txt", "sub/c.log"} {
		write(t, filepath.Join(m.remote, name), name, 0o644)
	}
	tests := map[string]struct {
		pattern string
		want    []string
	}{
		"a star":                              {"*.log", []string{"$(touch pwned).log", "a.log", "b.log", "with space.log"}},
		"a question mark":                     {"?.log", []string{"a.log", "b.log"}},
		"a set":                               {"[ab].log", []string{"a.log", "b.log"}},
		"in a directory":                      {"*/*.log", []string{"sub/c.log"}},
		"a space splits nothing":              {"with sp*", []string{"with space.log"}},
		"a file of that very name goes first": {"[x].txt", []string{"[x].txt"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := m.Expand(t.Context(), tt.pattern)
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
	for _, none := range []string{"*.none", "$(touch pwned)*.x", "`touch pwned`*"} {
		if got, err := m.Expand(t.Context(), none); err == nil || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(m.remote, "pwned")); err == nil {
		t.Error("a pattern was executed")
	}
}

func TestRelayOfAFile(t *testing.T) {
	m := start(t, everything())
	write(t, filepath.Join(m.remote, "a", "run.sh"), noise(200_000), 0o750)
	must(t, m.Relay(t.Context(), m.remote+"/a/run.sh", m.Copier, m.remote+"/b/"))
	same(t, filepath.Join(m.remote, "a"), filepath.Join(m.remote, "b"))
	if err := m.Relay(t.Context(), m.remote+"/none", m.Copier, m.remote+"/c"); err == nil ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
}

func TestOneSandboxDoesNotWriteWhatItLikesInAnother(t *testing.T) {
	for name, headers := range map[string][]tar.Header{
		"an absolute name":   {{Typeflag: tar.TypeReg, Name: "/tmp/evil"}},
		"a name that climbs": {{Typeflag: tar.TypeReg, Name: "./../evil"}},
		"a file behind a link": {
			{Typeflag: tar.TypeSymlink, Name: "door", Linkname: ".."}, {Typeflag: tar.TypeReg, Name: "door/evil"},
		},
		"a file over a link": {
			{Typeflag: tar.TypeSymlink, Name: "./evil", Linkname: "../secret"}, {Typeflag: tar.TypeReg, Name: "evil"},
		},
		"a hard link to the outside": {{Typeflag: tar.TypeLink, Name: "evil", Linkname: "../secret"}},
		"a hard link through a link": {
			{Typeflag: tar.TypeSymlink, Name: "door", Linkname: ".."},
			{Typeflag: tar.TypeLink, Name: "evil", Linkname: "door/secret"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			hostile := start(t, sending(archiveOf(t, headers...), nil))
			victim := start(t, everything())
			write(t, filepath.Join(victim.remote, "secret"), "secret", 0o600)
			before := tree(t, victim.remote)
			if err := hostile.Relay(t.Context(), hostile.remote, victim.Copier, victim.remote+"/dst"); err == nil {
				t.Error("no error")
			}
			if diff := cmp.Diff(before, tree(t, victim.remote)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
