// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package signals notifies a program that it is terminated, in time to delete what it created.
//
// Invariants:
//   - Ctrl-C, SIGTERM and SIGHUP, which comes with a closed terminal, have the same effect; nohup still disables
//     SIGHUP;
//   - output that nobody reads ends a program like SIGPIPE, but after it has cleaned up; a broken connection raises the
//     same signal and ends nothing.
package signals

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// ErrOutputClosed is the cause of a context that ended because nobody reads the output any more.
var ErrOutputClosed = errors.New("nobody reads the output any more")

// TerminationSignals returns the signals that terminate this process and can be caught.
func TerminationSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// Context returns a context that ends when the process is terminated, or when cancel is called. After the first signal
// another SIGINT or SIGTERM ends the process at once; SIGHUP does not, because a closing terminal sends it more than
// once. Until stop is called, writes to a pipe that nobody reads fail without ending the process.
func Context(parent context.Context) (ctx context.Context, cancel context.CancelCauseFunc, stop func()) {
	ctx, cancel = context.WithCancelCause(parent)
	asked, again := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(asked, TerminationSignals()...)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(again, syscall.SIGHUP) // it stays caught after signal.Stop(asked)
	}
	// Caught and not ignored: child processes must have the default behaviour.
	signal.Notify(again, syscall.SIGPIPE)
	go func() {
		select {
		case <-asked:
			cancel(context.Canceled)
		case <-ctx.Done():
		}
		signal.Stop(asked)
	}()
	return ctx, cancel, func() {
		cancel(context.Canceled)
		signal.Stop(asked)
		signal.Stop(again)
	}
}

// Output returns a writer that calls unread when nobody reads the output any more.
func Output(w io.Writer, unread func()) io.Writer { return &output{w, unread} }

type output struct {
	io.Writer

	unread func()
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if isBrokenPipe(err) {
		o.unread()
	}
	return n, err
}
