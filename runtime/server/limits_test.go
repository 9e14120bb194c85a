// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/clock"
)

// newDefaultServer returns a server with the defaults, on files of its own.
func newDefaultServer(t *testing.T) *server {
	t.Helper()
	config := Defaults()
	config.Root = t.TempDir()
	s, err := newServer(t.Context(), config, slog.New(slog.DiscardHandler), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.files.Close() }) // it is of no use any more
	return s
}

func TestClientsHaveTheirLimitsByDefault(t *testing.T) {
	t.Parallel()
	s := newDefaultServer(t)
	for name, row := range map[string]struct{ is, most time.Duration }{
		"the header of a request":      {s.web().ReadHeaderTimeout, 10 * time.Second},
		"the next bytes of a body":     {s.stall, time.Minute},
		"the next request":             {s.web().IdleTimeout, 2 * time.Minute},
		"the end, within that of Pods": {s.shutdown, 25 * time.Second},
	} {
		if row.is <= 0 || row.is > row.most {
			t.Errorf("%s: %s, want at most %s", name, row.is, row.most)
		}
	}
}

func TestAServerThatStopsDoesNotWaitForRequestsWithoutEnd(t *testing.T) {
	t.Parallel()
	config := Defaults()
	config.Root = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	log := &text{}
	s, err := newServer(ctx, config, slog.New(slog.NewJSONHandler(log, nil)), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.files.Close() }()
	s.shutdown = 50 * time.Millisecond
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, listener) }()
	r := &running{T: t, root: config.Root, address: listener.Addr().String(), log: log}
	r.raw("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n" +
		"Content-Type: multipart/form-data; boundary=b\r\n\r\n" + disposition + "name=\"file\"; filename=\"f\"\r\n\r\ntext")
	r.eventually("the upload", func() bool {
		entries, err := os.ReadDir(r.root)
		return err == nil && len(entries) == 1
	})
	cancel()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "did not end within 50ms") {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it waits")
	}
	r.eventually("nothing is left", func() bool {
		entries, err := os.ReadDir(r.root)
		return err == nil && len(entries) == 0
	})
}

func TestACopyThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	source, target := t.TempDir(), t.TempDir()
	if err := CopyProgram(source, filepath.Join(target, "copy")); err == nil { // a directory cannot be read
		t.Error("it was copied")
	}
	if entries, err := os.ReadDir(target); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
}
