// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package server

import (
	"net/http"
	"strings"
	"time"
)

// maxRequestID is the length of a request ID in the log.
const maxRequestID = 128

// recorder notes what an answer was, and gives each of its writes a deadline.
type recorder struct {
	http.ResponseWriter

	server *server
	status int
	bytes  int64
	// traceID is empty without tracing.
	traceID string
	// patient: the answer takes as long as a command runs, and a client may take as long as it likes to read it.
	patient bool
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(data []byte) (int, error) {
	if !r.patient {
		// Twice as long: before an answer, net/http waits for a rest of the request that nobody has read.
		deadline := r.server.clock.Now().Add(2 * r.server.stall)
		_ = http.NewResponseController(r.ResponseWriter).SetWriteDeadline(deadline)
	}
	count, err := r.ResponseWriter.Write(data)
	r.bytes += int64(count)
	return count, err
}

// ServeHTTP answers a request and logs it. Commands, paths and queries are not logged, because they may have secrets in
// them. Probes are not logged, because they are many.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := s.clock.Now()
	control := http.NewResponseController(w)
	// A deadline of the request before, on the same connection, must not end this one.
	_ = control.SetWriteDeadline(time.Time{})
	if r.Body != http.NoBody { // also one that nobody reads: net/http does, to use the connection again
		_ = control.SetReadDeadline(began.Add(s.stall))
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	record := &recorder{ResponseWriter: w, server: s, status: http.StatusOK}
	path := s.guard(record, r)
	if path == "/" && record.status == http.StatusOK {
		return
	}
	fields := []any{"method", method(r.Method), "endpoint", path, "status", record.status, "bytes", record.bytes,
		"seconds", s.clock.Since(began).Seconds(), "client", r.RemoteAddr, "request_id", requestID(r)}
	if record.traceID != "" {
		fields = append(fields, "trace_id", record.traceID)
	}
	s.log.Info("request", fields...)
}

// guard refuses what a foreign web page makes a browser send, for example to a forwarded port on localhost.
func (s *server) guard(w *recorder, r *http.Request) string {
	if err := s.origins.Check(r); err != nil {
		refuse(w, http.StatusForbidden, err.Error())
		return ""
	}
	return s.dispatch(w, r)
}

// method returns a method of the contract, or a word for all others: a client chooses what it sends.
func method(sent string) string {
	switch sent {
	case http.MethodGet, http.MethodHead, http.MethodPost:
		return sent
	}
	return "other"
}

// requestID returns the ID that a client gave its request, without what does not belong into a log.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-ID")
	return strings.ToValidUTF8(id[:min(len(id), maxRequestID)], "")
}
