// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/follow"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/retry"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/runtimeclient"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

// The kinds of errors, for errors.Is.
var (
	// ErrNotFound means that there is no sandbox of that name.
	ErrNotFound = errors.New("not found")
	// ErrNotReady means that the sandbox is not running, or will not become ready.
	ErrNotReady = errors.New("not ready")
	// ErrSuspended means that the sandbox is suspended; Resume starts it.
	ErrSuspended = errors.New("suspended")
	// ErrFinished means that the sandbox's work is done and that its Pod will not start again.
	ErrFinished = errors.New("finished")
	// ErrDeleted means that the sandbox was deleted or is being deleted.
	ErrDeleted = errors.New("deleted")
	// ErrExpired means that the sandbox has reached its shutdown time.
	ErrExpired = errors.New("expired")
	// ErrTimeout means that an operation took too long.
	ErrTimeout = errors.New("timed out")
	// ErrAlreadyOpen means that the handle is open.
	ErrAlreadyOpen = errors.New("already open")
	// ErrClaimFailed means that the claim, or the Sandbox, could not be created.
	ErrClaimFailed = errors.New("could not be created")
	// ErrRetriesExhausted means that every attempt failed. The error is also of the kind of the last one.
	ErrRetriesExhausted = retry.ErrExhausted
	// ErrClosed means that the handle was closed or disconnected.
	ErrClosed = errors.New("closed")
	// ErrOrphaned means that a sandbox could not be deleted: by Close, or by Create because it did not become ready.
	// Delete and DeleteAll try again.
	ErrOrphaned = errors.New("orphaned")
	// ErrTooLarge means that an output or a file exceeds the Client's limit.
	ErrTooLarge = runtimeclient.ErrTooLarge
	// ErrLost means that the connection ended before the remote end reported the result. The command may have run.
	ErrLost = errors.New("connection lost")
	// ErrNoRouter means that there is no router to connect to.
	ErrNoRouter = connect.ErrNoRouter
	// ErrNotInstalled means that the cluster does not serve the sandbox APIs.
	ErrNotInstalled = errors.New("not installed")
)

// Error is the error of an operation on one sandbox.
type Error struct {
	Namespace, Name string
	// Op is the operation: create, open, run, http, read, write, list, exists, upload, download, dial, forward, wait,
	// status, suspend, resume or close.
	Op  string
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("sandbox %s/%s: %s: %v", e.Namespace, e.Name, e.Op, e.Err)
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether the error is of one of the kinds above.
func (e *Error) Is(kind error) bool { return kind != nil && kindOf(e.Err) == kind }

// kindOf returns the kind of an error of another package, or nil if it has none.
func kindOf(err error) error {
	var own *resolve.Error
	var timeout *await.TimeoutError
	var never *await.UnreachableError
	var lost *stream.LostError
	var answer *runtimeclient.StatusError
	switch {
	case errors.As(err, &own):
		return map[resolve.Cause]error{
			resolve.NotFound: ErrNotFound, resolve.NotInstalled: ErrNotInstalled, resolve.Suspended: ErrSuspended,
			resolve.Expired: ErrExpired, resolve.Finished: ErrFinished, resolve.Deleting: ErrDeleted,
			resolve.NotReady: ErrNotReady,
		}[own.Cause]
	case errors.Is(err, follow.ErrGone):
		return ErrDeleted
	case errors.As(err, &answer):
		return map[int]error{
			http.StatusBadGateway: ErrLost, http.StatusServiceUnavailable: ErrNotReady, http.StatusGatewayTimeout: ErrTimeout,
		}[answer.StatusCode]
	case errors.As(err, &timeout), errors.Is(err, context.DeadlineExceeded):
		return ErrTimeout
	case errors.As(err, &never):
		return ErrNotReady
	case errors.As(err, &lost), errors.Is(err, tunnel.ErrLost):
		return ErrLost
	case apierrors.IsNotFound(err):
		return ErrNotFound
	}
	return nil
}
