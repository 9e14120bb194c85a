// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package question asks the API server or DNS once for all requests that wait for the same answer.
package question

import (
	"context"
	"time"

	"golang.org/x/sync/singleflight"
)

// Timeout limits one question.
const Timeout = 10 * time.Second

// Share runs a question once for all that ask it at the same time. It returns the cause of the context's end if that
// comes first; the question goes on then, for the others.
func Share[T any](
	ctx context.Context, flights *singleflight.Group, key string, ask func(context.Context) (T, error),
) (T, error) {
	answer := flights.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Timeout)
		defer cancel()
		return ask(ctx)
	})
	select {
	case <-ctx.Done():
		return *new(T), context.Cause(ctx)
	case result := <-answer:
		is, _ := result.Val.(T) // nothing else is returned
		return is, result.Err
	}
}
