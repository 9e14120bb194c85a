// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ratelimiter builds the rate limiter of the work queues.
package ratelimiter

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// New returns a rate limiter that doubles the wait of an object with each failure, up to waits.LongestBackoff.
func New() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](waits.ShortestBackoff,
		waits.LongestBackoff)
}
