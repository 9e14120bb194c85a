// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

const (
	// maxWritten is how large a written file may be.
	maxWritten = 8 << 20
	// maxPath is how long a path may be: the limit of Linux.
	maxPath = 4096
	// maxEntries is how many entries of a directory a result has.
	maxEntries = 1000
)

func fileTools() []definition {
	return []definition{
		{
			name: "write_file", title: "Write a file", changes: true, destroys: true,
			description: "Create or replace a file in a sandbox. Missing directories are created.",
			add: tool((*request).write, func(_ *Server, schema *jsonschema.Schema) {
				oneOf(schema, "encoding", []string{encodingText, encodingBase64})
			}),
		},
		{
			name: toolReadFile, title: "Read a file",
			description: "Read a file of a sandbox, or a part of it.",
			add:         tool((*request).read, func(_ *Server, schema *jsonschema.Schema) { limitPart(schema) }),
		},
		{
			name: "list_files", title: "List a directory",
			description: "List the entries of a directory in a sandbox.",
			add:         tool((*request).listFiles, nil),
		},
		{
			name: "search_files", title: "Search files",
			description: "Find files in a sandbox by name, by content, or both. It leaves out .git, /proc, /sys and /dev.",
			add: tool((*request).search, func(_ *Server, schema *jsonschema.Schema) {
				between(schema, "max", 1, maxMatches)
				property(schema, "max").Description += fmt.Sprintf("; by default %d", defaultMatches)
			}),
		},
	}
}

type writing struct {
	targeted

	Path     string `json:"path" jsonschema:"path of the file in the sandbox"`
	Content  string `json:"content" jsonschema:"the whole content"`
	Encoding string `json:"encoding,omitempty" jsonschema:"how the content is encoded; by default utf-8"`
}

type written struct {
	Sandbox string `json:"sandbox" jsonschema:"name of the sandbox"`
	Path    string `json:"path" jsonschema:"path of the file"`
	Bytes   int    `json:"bytes" jsonschema:"how many bytes it has"`
	Note    string `json:"note,omitempty" jsonschema:"what else to know"`
}

func (r *request) write(ctx context.Context, in writing) (written, error) {
	path, err := remotePath("path", in.Path)
	if err != nil {
		return written{}, err
	}
	bytes := []byte(in.Content)
	if in.Encoding == encodingBase64 {
		if bytes, err = base64.StdEncoding.DecodeString(in.Content); err != nil {
			return written{}, fmt.Errorf("the content is not base64: %w", err)
		}
	}
	if len(bytes) > maxWritten {
		return written{}, fmt.Errorf("the content has %d bytes, at most %d are possible", len(bytes), maxWritten)
	}
	e, err := r.server.table.find(in.Sandbox)
	if err != nil {
		return written{}, err
	}
	box, err := r.server.box(ctx, e)
	if err == nil {
		err = box.Write(ctx, path, bytes)
	}
	if err != nil {
		return written{}, err
	}
	return written{
		Sandbox: e.ref.Name, Path: printable.Line(in.Path), Bytes: len(bytes), Note: r.server.expiryNote(e),
	}, nil
}

type reading struct {
	targeted
	part

	Path string `json:"path" jsonschema:"path of the file in the sandbox"`
}

func (r *request) read(ctx context.Context, in reading) (content, error) {
	e, err := r.server.table.find(in.Sandbox)
	if err != nil {
		return content{}, err
	}
	offset, limit := in.bounds()
	bytes, err := r.readPart(ctx, e, in.Path, offset, limit+1)
	if err != nil {
		return content{}, err
	}
	result := contentOf(bytes, limit)
	result.Offset, result.Note = offset, r.server.expiryNote(e)
	return result, nil
}

// readPart returns a part of a file. It stops reading when it has it.
func (r *request) readPart(ctx context.Context, e *entry, path string, offset int64, limit int) ([]byte, error) {
	path, err := remotePath("path", path)
	if err != nil {
		return nil, err
	}
	box, err := r.server.box(ctx, e)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, defaultCommandTime, errTimeOver) // a pipe may have no end
	defer cancel()
	out := &window{skip: offset, limit: limit, full: cancel}
	var said tail
	code, err := box.Exec(limited, stream.Process{Command: []string{"cat", path}, Stdout: out, Stderr: &said, Bulk: true})
	switch {
	case out.isFull():
		return out.content, nil
	case stream.Missing(err):
		return nil, errors.New("the image has no cat, which reading a file needs")
	case err == nil && code != 0:
		return nil, fmt.Errorf("cat ended with exit code %d: %s", code, said.line())
	}
	return out.content, err
}

// window keeps a part of what is written to it.
type window struct {
	skip    int64
	limit   int
	full    func()
	content []byte
}

func (w *window) isFull() bool { return len(w.content) >= w.limit }

// Write implements io.Writer.
func (w *window) Write(p []byte) (int, error) {
	n := len(p)
	if w.skip >= int64(n) {
		w.skip -= int64(n)
		return n, nil
	}
	p, w.skip = p[w.skip:], 0
	w.content = append(w.content, p[:min(len(p), w.limit-len(w.content))]...)
	if w.isFull() {
		w.full()
		return n, io.ErrShortWrite
	}
	return n, nil
}

// maxTail is how much of a standard error is kept for an error message.
const maxTail = 2000

// tail keeps the end of a standard error.
type tail struct{ bytes []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.bytes = append(t.bytes, p...)
	if over := len(t.bytes) - maxTail; over > 0 {
		t.bytes = append(t.bytes[:0], t.bytes[over:]...)
	}
	return len(p), nil
}

func (t *tail) line() string { return printable.Line(strings.TrimSpace(string(t.bytes))) }

type directory struct {
	targeted

	Path string `json:"path" jsonschema:"path of the directory in the sandbox"`
}

type entryOf struct {
	Name     string `json:"name"`
	Type     string `json:"type" jsonschema:"file, directory, link or other"`
	Size     int64  `json:"size" jsonschema:"in bytes"`
	Modified string `json:"modified"`
}

type entries struct {
	Entries []entryOf `json:"entries" jsonschema:"sorted by name; control characters of names are shown as escapes"`
	// Omitted is how many entries are missing at the end.
	Omitted int    `json:"omitted,omitempty" jsonschema:"how many more there are"`
	Note    string `json:"note,omitempty" jsonschema:"what else to know"`
}

func (r *request) listFiles(ctx context.Context, in directory) (entries, error) {
	path, err := remotePath("path", in.Path)
	if err != nil {
		return entries{}, err
	}
	e, err := r.server.table.find(in.Sandbox)
	if err != nil {
		return entries{}, err
	}
	box, err := r.server.box(ctx, e)
	if err != nil {
		return entries{}, err
	}
	all, err := box.List(ctx, path)
	if err != nil {
		return entries{}, err
	}
	result := entries{Entries: []entryOf{}, Note: r.server.expiryNote(e), Omitted: max(len(all)-maxEntries, 0)}
	for _, one := range all[:len(all)-result.Omitted] {
		kind := "other"
		switch mode := one.Mode; {
		case mode.IsRegular():
			kind = "file"
		case mode.IsDir():
			kind = "directory"
		case mode.Type() == linkType:
			kind = "link"
		}
		result.Entries = append(result.Entries, entryOf{
			Name: printable.Line(one.Name), Type: kind, Size: one.Size, Modified: one.Modified.UTC().Format(time.RFC3339),
		})
	}
	return result, nil
}
