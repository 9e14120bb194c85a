// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// TestOurImagesHaveNothingToRunButTheirProgram reads the images that run.sh built and loaded: no shell, no interpreter,
// no package manager.
func TestOurImagesHaveNothingToRunButTheirProgram(t *testing.T) {
	t.Parallel()
	built := filepath.Dir(harness.RequireEnv("E2E_PLUGIN"))
	for archive, program := range map[string]string{
		"operator.tar": "agent-sandbox-controller", "router.tar": "sandbox-router", "runtime.tar": "sandbox-runtime",
	} {
		data, err := os.ReadFile(filepath.Join(built, archive))
		if err != nil {
			t.Fatal(err)
		}
		var names, programs []string
		for _, layer := range layersOf(t, data) {
			for _, file := range entriesOf(t, layer) {
				names = append(names, file.header.Name)
				if file.header.Typeflag == tar.TypeReg && file.header.Mode&0o111 != 0 {
					programs = append(programs, file.header.Name)
				}
			}
		}
		want := []string{program, "etc/", "etc/passwd", "tmp/"}
		slices.Sort(names)
		slices.Sort(want)
		if !slices.Equal(programs, []string{program}) || !slices.Equal(names, want) {
			t.Errorf("%s has the programs %q among %q", archive, programs, names)
		}
	}
}

type archived struct {
	header *tar.Header
	data   []byte
}

func entriesOf(t *testing.T, data []byte) []archived {
	t.Helper()
	var all []archived
	for reader := tar.NewReader(bytes.NewReader(data)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, archived{header, content})
	}
}

// layersOf returns the layers of an image, as `docker save` writes it.
func layersOf(t *testing.T, image []byte) [][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, file := range entriesOf(t, image) {
		files[file.header.Name] = file.data
	}
	var manifest []struct{ Layers []string }
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || len(manifest) != 1 {
		t.Fatalf("manifest.json: %v, %s", err, files["manifest.json"])
	}
	var layers [][]byte
	for _, name := range manifest[0].Layers {
		layer := files[name]
		if unpacked, err := gzip.NewReader(bytes.NewReader(layer)); err == nil {
			if layer, err = io.ReadAll(unpacked); err != nil {
				t.Fatal(err)
			}
		}
		layers = append(layers, layer)
	}
	return layers
}
