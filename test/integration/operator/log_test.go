// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"strings"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
)

// quiet logs into the test while it runs and drops what comes after. It counts errors, but for those of the library that writes
// events: it complains of each one in a namespace that is going, and nobody can tell it beforehand. What an operator gives up because it is
// told to end, which ctx says, is no fault either: requests, and reads from a cache that ends.
func (w *world) quiet(ctx context.Context) logr.Logger {
	t := w.T
	t.Helper()
	over := false
	t.Cleanup(func() {
		gate.Lock()
		defer gate.Unlock()
		over = true
	})
	return funcr.New(func(prefix, args string) {
		gate.Lock()
		defer gate.Unlock()
		ending := ctx.Err() != nil && (strings.Contains(args, "context canceled") || strings.Contains(args, "Informer to sync"))
		if strings.Contains(args, `"error"=`) && !strings.Contains(args, "Server rejected event") && !ending {
			w.complaints.Add(1)
		}
		if !over {
			t.Log(prefix, args)
		}
	}, funcr.Options{})
}
