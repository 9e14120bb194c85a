// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// watchResize signals that the terminal may have another size. Windows has no signal for it, so it polls.
func watchResize(ctx context.Context, clock clock.WithTicker) <-chan struct{} {
	changed := make(chan struct{})
	go func() {
		ticker := clock.NewTicker(250 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C():
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
