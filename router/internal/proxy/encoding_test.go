// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"io"
	"net/http"
	"testing"
)

func TestACompressedBodyPassesAsItIs(t *testing.T) {
	const body = "what the Pod says is gzip"
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Accepted", r.Header.Get("Accept-Encoding"))
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, body)
	}))
	response := send(t, w.url, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if got := read(t, response); got != body || response.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("read %q, %v", got, response.Header)
	}
	if got := response.Header.Get("X-Accepted"); got != "" {
		t.Errorf("the Pod was told that %q is accepted", got)
	}
}
