// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"context"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Changes tells when it is worth looking at a sandbox again. Its watches last as long as its context.
type Changes struct{ watches *watches }

// Changes returns Changes that follow nothing yet.
func (w *Waiter) Changes(ctx context.Context) *Changes { return &Changes{newWatches(ctx, w)} }

// Follow adds the objects that a target consists of. It is for one goroutine.
func (c *Changes) Follow(t *resolve.Target) { c.watches.follow(t) }

// C gets a value after changes: one for several that come together.
func (c *Changes) C() <-chan struct{} { return c.watches.changed }
