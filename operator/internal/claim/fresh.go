// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/freshread"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
)

// sharedObject is a pointer to an object whose reads claims share.
type sharedObject interface {
	comparable
	client.Object
}

// sharedReads reads objects of a kind from the API server, and lets claims share the answers.
type sharedReads[T sharedObject] struct {
	cached client.Reader
	shared *freshread.Reader[client.ObjectKey, T]
	clock  clock.PassiveClock
}

// newSharedReads returns reads of objects of the type of like, which may be nil.
func newSharedReads[T sharedObject](
	cached, live client.Reader, clk clock.PassiveClock, like T,
) (*sharedReads[T], error) {
	shared, err := freshread.New(func(ctx context.Context, key client.ObjectKey) (T, error) {
		return lookup.Get(ctx, live, key, lookup.New(like))
	}, clk)
	return &sharedReads[T]{cached, shared, clk}, err
}

// get returns an object as it was after notBefore or later, and not older than in the cache; nil if it does not exist.
// The cache matters because what it shows may be the cause of this reconcile. Callers must not modify the object.
func (s *sharedReads[T]) get(ctx context.Context, key client.ObjectKey, notBefore time.Time) (T, error) {
	var none T
	answer, err := s.shared.Get(ctx, key, notBefore)
	if err != nil {
		return none, err
	}
	known, err := lookup.Get(ctx, s.cached, key, lookup.New(none), client.UnsafeDisableDeepCopy)
	if err != nil || known == none {
		return answer, err
	}
	if answer != none {
		order, err := resourceversion.CompareResourceVersion(known.GetResourceVersion(), answer.GetResourceVersion())
		switch {
		case err == nil && order > 0:
			return known, nil
		case err == nil:
			return answer, nil
		}
	}
	return s.shared.Get(ctx, key, s.clock.Now()) // created or deleted meanwhile: another read tells which
}
