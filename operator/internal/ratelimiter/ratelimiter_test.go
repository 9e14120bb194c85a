// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package ratelimiter

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

func TestNoObjectWaitsLongerThanTheLongest(t *testing.T) {
	l := New()
	var last time.Duration
	for range 100 {
		last = l.When(reconcile.Request{})
	}
	if last != waits.LongestBackoff {
		t.Errorf("after 100 failures %s", last)
	}
}
