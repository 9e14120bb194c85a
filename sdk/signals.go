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

// CleanUpOnSignals deletes every Active sandbox when this process is told to end: by SIGINT or SIGTERM, with its terminal
// (SIGHUP, unless it is ignored, as under nohup), or because nobody reads its standard output or error any more (SIGPIPE). Then
// it lets the signal do what it would have done. The returned function ends that. What no program hears of (SIGKILL, a crash)
// it cannot do: give a Spec a TTL for that.
func (c *Client) CleanUpOnSignals() (stop func()) {
	// Channels of their own: a signal that finds its channel full is lost, and connections break all the time.
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
	_ = c.DeleteAll(ctx) // the process ends: nobody is left to tell
}

// unreadOutput is the standard output or error that nobody reads any more, or nil.
func unreadOutput() *os.File {
	for _, file := range []*os.File{os.Stdout, os.Stderr} {
		if signals.OutputClosed(file) {
			return file
		}
	}
	return nil
}

// reraise has a signal do what it does to a program that does not listen.
func reraise(got os.Signal) {
	if got == syscall.SIGPIPE {
		// Go's runtime ends a program for a write of this kind, and for no signal from outside.
		if file := unreadOutput(); file != nil {
			_, _ = file.WriteString("\n") // nobody reads it
		}
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(got) // if this is not possible, a second signal ends the process
	}
}
