// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func TestExcludedNamesAreLeftOut(t *testing.T) {
	all := []string{
		"a.log", "b.txt", "build/x", "src/a.log", "src/build/y", "src/deep/c?d.txt", "src/deep/cxd.txt", "src/ä.txt",
	}
	tests := map[string]struct{ exclude, want []string }{
		"a name at any depth": {
			[]string{"build"}, []string{"a.log", "b.txt", "src/a.log", "src/deep/c?d.txt", "src/deep/cxd.txt", "src/ä.txt"},
		},
		"a name with a star": {
			[]string{"*.log"}, []string{"b.txt", "build/x", "src/build/y", "src/deep/c?d.txt", "src/deep/cxd.txt", "src/ä.txt"},
		},
		"a path below the directory": {
			[]string{"/build", "src/*.log"},
			[]string{"a.log", "b.txt", "src/build/y", "src/deep/c?d.txt", "src/deep/cxd.txt", "src/ä.txt"},
		},
		"a star matches no slash": {[]string{"src/*.txt"},
			[]string{"a.log", "b.txt", "build/x", "src/a.log", "src/build/y", "src/deep/c?d.txt", "src/deep/cxd.txt"}},
		"a question mark matches one character": {[]string{"c?d.txt", "?.txt"},
			[]string{"a.log", "build/x", "src/a.log", "src/build/y"}},
		"an escaped one only itself": {[]string{`c\?d.txt`, "src/deep/[!a-w]*"}, []string{
			"a.log", "b.txt", "build/x", "src/a.log", "src/build/y", "src/deep/cxd.txt", "src/ä.txt",
		}},
		"only directories": {[]string{"*.log/", "deep/"}, []string{
			"a.log", "b.txt", "build/x", "src/a.log", "src/build/y", "src/ä.txt",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			overImages(t, func(t *testing.T, m *machine) {
				for _, name := range all {
					write(t, filepath.Join(m.local, "src", name), name, 0o644)
					write(t, filepath.Join(m.remote, "src", name), name, 0o644)
				}
				exclude, err := files.ParseExclusions(tt.exclude...)
				must(t, err)
				c := m.with(files.Options{Exclude: exclude})
				must(t, c.Upload(t.Context(), filepath.Join(m.local, "src"), m.remote+"/up"))
				must(t, c.Download(t.Context(), m.remote+"/src", filepath.Join(m.local, "down")))
				must(t, c.Relay(t.Context(), m.remote+"/src", m.Copier, m.remote+"/over"))
				for _, copied := range []string{m.remote + "/up", filepath.Join(m.local, "down"), m.remote + "/over"} {
					if diff := cmp.Diff(tt.want, fileNames(t, copied)); diff != "" {
						t.Errorf("%s: %s", copied, diff)
					}
				}
			})
		})
	}
}

// fileNames returns the names of all files below a directory.
func fileNames(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		must(t, err)
		if entry.Type().IsRegular() {
			name, err := filepath.Rel(root, path)
			must(t, err)
			all = append(all, name)
		}
		return nil
	}))
	return all
}

func TestExclusionsApplyToSeveralSourcesToo(t *testing.T) {
	overImages(t, func(t *testing.T, m *machine) {
		for _, root := range []string{m.local, m.remote} {
			for _, name := range []string{"src/a/x", "src/a/cache/y", "src/b.log", "src/c/cache/z", "src/c/d"} {
				write(t, filepath.Join(root, name), name, 0o644)
			}
		}
		exclude, err := files.ParseExclusions("*.log", "a/cache", "/c/d")
		must(t, err)
		c := m.with(files.Options{Exclude: exclude})
		sources := []string{m.local + "/src/a", m.local + "/src/b.log", m.local + "/src/c"}
		must(t, c.UploadAll(t.Context(), sources, m.remote+"/up"))
		must(t, c.DownloadAll(t.Context(), []string{"src/*"}, filepath.Join(m.local, "down")))
		for _, copied := range []string{m.remote + "/up", filepath.Join(m.local, "down")} {
			if diff := cmp.Diff([]string{"a/x", "c/cache/z"}, fileNames(t, copied)); diff != "" {
				t.Errorf("%s: %s", copied, diff)
			}
		}
	})
}

func TestPatternsThatCannotBeMeantAreRefused(t *testing.T) {
	for pattern, want := range map[string]string{
		"": "everything", "/": "everything", "./": "everything", "**/x": "** is not supported", "../x": "leads out",
		"a/../x": "leads out", "[a": "unfinished",
	} {
		if _, err := files.ParseExclusions("ok", pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", pattern, err, want)
		}
	}
}

// mounting makes it look as if something were mounted below a directory of the sandbox.
func mounting(t *testing.T, m *machine, names ...string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(m.remote)
	must(t, err)
	table := "22 1 0:21 / / rw - overlay overlay rw\n"
	for _, name := range names {
		table += "23 22 0:22 / " + strings.ReplaceAll(root+"/"+name, " ", `\040`) + " rw - tmpfs tmpfs rw\n"
	}
	saved, inner := saved(t, []byte(table)), m.server.Exec
	m.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
		for i, word := range p.Command {
			p.Command[i] = strings.ReplaceAll(word, "/proc/self/mountinfo", saved)
		}
		return inner(ctx, p)
	}
}

func TestWhatIsMountedBelowADirectoryIsLeftOut(t *testing.T) {
	overImages(t, func(t *testing.T, m *machine) {
		for _, name := range []string{"src/a", "src/my volume/deep/b", "src/my volume/x", "src/proc/1", "src/mounted file"} {
			write(t, filepath.Join(m.remote, name), name, 0o644)
		}
		must(t, os.Symlink("src", filepath.Join(m.remote, "link")))
		mounting(t, m, "src", "src/my volume", "src/my volume/deep", "src/proc", "src/mounted file", "other")
		for _, source := range []string{"src", "link"} {
			warned := ""
			c := m.with(files.Options{Warn: func(w string) { warned += w + "\n" }})
			must(t, c.Download(t.Context(), source, filepath.Join(m.local, source)))
			must(t, c.Relay(t.Context(), source, m.Copier, "over "+source))
			must(t, c.DownloadAll(t.Context(), []string{source + "/*"}, filepath.Join(m.local, "all of "+source)))
			for _, copied := range []string{filepath.Join(m.local, source), m.remote + "/over " + source} {
				if diff := cmp.Diff([]string{"a", "mounted file"}, fileNames(t, copied)); diff != "" {
					t.Error(diff)
				}
			}
			want := fmt.Sprintf("%[1]s/my volume, %[1]s/proc: left out, because another file system is mounted there; "+
				"--all-filesystems copies it too\n", source)
			if warned != want {
				t.Errorf("warned %q, want %q", warned, want)
			}
		}
		want := []string{"a", "mounted file", "my volume/x", "proc/1"}
		if diff := cmp.Diff(want, fileNames(t, filepath.Join(m.local, "all of src"))); diff != "" {
			t.Errorf("sources that are mount points: %s", diff)
		}
		must(t, m.with(files.Options{AllFilesystems: true}).Download(t.Context(), "src", filepath.Join(m.local, "whole")))
		same(t, filepath.Join(m.remote, "src"), filepath.Join(m.local, "whole"))
	})
}
