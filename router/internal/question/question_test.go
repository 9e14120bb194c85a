// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package question_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/question"
)

func TestAQuestionHasALimitAndOutlivesWhoAskedIt(t *testing.T) {
	var flights singleflight.Group
	begun, release := make(chan context.Context, 2), make(chan struct{})
	ask := func(ctx context.Context) (int, error) {
		begun <- ctx
		<-release
		return 7, ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := question.Share(ctx, &flights, "key", ask)
		gone <- err
	}()
	if end, ok := (<-begun).Deadline(); !ok || time.Until(end) > question.Timeout {
		t.Errorf("it may take until %s", end)
	}
	cancel()
	select {
	case err := <-gone:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("who stops waiting gets %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("who stops waiting waits")
	}
	close(release)
	if got, err := question.Share(t.Context(), &flights, "key", ask); got != 7 || err != nil || len(begun) > 0 {
		t.Errorf("the others get %d, %v, and %d more questions are asked", got, err, len(begun))
	}
}
