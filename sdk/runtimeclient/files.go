// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package runtimeclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/liveness"
)

// Entry is an entry of a directory.
type Entry struct {
	Name      string
	Size      int64
	Directory bool
	Modified  time.Time
}

// List returns the entries of a directory. Those that are neither files nor directories are left out.
func (c *Client) List(ctx context.Context, path string) ([]Entry, error) {
	var listed []struct {
		Name    string  `json:"name"`
		Size    int64   `json:"size"`
		Type    string  `json:"type"`
		ModTime float64 `json:"mod_time"`
	}
	if err := c.get(ctx, "/list/"+escape(path), &listed); err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(listed))
	for _, one := range listed {
		if one.Type == "file" || one.Type == "directory" {
			entries = append(entries, Entry{
				Name: one.Name, Size: one.Size, Directory: one.Type == "directory",
				Modified: time.UnixMicro(int64(one.ModTime * 1e6)),
			})
		}
	}
	return entries, nil
}

// Exists reports whether a path exists.
func (c *Client) Exists(ctx context.Context, path string) (bool, error) {
	var answer struct {
		Exists bool `json:"exists"`
	}
	err := c.get(ctx, "/exists/"+escape(path), &answer)
	return answer.Exists, err
}

// Upload creates or replaces a file with what content has. It is repeated if content can seek.
func (c *Client) Upload(ctx context.Context, path string, content io.Reader, size int64) error {
	if strings.ContainsFunc(path, unicode.IsControl) {
		return fmt.Errorf("the path %q has control characters, which a runtime does not take", path)
	}
	upload := func(ctx context.Context, pulse *liveness.Pulse) error {
		body, kind, err := form(path, pulse.Reader(content), size)
		if err != nil {
			return err
		}
		response, err := c.send(ctx, http.MethodPost, "/upload", body, http.Header{"Content-Type": {kind}})
		if err != nil {
			return err
		}
		drain(response)
		return nil
	}
	seeker, ok := content.(io.Seeker)
	if !ok {
		return c.once(ctx, upload)
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return fmt.Errorf("seek in the content: %w", err)
	}
	return c.repeat(ctx, func(ctx context.Context, pulse *liveness.Pulse) error {
		if _, err := seeker.Seek(start, io.SeekStart); err != nil {
			return fmt.Errorf("seek in the content: %w", err)
		}
		return upload(ctx, pulse)
	})
}

// sizedBody is a body whose size is known.
type sizedBody struct {
	io.Reader
	size int64
}

// form returns the body of an upload, and its type.
func form(path string, content io.Reader, size int64) (body *sizedBody, kind string, err error) {
	var frame bytes.Buffer
	writer := multipart.NewWriter(&frame)
	if _, err := writer.CreateFormFile("file", path); err != nil {
		return nil, "", err
	}
	head := bytes.Clone(frame.Bytes())
	frame.Reset()
	if err := writer.Close(); err != nil {
		return nil, "", err
	}
	whole := io.MultiReader(bytes.NewReader(head), content, &frame)
	return &sizedBody{whole, int64(len(head)) + size + int64(frame.Len())}, writer.FormDataContentType(), nil
}

// errChanged is the error for a file of which a part was passed on, and which cannot be continued.
var errChanged = errors.New("the connection broke, and the file cannot be continued: it has changed, or the runtime " +
	"knows no parts of files")

// Download writes a file to out, and returns how many bytes. When a connection breaks, it continues where it was, if
// the runtime can do that.
func (c *Client) Download(ctx context.Context, path string, out io.Writer) (int64, error) {
	d := &download{client: c, path: "/download/" + escape(path), out: out}
	err := c.repeat(ctx, d.attempt)
	if d.failed != nil {
		err = fmt.Errorf("write the content: %w", d.failed)
	}
	return d.done, err
}

// download is a download that may take several attempts.
type download struct {
	client *Client
	path   string
	out    io.Writer
	done   int64
	tag    string // of the content that was passed on; empty if it cannot be continued
	failed error  // of out
}

func (d *download) attempt(ctx context.Context, pulse *liveness.Pulse) error {
	headers := http.Header{"Accept-Encoding": {"identity"}} // parts of the file itself
	if d.done > 0 {
		if d.tag == "" {
			return errChanged
		}
		headers.Set("Range", fmt.Sprintf("bytes=%d-", d.done))
		headers.Set("If-Range", d.tag)
	}
	response, err := d.client.send(ctx, http.MethodGet, d.path, nil, headers)
	if err != nil {
		return err
	}
	defer drain(response)
	if d.done > 0 && !continues(response, d.done) {
		return errChanged
	}
	d.tag = ""
	if tag := response.Header.Get("ETag"); strings.HasPrefix(tag, `"`) && response.Header.Get("Accept-Ranges") == "bytes" ||
		response.StatusCode == http.StatusPartialContent {
		d.tag = tag
	}
	_, err = io.Copy(d, pulse.Reader(response.Body))
	if d.failed != nil {
		return errChanged // it is not repeated
	}
	return err
}

// continues reports whether an answer is the rest of a file.
func continues(response *http.Response, from int64) bool {
	text, ok := strings.CutPrefix(response.Header.Get("Content-Range"), "bytes ")
	first, _, _ := strings.Cut(text, "-")
	n, err := strconv.ParseInt(first, 10, 64)
	return ok && err == nil && n == from && response.StatusCode == http.StatusPartialContent
}

// Write implements io.Writer.
func (d *download) Write(b []byte) (int, error) {
	n, err := d.out.Write(b)
	d.done += int64(n)
	d.failed = err
	return n, err
}
