// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/runtime/workspace"
)

func (s *server) download(w http.ResponseWriter, r *http.Request, path string) {
	file, info, err := s.files.Open(path)
	if err != nil {
		fail(w, err)
		return
	}
	defer func() { _ = file.Close() }()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprintf("%x-%x", info.ModTime().UnixNano(), info.Size())))
	http.ServeContent(w, r, "", info.ModTime(), file)
}

func (s *server) list(w http.ResponseWriter, _ *http.Request, path string) {
	entries, err := s.files.List(path)
	if err != nil {
		fail(w, err)
		return
	}
	listed := make([]Listed, len(entries))
	for i, one := range entries {
		listed[i] = Listed{
			Name: one.Name, Size: one.Size, Type: "file", ModTime: float64(one.Modified.UnixNano()) / float64(time.Second),
		}
		if one.Directory {
			listed[i].Type = "directory"
		}
	}
	reply(w, http.StatusOK, listed)
}

func (s *server) exists(w http.ResponseWriter, _ *http.Request, path string) {
	found, err := s.files.Exists(path)
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, http.StatusOK, Existence{Path: path, Exists: found})
}

// upload stores the part named file. Nothing is left of a request that is refused or breaks off.
func (s *server) upload(w http.ResponseWriter, r *http.Request, _ string) {
	r.Body = io.NopCloser(s.body(w, r))
	parts, err := r.MultipartReader()
	if err != nil {
		fail(w, fmt.Errorf("%w: %w", errMalformed, err))
		return
	}
	var upload *workspace.Upload
	defer func() {
		if upload != nil {
			upload.Discard()
		}
	}()
	var answer Uploaded
	for {
		part, err := parts.NextPart()
		if err == io.EOF { //nolint:errorlint // a body without its end is a wrapped io.EOF
			break
		}
		if err != nil {
			fail(w, received(err))
			return
		}
		if part.FormName() != "file" {
			continue
		}
		if upload != nil {
			fail(w, fmt.Errorf("%w: it has two parts named file", errMalformed))
			return
		}
		if upload, answer, err = s.store(part); err != nil {
			fail(w, err)
			return
		}
	}
	if upload == nil {
		fail(w, fmt.Errorf("%w: it has no part named file", errMalformed))
		return
	}
	if err := upload.Commit(); err != nil {
		fail(w, err)
		return
	}
	reply(w, http.StatusOK, answer)
}

// store writes a part to the disk. The caller discards the upload, if there is one.
func (s *server) store(part *multipart.Part) (*workspace.Upload, Uploaded, error) {
	// The method FileName would drop the directories.
	_, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil || parameters["filename"] == "" {
		return nil, Uploaded{}, fmt.Errorf("%w: the part named file has no filename", errMalformed)
	}
	answer := Uploaded{Path: parameters["filename"]}
	upload, err := s.files.Create(answer.Path)
	if err != nil {
		return nil, Uploaded{}, err
	}
	source := &checked{source: part}
	answer.Size, err = io.Copy(upload, source)
	if source.err != nil {
		err = received(source.err)
	}
	return upload, answer, err
}

// checked tells an error of the request from one of the disk.
type checked struct {
	source io.Reader
	err    error
}

func (c *checked) Read(into []byte) (int, error) {
	count, err := c.source.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return count, err
}
