// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/signals"
)

// CleanUpOnSignals deletes every active sandbox when the process is terminated: by SIGINT or SIGTERM, by SIGHUP unless
// it is ignored (nohup), or by SIGPIPE because nobody reads its standard output or error. Then the signal takes its
// usual effect. stop ends the handling. It cannot react to SIGKILL or a crash: set Spec.TTL for those.
func (c *Client) CleanUpOnSignals() (stop func()) {
	// Two channels: a signal that finds its channel full is lost, and broken connections raise SIGPIPE often.
	asked, pipe, over := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(asked, signals.TerminationSignals()...)
	signal.Notify(pipe, syscall.SIGPIPE)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer signal.Stop(asked)
		defer signal.Stop(pipe)
		var got os.Signal
		for got == nil {
			select {
			case <-over:
				return
			case got = <-asked:
			case broken := <-pipe:
				if unreadOutput() != nil {
					got = broken
				}
			}
		}
		c.cleanUp()
		signal.Stop(asked)
		signal.Stop(pipe)
		reraise(got)
	}()
	return func() {
		select {
		case <-over:
		default:
			close(over)
		}
		<-ended
	}
}

func (c *Client) cleanUp() {
	ctx, cancel := context.WithTimeout(context.Background(), c.cleanupTimeout)
	defer cancel()
	_ = c.DeleteAll(ctx) // the process ends: there is nobody to report to
}

// unreadOutput returns the standard output or error if nobody reads it any more, or nil.
func unreadOutput() *os.File {
	for _, file := range []*os.File{os.Stdout, os.Stderr} {
		if signals.OutputClosed(file) {
			return file
		}
	}
	return nil
}

// reraise gives a signal its usual effect.
func reraise(got os.Signal) {
	if got == syscall.SIGPIPE {
		// Go's runtime terminates a program for a failed write to these files, but not for a signal from outside.
		if file := unreadOutput(); file != nil {
			_, _ = file.WriteString("\n") // nobody reads it
		}
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(got) // if this fails, a second signal terminates the process
	}
}
