// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/runtime/workspace"
)

func TestFilesGoInAndOut(t *testing.T) {
	t.Parallel()
	r := start(t)
	content := strings.Repeat("\x00\xff content", 100_000)
	if got := r.upload("a/b c.bin", content); got.status != http.StatusOK ||
		got.body != fmt.Sprintf("{\"path\":\"a/b c.bin\",\"size\":%d}\n", len(content)) {
		t.Fatalf("%.200v", got)
	}
	for _, path := range []string{"a/b%20c.bin", "a%2Fb%20c.bin", "%2Fa%2Fb%20c.bin", "/a//b%20c.bin"} {
		got := r.get("/download/" + path)
		if got.status != http.StatusOK || got.body != content ||
			got.header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("%s: %.100v", path, got)
		}
	}
	for _, path := range []string{"/list/a", "/list/a/", "/list/%2Fa"} {
		got := r.get(path)
		if want := fmt.Sprintf(`[{"name":"b c.bin","size":%d,"type":"file","mod_time":`, len(content)); got.status != 200 ||
			!strings.HasPrefix(got.body, want) {
			t.Errorf("%s: %v", path, got)
		}
	}
	for _, path := range []string{"/list/", "/list/.", "/list/%2F"} {
		if got := r.get(path); got.status != http.StatusOK || !strings.Contains(got.body, `"name":"a"`) ||
			!strings.Contains(got.body, `"type":"directory"`) {
			t.Errorf("%s: %v", path, got)
		}
	}
	if got := r.get("/exists/a%2Fb%20c.bin"); got.body != "{\"path\":\"a/b c.bin\",\"exists\":true}\n" {
		t.Errorf("%v", got)
	}
	if got := r.get("/exists/nothing"); got.body != "{\"path\":\"nothing\",\"exists\":false}\n" {
		t.Errorf("%v", got)
	}
	if err := os.Mkdir(filepath.Join(r.root, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := r.get("/list/empty"); got.body != "[]\n" {
		t.Errorf("%v", got)
	}
}

func TestTimesOfFilesAreSecondsWithAFraction(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.file("file", "")
	at := time.Unix(1234567890, 500_000_000)
	if err := os.Chtimes(filepath.Join(r.root, "file"), at, at); err != nil {
		t.Fatal(err)
	}
	if got := r.get("/list/."); !strings.Contains(got.body, `"mod_time":1234567890.5}`) {
		t.Errorf("%v", got)
	}
}

func TestWhatLeadsOutOfTheBaseDirectoryIsForbidden(t *testing.T) {
	t.Parallel()
	r := start(t)
	if err := os.WriteFile(filepath.Join(r.root, "..", "secret"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(r.root, "up")); err != nil {
		t.Fatal(err)
	}
	for _, endpoint := range []string{"/download/", "/list/", "/exists/"} {
		for _, path := range []string{
			"../secret", "%2e%2e/secret", "%2e%2e%2fsecret", "..%2Fsecret", "a/../../secret", "./../secret", "up/secret", "up",
			"%2F..%2Fsecret", "..", "/../secret", "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
		} {
			request := "GET " + endpoint + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
			got, err := io.ReadAll(r.raw(request))
			if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 403 ") || strings.Contains(string(got), "secret\n") {
				t.Errorf("%s%s: %q, %v", endpoint, path, got, err)
			}
		}
		// a name that only looks escaped
		if got := r.get(endpoint + "%252e%252e%252fsecret"); got.status == http.StatusForbidden || got.status >= 500 {
			t.Errorf("%v", got)
		}
	}
	for _, name := range []string{"../secret", "up/secret", "a/../../secret", "/../secret"} {
		if got := r.upload(name, "planted"); got.status != http.StatusForbidden {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got, err := os.ReadFile(filepath.Join(r.root, "..", "secret")); err != nil || string(got) != "secret" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestPartsOfAFile(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.file("file", "0123456789")
	whole := r.get("/download/file")
	for part, want := range map[string]string{
		"bytes=0-0": "0", "bytes=7-": "789", "bytes=-2": "89", "bytes=5-100": "56789",
	} {
		got := r.must(http.MethodGet, "/download/file", http.Header{"Range": {part}}, nil)
		if got.status != http.StatusPartialContent || got.body != want {
			t.Errorf("%s: %v", part, got)
		}
	}
	resume := http.Header{"Range": {"bytes=5-"}, "If-Range": {whole.header.Get("ETag")}}
	if got := r.must(http.MethodGet, "/download/file", resume, nil); got.body != "56789" {
		t.Errorf("%v", got)
	}
	r.file("file", "abcdefghijk")
	if got := r.must(http.MethodGet, "/download/file", resume, nil); got.body != "abcdefghijk" {
		t.Errorf("a part of another file: %v", got)
	}
	got := r.must(http.MethodHead, "/download/file", nil, nil)
	if got.header.Get("Content-Length") != "11" || got.body != "" {
		t.Errorf("%v, %v", got, got.header)
	}
}

func TestAnUploadIsSeenWhenItIsComplete(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.file("file", "old")
	read, write := io.Pipe()
	form := multipart.NewWriter(write)
	done := make(chan answer, 1)
	go func() {
		got, err := r.send(http.MethodPost, "/upload", http.Header{"Content-Type": {form.FormDataContentType()}}, read)
		if err != nil {
			t.Error(err)
		}
		done <- got
	}()
	part, err := form.CreateFormFile("file", "file")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, strings.Repeat("new", 100_000)); err != nil {
		t.Fatal(err)
	}
	r.eventually("its first bytes", func() bool { return strings.Contains(r.get("/list/.").body, workspace.Partial) })
	if got := r.get("/download/file"); got.body != "old" {
		t.Errorf("%.100v", got)
	}
	if err := errors.Join(form.Close(), write.Close()); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.status != http.StatusOK {
		t.Errorf("%v", got)
	}
	if got := r.content("file"); got != strings.Repeat("new", 100_000) {
		t.Errorf("%d bytes", len(got))
	}
}

// disposition is the beginning of a part of an upload. The boundary is b.
const disposition = "--b\r\nContent-Disposition: form-data; "

// malformed are bodies of uploads.
var malformed = map[string]string{
	"nothing":                  "",
	"no end":                   disposition + "name=\"file\"; filename=\"f\"\r\n\r\ntext",
	"an end without its dash":  disposition + "name=\"file\"; filename=\"f\"\r\n\r\ntext\r\n--b",
	"no part":                  "--b--\r\n",
	"another boundary":         "--c\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n\r\n--c--",
	"another name":             disposition + "name=\"other\"; filename=\"f\"\r\n\r\ntext\r\n--b--\r\n",
	"no filename":              disposition + "name=\"file\"\r\n\r\ntext\r\n--b--\r\n",
	"an empty filename":        disposition + "name=\"file\"; filename=\"\"\r\n\r\ntext\r\n--b--\r\n",
	"a header that is no such": "--b\r\n\x00\xff\r\n\r\ntext\r\n--b--\r\n",
	"a name with a NUL":        disposition + "name=\"file\"; filename*=UTF-8''a%00b\r\n\r\ntext\r\n--b--\r\n",
	"two files": strings.Repeat(disposition+"name=\"file\"; filename=\"f\"\r\n\r\ntext\r\n", 2) +
		"--b--\r\n",
}

func TestOfAMalformedUploadNothingIsLeft(t *testing.T) {
	t.Parallel()
	r := start(t)
	for name, body := range malformed {
		header := http.Header{"Content-Type": {"multipart/form-data; boundary=b"}}
		if got := r.must(http.MethodPost, "/upload", header, strings.NewReader(body)); got.status != http.StatusBadRequest {
			t.Errorf("%s: %v", name, got)
		}
	}
	long := "multipart/form-data; boundary=" + strings.Repeat("b", 100)
	for _, kind := range []string{"", "text/plain", "multipart/form-data", long} {
		header := http.Header{"Content-Type": {kind}}
		if got := r.must(http.MethodPost, "/upload", header, strings.NewReader("text")); got.status != http.StatusBadRequest {
			t.Errorf("%q: %v", kind, got)
		}
	}
	_, body := form("file", strings.Repeat("x", 1_000_000))
	connection := r.raw(fmt.Sprintf("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n"+
		"Content-Type: multipart/form-data; boundary=%s\r\n\r\n%s", len(body), body[2:strings.Index(body, "\r")],
		body[:500_000]))
	r.eventually("the first bytes", func() bool { return strings.Contains(r.get("/list/.").body, workspace.Partial) })
	_ = connection.Close()
	r.eventually("the end", func() bool { return r.get("/list/.").body == "[]\n" })
}

func TestOtherPartsOfAnUploadAreIgnored(t *testing.T) {
	t.Parallel()
	r := start(t)
	other := disposition + "name=\"other\"\r\n\r\ntext\r\n"
	body := other + disposition + "name=\"file\"; filename*=UTF-8''%C3%A4\r\n\r\nx\r\n" + other + "--b--\r\n"
	header := http.Header{"Content-Type": {"multipart/form-data; boundary=b"}}
	if got := r.must(http.MethodPost, "/upload", header, strings.NewReader(body)); got.status != http.StatusOK ||
		r.content("ä") != "x" {
		t.Errorf("%v", got)
	}
}

func FuzzUpload(f *testing.F) {
	for _, body := range malformed {
		f.Add([]byte(body))
	}
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=file; filename=../x\r\n\r\n\r\n--b--"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := start(t)
		header := http.Header{"Content-Type": {"multipart/form-data; boundary=b"}}
		got := r.must(http.MethodPost, "/upload", header, bytes.NewReader(body))
		if got.status >= http.StatusInternalServerError || strings.Contains(r.get("/list/.").body, workspace.Partial) {
			t.Errorf("%q: %v", body, got)
		}
		if outside, err := os.ReadDir(filepath.Dir(r.root)); err != nil || len(outside) != 1 {
			t.Errorf("%q: %v, %v", body, outside, err)
		}
	})
}

func TestTheStatusOfErrors(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		err  error
		want int
	}{
		{&os.PathError{Err: syscall.ENOSPC}, 507}, {&os.PathError{Err: syscall.EDQUOT}, 507},
		{&os.PathError{Err: syscall.EACCES}, 403}, {&os.PathError{Err: syscall.EROFS}, 403},
		{&os.PathError{Err: syscall.ENOENT}, 404}, {&os.PathError{Err: syscall.ENOTDIR}, 404},
		{&os.PathError{Err: syscall.ELOOP}, 400}, {&os.PathError{Err: syscall.EIO}, 500},
		{received(os.ErrDeadlineExceeded), 408}, {received(io.ErrUnexpectedEOF), 400}, {errTooLarge, 413},
	} {
		if got := statusOf(fmt.Errorf("x: %w", row.err)); got != row.want {
			t.Errorf("%v: %d, want %d", row.err, got, row.want)
		}
	}
}
