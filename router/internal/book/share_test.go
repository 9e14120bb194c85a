// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/singleflight"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
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
		_, err := share(ctx, &flights, "key", ask)
		gone <- err
	}()
	if end, ok := (<-begun).Deadline(); !ok || time.Until(end) > askTimeout {
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
	if got, err := share(t.Context(), &flights, "key", ask); got != 7 || err != nil {
		t.Errorf("the others get %d, %v", got, err)
	}
}

func TestAMissIsThatOfOneNamespace(t *testing.T) {
	l := NewLookup(filled(t, served(with(t, world()...))), clocktesting.NewFakePassiveClock(time.Unix(0, 0)))
	for namespace, want := range map[string]bool{"default": true, "team-c": false, "team-b": true} {
		for range 2 {
			if _, ok, err := l.Find(t.Context(), header.Address{Namespace: namespace, Name: "box"}); ok != want || err != nil {
				t.Errorf("found in %s: %v, %v", namespace, ok, err)
			}
		}
	}
	if _, ok, err := l.Find(t.Context(), header.Address{Namespace: "default", Name: "box"}); !ok || err != nil {
		t.Errorf("after the miss elsewhere: %v, %v", ok, err)
	}
}
