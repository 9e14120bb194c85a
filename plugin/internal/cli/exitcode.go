// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package exit says which exit code an error has. Commands return errors; nobody but the main calls os.Exit.
//
// Invariants:
//   - the codes are those of `help exit-codes` and no others, except a remote command's own;
//   - an error that nobody classified is a failure (1), never a success.
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
	ExitInterrupted    = 130
	ExitOutputClosed   = 141
	ExitConnectionLost = 255
)

// ExitError is an error with an exit code. Err may be nil: then nothing is printed, as when a remote command failed and has
// spoken for itself.
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

// UsageError marks an error as the user's wrong usage.
func UsageError(err error) error { return withExitCode(ExitUsage, err) }

// TimeoutError marks an error as a wait that took too long.
func TimeoutError(err error) error { return withExitCode(ExitTimeout, err) }

// ConnectionLostError marks an error as a connection that broke before the remote end reported a status.
func ConnectionLostError(err error) error { return withExitCode(ExitConnectionLost, err) }

// RemoteExitError passes on the exit code of a remote command, without a message. Code 0 is no error.
func RemoteExitError(code int) error {
	if code == ExitOK {
		return nil
	}
	return &ExitError{Code: code}
}

// OutputClosedError is for a command whose output nobody reads any more: it ends without a word, with the code that shells show for
// SIGPIPE.
func OutputClosedError() error { return &ExitError{Code: ExitOutputClosed} }

func withExitCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &ExitError{Code: code, Err: err}
}

// ExitCode is the exit code of an error. Several joined errors have their common code, or 1 if they differ.
func ExitCode(err error) int {
	for wrapped := err; wrapped != nil; wrapped = errors.Unwrap(wrapped) {
		switch e := wrapped.(type) { //nolint:errorlint // the outermost that decides is wanted
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
