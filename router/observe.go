// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"errors"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/access"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
)

// maxLoggedPath is the most of a path that is logged. Queries are not: they may have secrets.
const maxLoggedPath = 256

// entry is one request in the log.
type entry struct {
	traceID string // empty: there is no tracing
	address header.Address
	uid     types.UID
	caller  access.Caller
	err     error
}

// observe counts, traces and logs a request.
func (h *handler) observe(
	w http.ResponseWriter, r *http.Request, serve func(http.ResponseWriter, *http.Request, *entry),
) {
	began := h.clock.Now()
	h.metrics.Began()
	r, endSpan := h.tracer.Start(r)
	out := &recorder{ResponseWriter: w, clock: h.clock, stall: h.config.StallTimeout}
	is := &entry{traceID: h.tracer.ID(r.Context())}
	defer func() { // also when a broken response ends with a panic
		if out.status == 0 {
			out.status, out.answered = http.StatusOK, h.clock.Now()
		}
		endSpan(out.status)
		h.metrics.Ended(string(is.caller.Way), out.status, out.answered.Sub(began), out.sent)
		if h.config.AccessLog {
			is.write(h.log, r, out, h.clock.Since(began))
		}
	}()
	serve(out, r, is)
}

func (e *entry) write(log logr.Logger, r *http.Request, out *recorder, took time.Duration) {
	path := r.URL.EscapedPath()
	fields := []any{
		"method", r.Method, "path", path[:min(len(path), maxLoggedPath)], "status", out.status, "bytes", out.sent,
		"seconds", took.Seconds(), "namespace", e.address.Namespace, "sandbox", e.address.Name, "uid", e.uid,
		"port", e.address.Port, "way", e.caller.Way, "caller", e.caller.Name, "from", r.RemoteAddr,
	}
	if e.traceID != "" {
		fields = append(fields, "trace_id", e.traceID)
	}
	if cause := errors.Unwrap(e.err); cause != nil {
		fields = append(fields, "cause", cause.Error())
	}
	log.Info("request", fields...)
}

// recorder sees the response pass. It ends one that its client does not take.
type recorder struct {
	http.ResponseWriter

	clock    clock.PassiveClock
	stall    time.Duration
	status   int // 0: not known yet
	answered time.Time
	sent     int64
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		r.status, r.answered = status, r.clock.Now()
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	r.limit(r.clock.Now().Add(r.stall))
	n, err := r.ResponseWriter.Write(p)
	r.sent += int64(n)
	return n, err
}

// FlushError is for http.ResponseController. Afterwards there is no limit: in HTTP/2 it would end a silent response.
func (r *recorder) FlushError() error {
	r.limit(r.clock.Now().Add(r.stall))
	err := http.NewResponseController(r.ResponseWriter).Flush()
	r.limit(time.Time{})
	return err
}

func (r *recorder) limit(deadline time.Time) {
	_ = http.NewResponseController(r.ResponseWriter).SetWriteDeadline(deadline) // the connection may be taken over
}
