// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
)

// The exit codes.
const (
	ExitOK             = 0
	ExitFailed         = 1
	ExitUsage          = 2
	ExitTimeout        = 124
	ExitCannotRun      = 126
	ExitNotFound       = 127
	ExitInterrupted    = 130
	ExitOutputClosed   = 141
	ExitConnectionLost = 255
)

// ExitError is an error with an exit code. If Err is nil, nothing is printed: a failed remote command has already
// printed its own error.
type ExitError struct {
	Code int
	Err  error
}

// Error implements error.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap gives errors.Is and errors.As the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// UsageError marks an error as wrong usage of the command line.
func UsageError(err error) error { return withExitCode(ExitUsage, err) }

// TimeoutError marks an error as a wait that timed out.
func TimeoutError(err error) error { return withExitCode(ExitTimeout, err) }

// ConnectionLostError marks an error as a connection that broke before the remote end reported a status.
func ConnectionLostError(err error) error { return withExitCode(ExitConnectionLost, err) }

// StartError gives an error of a remote command that could not be started the exit code that shells have for it:
// ExitCannotRun or ExitNotFound.
func StartError(code int, err error) error { return withExitCode(code, err) }

// RemoteExitError passes on the exit code of a remote command without a message. It returns nil for code 0.
func RemoteExitError(code int) error {
	if code == ExitOK {
		return nil
	}
	return &ExitError{Code: code}
}

// OutputClosedError returns the error of a command whose output is no longer read: no message, and the exit code that
// shells report for SIGPIPE.
func OutputClosedError() error { return &ExitError{Code: ExitOutputClosed} }

func withExitCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &ExitError{Code: code, Err: err}
}

// ExitCode returns the exit code of an error. Joined errors have their common code, or 1 if their codes differ.
func ExitCode(err error) int {
	for wrapped := err; wrapped != nil; wrapped = errors.Unwrap(wrapped) {
		switch e := wrapped.(type) { //nolint:errorlint // the outermost error with a code decides
		case *ExitError:
			return e.Code
		case interface{ Unwrap() []error }:
			return commonExitCode(e.Unwrap())
		case interface{ WaitTimedOut() bool }:
			if e.WaitTimedOut() {
				return ExitTimeout
			}
		}
	}
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	}
	return ExitFailed
}

// commonExitCode returns the code that all errors have, or ExitFailed.
func commonExitCode(errs []error) int {
	code := ExitOK
	for _, err := range errs {
		switch c := ExitCode(err); {
		case code == ExitOK:
			code = c
		case c != code:
			return ExitFailed
		}
	}
	return code
}
