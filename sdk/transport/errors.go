// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transport

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/net"
)

// errIdle is the cause if nothing arrives.
var errIdle = errors.New("it brought nothing for too long")

// BrokenError reports that connections to the server broke. It neither unwraps nor quotes its cause, because client-go
// would recognize that and repeat the request.
type BrokenError struct {
	// Attempts is how often the request was sent, and Elapsed how long that took.
	Attempts int
	Elapsed  time.Duration

	outcomeUnknown bool // whether the request was carried out
	cause          error
}

// Error implements error.
func (e *BrokenError) Error() string {
	switch {
	case e.outcomeUnknown:
		return "the connection broke before the answer came, so it is not known whether the request was carried out: " +
			e.Why()
	case e.Attempts == 1:
		return "the connection broke: " + e.Why()
	}
	return fmt.Sprintf("the connection broke, %d times in %v: %s", e.Attempts, e.Elapsed.Round(time.Second), e.Why())
}

// OutcomeUnknown reports whether the request may have been carried out.
func (e *BrokenError) OutcomeUnknown() bool { return e.outcomeUnknown }

// Why returns what happened to the last connection.
func (e *BrokenError) Why() string {
	switch err := e.cause; {
	case errors.Is(err, errIdle), net.IsHTTP2ConnectionLost(err):
		return errIdle.Error()
	case net.IsConnectionRefused(err):
		return "it was refused"
	case net.IsConnectionReset(err), strings.Contains(err.Error(), "reset by peer"), errors.Is(err, syscall.EPIPE):
		return "it was reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), net.IsProbableEOF(err):
		return "it ended early"
	}
	return e.cause.Error()
}
