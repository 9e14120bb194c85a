// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// CleanUpOnSignals deletes every Active sandbox when this process is told to end (SIGINT, SIGTERM), and then lets the signal do
// what it would have done. The returned function ends that.
func (c *Client) CleanUpOnSignals() (stop func()) {
	signals, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-over:
			signal.Stop(signals)
		case got := <-signals:
			ctx, cancel := context.WithTimeout(context.Background(), c.cleanup)
			defer cancel()
			_ = c.DeleteAll(ctx) // the process ends: nobody is left to tell
			signal.Stop(signals)
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Signal(got) // if this is not possible, a second signal ends the process
			}
		}
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
