// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/utils/clock"
)

// alive is the condition of loops in shell scripts: a test that is killed leaves none behind.
const alive = "kill -0 $PPID"

// running is a server on loopback with a base directory of its own.
type running struct {
	*testing.T

	address, root string
	log           *text
	shutdown      context.CancelFunc
	done          chan error
}

// text is a buffer that goroutines share.
type text struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (o *text) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.Write(data)
}

func (o *text) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.String()
}

// start starts a server. What adjusts it runs before it does.
func start(t *testing.T, adjust ...func(*server)) *running {
	t.Helper()
	r := &running{T: t, root: filepath.Join(t.TempDir(), "root"), log: &text{}, done: make(chan error, 1)}
	if err := os.Mkdir(r.root, 0o755); err != nil {
		t.Fatal(err)
	}
	config := Defaults()
	config.Root, config.KillAfter = r.root, 100*time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	r.shutdown = cancel
	s, err := newServer(ctx, config, slog.New(slog.NewJSONHandler(r.log, nil)), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range adjust {
		one(s)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.address = listener.Addr().String()
	go func() { r.done <- s.serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-r.done; err != nil {
			t.Errorf("the server ends with %v", err)
		}
		_ = s.files.Close()
	})
	return r
}

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) String() string { return fmt.Sprintf("%d %s", a.status, a.body) }

// send sends a request whose path is already escaped.
func (r *running) send(method, path string, header http.Header, body io.Reader) (answer, error) {
	request, err := http.NewRequestWithContext(r.Context(), method, "http://"+r.address+path, body)
	if err != nil {
		return answer{}, err
	}
	maps.Copy(request.Header, header)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(text)}, err
}

func (r *running) must(method, path string, header http.Header, body io.Reader) answer {
	r.Helper()
	got, err := r.send(method, path, header, body)
	if err != nil {
		r.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

func (r *running) get(path string) answer {
	r.Helper()
	return r.must(http.MethodGet, path, nil, nil)
}

// execute runs a command, which has to be answered with 200.
func (r *running) execute(command string) Outcome {
	r.Helper()
	return r.executeWith(Execution{Command: &command})
}

func (r *running) executeWith(wanted Execution) Outcome {
	r.Helper()
	text, err := json.Marshal(wanted)
	if err != nil {
		r.Fatal(err)
	}
	got := r.must(http.MethodPost, "/execute", nil, bytes.NewReader(text))
	var outcome Outcome
	if err := json.Unmarshal([]byte(got.body), &outcome); err != nil || got.status != http.StatusOK {
		r.Fatalf("%s: %v, %v", text, got, err)
	}
	return outcome
}

// form is the body of an upload with one file, and its header.
func form(name, content string) (http.Header, string) {
	var out bytes.Buffer
	writer := multipart.NewWriter(&out)
	part, _ := writer.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf("form-data; name=\"file\"; filename=%q", name)},
	})
	_, _ = io.WriteString(part, content)
	_ = writer.Close()
	return http.Header{"Content-Type": {writer.FormDataContentType()}}, out.String()
}

func (r *running) upload(name, content string) answer {
	r.Helper()
	header, body := form(name, content)
	return r.must(http.MethodPost, "/upload", header, strings.NewReader(body))
}

// file writes a file below the base directory.
func (r *running) file(name, content string) {
	r.Helper()
	if err := os.WriteFile(filepath.Join(r.root, name), []byte(content), 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r *running) content(name string) string {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.root, name))
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

func (r *running) eventually(what string, check func() bool) {
	r.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !check() {
		select {
		case <-deadline:
			r.Fatal("not within 30 s: " + what)
		case <-tick.C:
		}
	}
}

// started waits for the file with which a command says that it runs.
func (r *running) started(file string) {
	r.Helper()
	r.eventually("the file "+file, func() bool { return strings.Contains(r.get("/exists/"+file).body, "true") })
}

// gone reports whether no process has this number, or only a zombie.
func gone(pid string) bool {
	status, err := os.ReadFile("/proc/" + pid + "/stat")
	_, rest, _ := strings.Cut(string(status), ") ")
	return err != nil || strings.HasPrefix(rest, "Z")
}
