// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// heavy is the content of a file that is large enough to be summed with Python.
func heavy() []byte {
	content := make([]byte, 33<<20+7)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(content) // it never fails
	return content
}

// A large file is summed in another way if the image has Python; its content does not matter.
func TestALargeFileIsTheSameThereAndBack(t *testing.T) {
	t.Parallel()
	m := start(t, everything())
	content := heavy()
	must(t, os.WriteFile(filepath.Join(m.local, "large"), content, 0o640))
	must(t, m.Upload(t.Context(), filepath.Join(m.local, "large"), m.remote+"/large"))
	must(t, m.Download(t.Context(), m.remote+"/large", filepath.Join(m.local, "back")))
	for _, name := range []string{filepath.Join(m.remote, "large"), filepath.Join(m.local, "back")} {
		got, err := os.ReadFile(name)
		must(t, err)
		if !bytes.Equal(got, content) {
			t.Errorf("%s is another: %d bytes of %d", name, len(got), len(content))
		}
	}
	if len(m.warnings) > 0 {
		t.Errorf("warnings: %q", m.warnings)
	}
}
