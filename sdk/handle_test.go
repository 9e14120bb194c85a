// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"sync"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

// TestSeveralGoroutinesMayUseOneHandle is for the race detector.
func TestSeveralGoroutinesMayUseOneHandle(t *testing.T) {
	w := start(t)
	create(t, w.client(), sdk.Spec{Name: "dev", Image: "x"})
	box, err := w.client().Attach(t.Context(), "dev")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := box.Run(t.Context(), "sh", "-c", ":"); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if _, err := box.Status(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
