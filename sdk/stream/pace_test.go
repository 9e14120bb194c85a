// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestInputPausesOnceAsLongAsTheConnectionIsSlow(t *testing.T) {
	for name, tt := range map[string]struct{ connecting, pause time.Duration }{
		"a fast one": {
			10 * time.Millisecond, minPause}, "a slow one": {200 * time.Millisecond,
			800 * time.Millisecond}, "a very slow one": {time.Minute, maxPause},
	} {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakeClock(time.Now())
			in := pace(t.Context(), clock, strings.NewReader(strings.Repeat("x", 3*pipeCapacity)))
			clock.Step(tt.connecting)
			first := make([]byte, pipeCapacity)
			if n, err := io.ReadFull(in, first); n != pipeCapacity || err != nil {
				t.Fatalf("%d bytes, %v", n, err)
			}
			rest := make(chan int, 1)
			go func() {
				n, _ := io.Copy(io.Discard, in)
				rest <- int(n)
			}()
			for !clock.HasWaiters() {
				select {
				case n := <-rest:
					t.Fatalf("%d bytes came without a pause", n)
				case <-time.After(time.Millisecond):
				}
			}
			clock.Step(tt.pause - 1)
			if !clock.HasWaiters() {
				t.Error("the pause was too short")
			}
			clock.Step(1)
			if n := <-rest; n != 2*pipeCapacity {
				t.Errorf("%d bytes came", n)
			}
		})
	}
}

func TestAPauseEndsWithTheSession(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in := pace(ctx, clocktesting.NewFakeClock(time.Now()), strings.NewReader(strings.Repeat("x", 2*pipeCapacity)))
	if _, err := io.ReadFull(in, make([]byte, pipeCapacity)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := in.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
