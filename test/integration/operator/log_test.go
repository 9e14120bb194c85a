// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"strings"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
)

// logger returns a logger that writes to the test's log while the test runs, and counts errors. It does not count
// events that the server rejects, because the events library logs each one in a namespace that is being deleted, nor
// canceled requests and cache reads after ctx has ended.
func (w *world) logger(ctx context.Context) logr.Logger {
	t := w.T
	t.Helper()
	over := false
	t.Cleanup(func() {
		logMutex.Lock()
		defer logMutex.Unlock()
		over = true
	})
	return funcr.New(func(prefix, args string) {
		logMutex.Lock()
		defer logMutex.Unlock()
		ending := ctx.Err() != nil && (strings.Contains(args,
			"context canceled") || strings.Contains(args, "Informer to sync"))
		if strings.Contains(args, `"error"=`) && !strings.Contains(args, "Server rejected event") && !ending {
			w.loggedErrors.Add(1)
		}
		if !over {
			t.Log(prefix, args)
		}
	}, funcr.Options{})
}
