// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package exit says which exit code an error has. Commands return errors; nobody but the main calls os.Exit.
//
// Invariants:
//   - the codes are those of `help exit-codes` and no others, except a remote command's own;
//   - an error that nobody classified is a failure (1), never a success.
package exit

import (
	"context"
	"errors"
)

// The exit codes.
const (
	Done           = 0
	Failed         = 1
	WrongUsage     = 2
	TimedOut       = 124
	Interrupted    = 130
	Unread         = 141
	ConnectionLost = 255
)

// Error is an error with an exit code. Err may be nil: then nothing is printed, as when a remote command failed and has
// spoken for itself.
type Error struct {
	Code int
	Err  error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap gives errors.Is and errors.As the cause.
func (e *Error) Unwrap() error { return e.Err }

// Usage marks an error as the user's wrong usage.
func Usage(err error) error { return with(WrongUsage, err) }

// Timeout marks an error as a wait that took too long.
func Timeout(err error) error { return with(TimedOut, err) }

// Lost marks an error as a connection that broke before the remote end reported a status.
func Lost(err error) error { return with(ConnectionLost, err) }

// Remote passes on the exit code of a remote command, without a message. Code 0 is no error.
func Remote(code int) error {
	if code == Done {
		return nil
	}
	return &Error{Code: code}
}

// ByUnreadOutput is for a command whose output nobody reads any more: it ends without a word, with the code that shells show for
// SIGPIPE.
func ByUnreadOutput() error { return &Error{Code: Unread} }

func with(code int, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: code, Err: err}
}

// Code is the exit code of an error. Several joined errors have their common code, or 1 if they differ.
func Code(err error) int {
	for wrapped := err; wrapped != nil; wrapped = errors.Unwrap(wrapped) {
		switch e := wrapped.(type) { //nolint:errorlint // the outermost that decides is wanted
		case *Error:
			return e.Code
		case interface{ Unwrap() []error }:
			return codeOfMany(e.Unwrap())
		case interface{ WaitTimedOut() bool }:
			if e.WaitTimedOut() {
				return TimedOut
			}
		}
	}
	switch {
	case err == nil:
		return Done
	case errors.Is(err, context.Canceled):
		return Interrupted
	}
	return Failed
}

func codeOfMany(errs []error) int {
	code := Done
	for _, err := range errs {
		switch c := Code(err); {
		case code == Done:
			code = c
		case c != code:
			return Failed
		}
	}
	return code
}
