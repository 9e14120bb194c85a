// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
)

// quiet logs into the test while it runs and drops what comes after.
func quiet(t *testing.T) logr.Logger {
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
		if !over {
			t.Log(prefix, args)
		}
	}, funcr.Options{})
}
