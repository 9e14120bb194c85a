// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"io"
	"io/fs"
	"slices"
	"time"
)

// entry is one file of an archive. It has no owner, group or other property that differs between machines.
type entry struct {
	name string
	mode fs.FileMode
	data []byte
}

func sorted(entries []entry) []entry {
	return slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.name, b.name) })
}

// writeTarGz writes the same bytes for the same entries and time.
func writeTarGz(to io.Writer, entries []entry, modified time.Time) error {
	compressed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, e := range sorted(entries) {
		header := &tar.Header{
			Name: e.name, Mode: int64(e.mode.Perm()), Size: int64(len(e.data)), ModTime: modified.UTC().Truncate(time.Second),
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.data); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

// writeZip writes the same bytes for the same entries and time.
func writeZip(to io.Writer, entries []entry, modified time.Time) error {
	archive := zip.NewWriter(to)
	for _, e := range sorted(entries) {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: modified.UTC().Truncate(2 * time.Second)}
		header.SetMode(e.mode)
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(e.data); err != nil {
			return err
		}
	}
	return archive.Close()
}
