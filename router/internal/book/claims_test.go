// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/fake"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
)

// running returns a book that is being filled.
func running(t *testing.T, client *fake.Clientset, clk clock.WithTicker) *Book {
	t.Helper()
	b, err := New(client, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.Run(ctx, clk, logr.Discard()) }()
	t.Cleanup(func() { cancel(); <-done })
	return b
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 30*time.Second, true,
		func(context.Context) (bool, error) { return is(), nil })
	if err != nil {
		t.Fatalf("it is not so that %s", what)
	}
}

func TestClaimsThatTheClusterServesLaterAreFoundWithoutARestart(t *testing.T) {
	client := with(t, world()...)
	clk := clocktesting.NewFakeClock(time.Unix(0, 0))
	b := running(t, client, clk)
	eventually(t, "the book is full without claims", b.HasSynced)
	warm := header.Address{Namespace: "default", Name: "warm"}
	l := NewLookup(b, clk)
	if found, ok, err := l.Find(t.Context(), warm); ok || err != nil {
		t.Errorf("found %+v, %v", found, err)
	}
	eventually(t, "it looks again", clk.HasWaiters)
	var asked, up atomic.Bool
	client.PrependReactor("list", "sandboxclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		asked.Store(true)
		return !up.Load(), nil, errors.New("down")
	})
	served(client)
	clk.Step(claimsInterval)
	eventually(t, "it asks for them", asked.Load)
	if !b.HasSynced() {
		t.Error("the router is not ready until it has the claims")
	}
	up.Store(true)
	eventually(t, "it is found", func() bool {
		if !b.HasSynced() {
			t.Fatal("the router is not ready for a moment")
		}
		_, ok := b.Find(warm)
		return ok
	})
	if found, ok, err := l.Find(t.Context(), warm); !ok || err != nil || found.Claim == nil {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestABookIsNotFullWithoutTheClaimsThatAreServed(t *testing.T) {
	client := served(with(t, world()...))
	var asked, up atomic.Bool
	client.PrependReactor("list", "sandboxclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		asked.Store(true)
		return !up.Load(), nil, errors.New("down")
	})
	b := running(t, client, clock.RealClock{})
	eventually(t, "it asks", asked.Load)
	eventually(t, "the Sandboxes are there", func() bool { return b.namespaces[""].sandboxes.HasSynced() })
	if b.HasSynced() {
		t.Error("it says that it is full")
	}
	up.Store(true)
	eventually(t, "it is full", b.HasSynced)
}

func TestABookIsNotFullWhileNobodyKnowsWhetherThereAreClaims(t *testing.T) {
	client := served(with(t, world()...))
	down := make(chan bool, 2)
	down <- true
	down <- false
	client.PrependReactor("get", "resource", func(clienttesting.Action) (bool, runtime.Object, error) {
		if <-down {
			return true, nil, errors.New("down")
		}
		return false, nil, nil
	})
	clk := clocktesting.NewFakeClock(time.Unix(0, 0))
	b := running(t, client, clk)
	eventually(t, "the Sandboxes are there", func() bool { return b.namespaces[""].sandboxes.HasSynced() })
	eventually(t, "it has asked", func() bool { return len(down) == 1 && clk.HasWaiters() })
	if b.HasSynced() {
		t.Error("it says that it is full")
	}
	clk.Step(claimsInterval)
	eventually(t, "it is full", b.HasSynced)
	if _, ok := b.Find(header.Address{Namespace: "default", Name: "warm"}); !ok {
		t.Error("the claims are not there")
	}
}
