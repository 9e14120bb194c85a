// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// sending simulates an image whose tar writes this archive.
func sending(archive []byte, status error) func(string) func(context.Context, fakeserver.Process) error {
	return func(directory string) func(context.Context, fakeserver.Process) error {
		local := fakeserver.Local(directory, "test")
		return func(ctx context.Context, p fakeserver.Process) error {
			if p.Command[0] != "tar" {
				return local(ctx, p)
			}
			if _, err := p.Stdout.Write(archive); err != nil {
				return err
			}
			return status
		}
	}
}

func archiveOf(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		content := "evil"
		if h.Typeflag != tar.TypeReg {
			content = ""
		}
		h.Mode, h.Size = 0o644, int64(len(content))
		must(t, w.WriteHeader(&h))
		_, err := io.WriteString(w, content)
		must(t, err)
	}
	must(t, w.Close())
	return out.Bytes()
}

func TestNothingIsWrittenOutsideOfTheDestination(t *testing.T) {
	outside := t.TempDir()
	tests := map[string][]tar.Header{
		"an absolute name":         {{Typeflag: tar.TypeReg, Name: outside + "/evil"}},
		"a name that climbs":       {{Typeflag: tar.TypeReg, Name: "./../evil"}},
		"a name that climbs later": {{Typeflag: tar.TypeReg, Name: "a/../../evil"}},
		"a file behind a link": {
			{Typeflag: tar.TypeSymlink, Name: "door", Linkname: outside}, {Typeflag: tar.TypeReg, Name: "door/evil"},
		},
		"a file behind a relative link": {
			{Typeflag: tar.TypeSymlink, Name: "door", Linkname: ".."}, {Typeflag: tar.TypeReg, Name: "door/evil"},
		},
		"a directory behind a link": {
			{Typeflag: tar.TypeSymlink, Name: "door", Linkname: outside}, {Typeflag: tar.TypeDir, Name: "door/evil"},
		},
		"a hard link to the outside": {{Typeflag: tar.TypeLink, Name: "evil", Linkname: "../secret"}},
		"a directory over a link": {
			{Typeflag: tar.TypeSymlink, Name: "door", Linkname: outside}, {Typeflag: tar.TypeDir, Name: "door"},
		},
	}
	for name, headers := range tests {
		archive := archiveOf(t, headers...)
		for of, exec := range map[string]func(string) func(context.Context, fakeserver.Process) error{
			"an image without a shell": sending(archive, nil),
			"one that sums it":         image(t, map[string]string{"tar": "cat " + saved(t, archive)}),
		} {
			t.Run(name+", of "+of, func(t *testing.T) { writesNothing(t, outside, exec) })
		}
	}
}

// saved is the name of a file with content.
func saved(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "saved")
	must(t, os.WriteFile(name, content, 0o600))
	return name
}

func writesNothing(t *testing.T, outside string, exec func(string) func(context.Context, fakeserver.Process) error) {
	t.Helper()
	m := start(t, exec)
	write(t, filepath.Join(m.local, "secret"), "secret", 0o600)
	before := append(tree(t, outside), fmt.Sprint(os.Stat(outside)))
	if err := m.Download(t.Context(), m.remote, filepath.Join(m.local, "dst")); err == nil {
		t.Error("no error")
	}
	if diff := cmp.Diff(before, append(tree(t, outside), fmt.Sprint(os.Stat(outside)))); diff != "" {
		t.Error(diff)
	}
	for _, line := range tree(t, m.local) {
		if strings.Contains(line, "evil") {
			t.Error(line)
		}
	}
}

func TestTruncatedFileNeverGetsItsName(t *testing.T) {
	whole := archiveOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "./a"})
	m := start(t, sending(whole[:514], nil))
	write(t, m.remote+"/a", "x", 0o644)
	if err := m.Download(t.Context(), m.remote+"/a", filepath.Join(m.local, "a")); err == nil {
		t.Error("no error")
	}
	if left := tree(t, m.local); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFailureAfterTheLastByteIsAFailure(t *testing.T) {
	m := start(t, sending(archiveOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "./a"}), errors.New("killed")))
	write(t, m.remote+"/a", "x", 0o644)
	if err := m.Download(t.Context(), m.remote+"/a", filepath.Join(m.local, "a")); err == nil {
		t.Error("no error")
	}
	if left := tree(t, m.local); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
