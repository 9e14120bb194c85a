// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package images makes the container images of tests without a registry, as archives that the container runtime
// imports.
//
// Invariants: the same input gives the same bytes; every name is below localhost/, so that no image is pulled by
// mistake.
package images

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/compression"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Tags of the images that are available to every cluster.
const (
	PauseTag  = "localhost/pause:3.10"
	ShellTag  = "localhost/sandbox-shell:v1"
	PythonTag = "localhost/sandbox-python:v1"
)

// entry is a directory, a regular file or a link in an image.
type entry struct {
	kind byte // as in archive/tar
	mode int64
	link string
	data []byte
}

// tree is the content of an image. Its keys are paths without a leading slash.
type tree map[string]entry

func (t tree) dir(at string, mode int64) { t[at] = entry{kind: tar.TypeDir, mode: mode} }

func (t tree) file(at string, mode int64, data []byte) {
	t[at] = entry{kind: tar.TypeReg, mode: mode, data: data}
}

func (t tree) symlink(at, target string) {
	t[at] = entry{kind: tar.TypeSymlink, mode: 0o777, link: target}
}

// layer returns the tree as a sorted tar archive with all parent directories. Files are owned by root and have no
// times.
func (t tree) layer() ([]byte, error) {
	for at := range t {
		for dir := path.Dir(at); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if _, ok := t[dir]; !ok {
				t.dir(dir, 0o755)
			}
		}
	}
	names := make([]string, 0, len(t))
	for at := range t {
		names = append(names, at)
	}
	slices.Sort(names)
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, at := range names {
		one := t[at]
		header := &tar.Header{Typeflag: one.kind, Name: at, Mode: one.mode, Linkname: one.link, Size: int64(len(one.data)),
			ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
		if one.kind == tar.TypeDir {
			header.Name += "/"
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		if _, err := w.Write(one.data); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	return out.Bytes(), w.Close()
}

// save writes an image with one layer as an archive, atomically. It fails for a tag that is not below localhost/.
func save(tag string, content tree, config v1.Config, out string) error {
	if !strings.HasPrefix(tag, "localhost/") {
		return fmt.Errorf("image name %q: it must begin with localhost/, so that no registry is asked for it", tag)
	}
	ref, err := name.NewTag(tag, name.StrictValidation)
	if err != nil {
		return fmt.Errorf("image name %q: %w", tag, err)
	}
	data, err := content.layer()
	if err != nil {
		return fmt.Errorf("lay out %s: %w", tag, err)
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}, tarball.WithCompression(compression.GZip), tarball.WithCompressionLevel(1))
	if err != nil {
		return fmt.Errorf("compress %s: %w", tag, err)
	}
	image, err := assemble(layer, config)
	if err != nil {
		return fmt.Errorf("assemble %s: %w", tag, err)
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	if err := tarball.WriteToFile(out+".new", ref, image); err != nil {
		return fmt.Errorf("write %s: %w", out, err)
	}
	return os.Rename(out+".new", out)
}

func assemble(layer v1.Layer, config v1.Config) (v1.Image, error) {
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.Architecture, file.OS = architecture(), "linux"
	file.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	file.Config = config
	return mutate.ConfigFile(image, file)
}
