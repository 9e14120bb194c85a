// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxSpool is how much of the outputs of a session is kept in files.
const maxSpool = 256 << 20

// spool keeps outputs in files of a directory that it creates when it is needed. Beyond its limit, it removes the
// oldest outputs.
type spool struct {
	limit int64

	mu        sync.Mutex
	directory string // empty until it is needed
	closed    bool
	files     []*spooled // oldest first
	size      int64
	count     int
}

// capture returns a capture of one output.
func (s *spool) capture(p *progress) *capture { return &capture{spool: s, progress: p} }

// create creates the file of an output. If that is not possible, the output has no file.
func (s *spool) create() *spooled {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	f := &spooled{spool: s, name: fmt.Sprintf("output-%d", s.count), open: true}
	if s.closed {
		return f
	}
	if s.directory == "" {
		directory, err := os.MkdirTemp("", "kubectl-sandbox-mcp-")
		if err != nil {
			return f
		}
		s.directory = directory
	}
	file, err := os.OpenFile(s.path(f.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return f
	}
	f.file = file
	s.files = append(s.files, f)
	return f
}

func (s *spool) path(name string) string { return filepath.Join(s.directory, name) }

// reserve makes room for more of an output. It returns false if there is none: then the rest of the output is lost.
func (s *spool) reserve(f *spooled, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.size+n > s.limit {
		at := slices.IndexFunc(s.files, func(other *spooled) bool { return !other.open })
		if at < 0 {
			return false
		}
		s.drop(at)
	}
	if !slices.Contains(s.files, f) {
		return false
	}
	s.size, f.size = s.size+n, f.size+n
	return true
}

func (s *spool) drop(at int) {
	f := s.files[at]
	_ = os.Remove(s.path(f.name)) // the directory is removed at the end
	s.size -= f.size
	s.files = slices.Delete(s.files, at, at+1)
}

// finish marks an output as complete, so that it may be removed for others.
func (s *spool) finish(f *spooled) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.open = false
	if slices.Contains(s.files, f) {
		return f.name
	}
	return ""
}

// remove removes all outputs.
func (s *spool) remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.directory != "" {
		_ = os.RemoveAll(s.directory) // it is a temporary directory
	}
	s.files = nil
}

var errNoOutput = errors.New("there is no such output: only long ones are kept, and the oldest are removed")

// read returns a part of an output, and how long the whole is.
func (s *spool) read(name string, offset int64, limit int) (content []byte, size int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.files, func(f *spooled) bool { return f.name == name })
	if at < 0 {
		return nil, 0, errNoOutput
	}
	in, err := os.Open(s.path(name))
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	content = make([]byte, limit)
	n, err := in.ReadAt(content, offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return content[:n], s.files[at].size, err
}

// part says which part of a text to return.
type part struct {
	Offset int64 `json:"offset,omitempty" jsonschema:"how many bytes to skip"`
	Limit  int   `json:"limit,omitempty" jsonschema:"how many bytes to return"`
}

const (
	// defaultPart and maxPart are how many bytes of a file or an output one result has.
	defaultPart = 32 << 10
	maxPart     = 1 << 20
	// maxOffset is how far from its beginning a file can be read.
	maxOffset = 1 << 40
)

func limitPart(schema *jsonschema.Schema) {
	between(schema, "offset", 0, maxOffset)
	between(schema, "limit", 1, maxPart)
	property(schema, "limit").Description += fmt.Sprintf("; by default %d", defaultPart)
}

// bounds returns the part within the limits, which the schema has checked too.
func (p part) bounds() (offset int64, limit int) {
	if limit = p.Limit; limit <= 0 {
		limit = defaultPart
	}
	return min(max(p.Offset, 0), maxOffset), min(limit, maxPart)
}

type outputPart struct {
	part

	Output string `json:"output" jsonschema:"the output, as the result of the command names it"`
}

func (r *request) readOutput(_ context.Context, in outputPart) (content, error) {
	offset, limit := in.bounds()
	bytes, size, err := r.server.outputs.read(in.Output, offset, limit+1)
	if err != nil {
		return content{}, err
	}
	result := contentOf(bytes, limit)
	result.Offset, result.Size = offset, &size
	return result, nil
}
