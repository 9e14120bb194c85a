// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSlowAndLargeRequestsAreCutOff(t *testing.T) {
	t.Parallel()
	r := start(t, func(s *server) { s.header, s.stall = 500*time.Millisecond, 500*time.Millisecond })
	const get, host = "GET / HTTP/1.1\r\nHost: x\r\n", " HTTP/1.1\r\nHost: x\r\n"
	const nine = host + "Content-Length: 9\r\n\r\n"
	upload := "POST /upload" + host + "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\n\r\n"
	part := disposition + "name=\"file\"; filename=\"f\"\r\n\r\ntext"
	for name, row := range map[string]struct{ sent, want string }{
		"a header that does not end":         {get, ""},
		"a header of a megabyte":             {get + "X: " + strings.Repeat("x", 1<<20), "HTTP/1.1 431 "},
		"a path of a megabyte":               {"GET /" + strings.Repeat("x", 1<<20), "HTTP/1.1 431 "},
		"a body that does not come":          {"POST /execute" + nine, "HTTP/1.1 408 "},
		"a command that does not come":       {"POST /execute/stream" + nine + "{", "HTTP/1.1 408 "},
		"an upload that does not come":       {upload, "HTTP/1.1 408 "},
		"an upload that stops":               {upload + part, "HTTP/1.1 408 "},
		"a body that nobody asked for":       {"POST /" + nine, "HTTP/1.1 405 "},
		"a body for an endpoint that is not": {"POST /x" + nine, "HTTP/1.1 404 "},
		"two lengths": {
			"POST /execute" + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "HTTP/1.1 400 ",
		},
		"no HTTP": {"\x16\x03\x01\x00\xff\xff\r\n\r\n", "HTTP/1.1 400 "},
	} {
		t.Run(name, func(t *testing.T) {
			connection := r.raw("")
			go func() { _, _ = io.WriteString(connection, row.sent) }()
			got, _ := io.ReadAll(connection) // to the end: the server closes it
			if !strings.HasPrefix(string(got), row.want) || row.want == "" && len(got) > 0 {
				t.Errorf("%q", got)
			}
		})
	}
	if entries, err := os.ReadDir(r.root); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

func TestADownloadThatNobodyTakesEnds(t *testing.T) {
	t.Parallel()
	r := start(t, func(s *server) { s.stall = 100 * time.Millisecond })
	r.file("large", "")
	if err := os.Truncate(filepath.Join(r.root, "large"), 1<<30); err != nil {
		t.Fatal(err)
	}
	r.raw("GET /download/large HTTP/1.1\r\nHost: x\r\n\r\n")
	r.eventually("its end", func() bool { return strings.Contains(r.log.String(), `"endpoint":"/download/"`) })
}

// TestCommandsTakeLongerThanClientsMay has a command that runs for longer than a client may be silent.
func TestCommandsTakeLongerThanClientsMay(t *testing.T) {
	t.Parallel()
	r := start(t, func(s *server) { s.stall = time.Second })
	if got := r.execute("sh -c 'sleep 1.5; echo done'"); got.Stdout != "done\n" {
		t.Errorf("%+v", got)
	}
	s := r.open("sh -c 'sleep 1.5; cat'")
	defer func() { _ = s.input.Close() }()
	r.execute("sleep 1.5")
	s.send(Input{Data: []byte("late")})
	if got := s.next(); string(got.Data) != "late" {
		t.Errorf("%+v", got)
	}
	// A write deadline of the request before must not end the next one on the same connection.
	connection := r.raw(post("/execute", `{"command":"true"}`))
	reader := bufio.NewReader(connection)
	for range 2 {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(body), `"exit_code":0`) {
			t.Errorf("%q, %v", body, err)
		}
		_ = response.Body.Close()
		if response.Close {
			break
		}
		if _, err := io.WriteString(connection, post("/execute/stream", `{"command":"sleep 2.5"}`)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMethodsAndEndpointsThatAreNot(t *testing.T) {
	t.Parallel()
	r := start(t)
	for request, want := range map[string]int{
		"GET /execute": 405, "PUT /upload": 405, "DELETE /download/x": 405, "POST /": 405, "POST /list/": 405,
		"GET /x": 404, "GET /download": 404, "GET /executes": 404, "POST /execute/": 404, "POST /execute/stream/": 404,
		"GET //": 404, "GET /upload/x": 404, "POST /upload/": 404,
	} {
		method, path, _ := strings.Cut(request, " ")
		got := r.must(method, path, nil, nil)
		if got.status != want || !strings.HasPrefix(got.body, `{"detail":"`) || want == 405 && got.header.Get("Allow") == "" {
			t.Errorf("%s: %v", request, got)
		}
	}
}

func TestRunRefusesWhatItCannotServe(t *testing.T) {
	t.Parallel()
	busy, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	for name, adjust := range map[string]func(*Config){
		"--root is":              func(c *Config) { c.Root = "" },
		"no such file":           func(c *Config) { c.Root = filepath.Join(t.TempDir(), "nothing") },
		"not a directory":        func(c *Config) { c.Root = "/etc/passwd" },
		"address already in use": func(c *Config) { c.Listen = busy.Addr().String() },
		"missing port":           func(c *Config) { c.Listen = "localhost" },
		"--command-timeout is":   func(c *Config) { c.CommandTimeout = -1 },
		"--kill-after is":        func(c *Config) { c.KillAfter = 0 },
		"--max-output is":        func(c *Config) { c.MaxOutput = 0 },
	} {
		config := Defaults()
		config.Root, config.Listen = t.TempDir(), "127.0.0.1:0"
		adjust(&config)
		if err := Run(t.Context(), config, nil, nil, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
}
