// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// The kinds of errors, for errors.Is.
var (
	// ErrNotFound: there is no sandbox of that name.
	ErrNotFound = errors.New("not found")
	// ErrNotReady: the sandbox does not run, or will not become ready.
	ErrNotReady = errors.New("not ready")
	// ErrSuspended: the sandbox is suspended; Resume starts it.
	ErrSuspended = errors.New("suspended")
	// ErrFinished: the sandbox's work is done, and its Pod does not start again.
	ErrFinished = errors.New("finished")
	// ErrDeleted: the sandbox is gone or being deleted.
	ErrDeleted = errors.New("deleted")
	// ErrExpired: the sandbox's time is over.
	ErrExpired = errors.New("expired")
	// ErrTimeout: it took too long.
	ErrTimeout = errors.New("timed out")
	// ErrClosed: the handle was closed or disconnected.
	ErrClosed = errors.New("closed")
	// ErrOrphaned: a sandbox that could not be made ready could not be deleted either.
	ErrOrphaned = errors.New("orphaned")
	// ErrTooLarge: an output or a file is larger than the Client allows.
	ErrTooLarge = errors.New("too large")
	// ErrLost: the connection ended before the remote end said how the command did. It may have run.
	ErrLost = errors.New("connection lost")
	// ErrNotInstalled: the cluster does not know sandboxes.
	ErrNotInstalled = errors.New("not installed")
)

// Error is what went wrong with one sandbox.
type Error struct {
	Namespace, Name string
	// Op is what was being done: create, open, run, read, write, list, exists, suspend, resume, close.
	Op  string
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("sandbox %s/%s: %s: %v", e.Namespace, e.Name, e.Op, e.Err)
}

// Unwrap gives errors.Is and errors.As the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is says whether the error is of one of the kinds above.
func (e *Error) Is(kind error) bool { return kind != nil && kindOf(e.Err) == kind }

// kindOf is the kind of an error that says none itself, nil if it has none.
func kindOf(err error) error {
	var own *resolve.Error
	var timeout *await.TimeoutError
	var never *await.UnreachableError
	var lost *stream.LostError
	switch {
	case errors.As(err, &own):
		return map[resolve.Cause]error{
			resolve.NotFound: ErrNotFound, resolve.NotInstalled: ErrNotInstalled, resolve.Suspended: ErrSuspended,
			resolve.Expired: ErrExpired, resolve.Finished: ErrFinished, resolve.Deleting: ErrDeleted, resolve.NotReady: ErrNotReady,
		}[own.Cause]
	case errors.As(err, &timeout), errors.Is(err, context.DeadlineExceeded):
		return ErrTimeout
	case errors.As(err, &never):
		return ErrNotReady
	case errors.As(err, &lost):
		return ErrLost
	case apierrors.IsNotFound(err):
		return ErrNotFound
	}
	return nil
}
