// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package signals tells a program that it is to end while it can still delete what it made for itself.
//
// Invariants:
//   - the three ways in which programs are ended politely count alike: by Ctrl-C, by SIGTERM, and with their terminal (SIGHUP);
//     nohup still keeps a program from the last;
//   - output that nobody reads any more ends a program as SIGPIPE would have, but not before it has cleaned up; a connection
//     that breaks raises the same signal and ends nothing.
package signals

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// ErrOutputClosed is the cause of a context that ended because nobody reads our output any more.
var ErrOutputClosed = errors.New("nobody reads the output any more")

// TerminationSignals are the signals that ask this process to end.
func TerminationSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// Context ends when this process is asked to end, or when the returned cancel function says why. After the first signal another
// SIGINT or SIGTERM ends the process at once; SIGHUP does not, because a terminal that closes sends it more than once. Until
// stop is called, writes to a pipe that nobody reads fail and do not end the process.
func Context(parent context.Context) (ctx context.Context, cancel context.CancelCauseFunc, stop func()) {
	ctx, cancel = context.WithCancelCause(parent)
	asked, again := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(asked, TerminationSignals()...)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(again, syscall.SIGHUP) // it stays caught when asked hears no more
	}
	// Caught and not ignored: programs that we start are to have it as usual.
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

// Output is the writer with a call when nobody reads it any more.
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
