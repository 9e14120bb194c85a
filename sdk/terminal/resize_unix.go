// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package terminal

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/utils/clock"
)

// watchResize signals that the terminal may have another size.
func watchResize(ctx context.Context, _ clock.WithTicker) <-chan struct{} {
	signals, changed := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGWINCH)
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case <-signals:
			case <-ctx.Done():
				return
			}
			select {
			case changed <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return changed
}
