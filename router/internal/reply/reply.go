// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package reply has the router's own answers. Errors are {"detail": "..."} with a status. A detail never quotes what a
// client sent, nor an error of another server.
package reply

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Error is an answer that the router gives instead of the sandbox.
type Error struct {
	Status     int
	Detail     string
	RetryAfter time.Duration // when another attempt may help; 0: unknown
	Cause      error         // for the log only; may be nil
}

// Errorf returns an Error without a cause.
func Errorf(status int, format string, args ...any) *Error {
	return &Error{Status: status, Detail: fmt.Sprintf(format, args...)}
}

// After returns a copy that tells the client when to try again.
func (e *Error) After(wait time.Duration) *Error {
	is := *e
	is.RetryAfter = wait
	return &is
}

// Because returns a copy with a cause.
func (e *Error) Because(cause error) *Error {
	is := *e
	is.Cause = cause
	return &is
}

// Error implements error.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Detail + ": " + e.Cause.Error()
	}
	return e.Detail
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Write sends the error.
func (e *Error) Write(w http.ResponseWriter) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	JSON(w, e.Status, map[string]string{"detail": e.Detail})
}

// JSON sends a value, which no cache may keep.
func JSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client may be gone
}
