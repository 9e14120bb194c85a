// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"context"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/question"
)

// maxAnswers is the number of answers that are kept, of each kind. The least recently used one makes room.
const maxAnswers = 8192

// answers keeps what the API server answered, and asks once for all that want to know at the same time.
type answers[T any] struct {
	kept    *cache.LRUExpireCache
	ttl     time.Duration
	flights singleflight.Group
	asked   func(error) // is told about each question that the API server got
}

func newAnswers[T any](clk clock.PassiveClock, ttl time.Duration, asked func(error)) *answers[T] {
	return &answers[T]{kept: cache.NewLRUExpireCacheWithClock(maxAnswers, clk), ttl: ttl, asked: asked}
}

// known returns an answer that is kept.
func (a *answers[T]) known(key string) (T, bool) {
	kept, ok := a.kept.Get(key)
	is, _ := kept.(T) // nothing else is kept
	return is, ok
}

// get returns the answer to the question with that key. Asking goes on when the context ends, for the others.
func (a *answers[T]) get(ctx context.Context, key string, ask func(context.Context) (T, error)) (T, error) {
	if is, ok := a.known(key); ok {
		return is, nil
	}
	return question.Share(ctx, &a.flights, key, func(ctx context.Context) (T, error) {
		if is, ok := a.known(key); ok { // another flight has just ended
			return is, nil
		}
		is, err := ask(ctx)
		a.asked(err)
		if err == nil {
			a.kept.Add(key, is, a.ttl)
		}
		return is, err
	})
}
