// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
)

func TestACloseThatMeetsOneThatFailsTriesAgain(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	box := create(t, w.client(), sdk.Spec{Template: "t"})
	deleting, proceed := make(chan struct{}), make(chan struct{})
	var deletions atomic.Int64
	w.before.Store(new(func(verb, _ string) error {
		if verb != "delete" || deletions.Add(1) > 1 {
			return nil
		}
		close(deleting)
		<-proceed
		return errors.New("refused")
	}))
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- box.Close(context.Background()) }()
	<-deleting
	go func() { second <- box.Close(context.Background()) }()
	<-time.After(50 * time.Millisecond) // so that the second one usually waits for the first
	close(proceed)
	if err := <-first; !errors.Is(err, sdk.ErrOrphaned) {
		t.Errorf("got %v", err)
	}
	if err := <-second; err != nil || w.left(t) != 0 {
		t.Errorf("got %v, %d left", err, w.left(t))
	}
}

func TestACloseThatCouldNotBeginIsCalledAgain(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	client := w.client(sdk.WithCleanupTimeout(50 * time.Millisecond))
	box := create(t, client, sdk.Spec{Template: "t"})
	box.Disconnect()
	reading, proceed := make(chan struct{}), make(chan struct{})
	var reads atomic.Int64
	w.before.Store(new(func(verb, _ string) error {
		if verb == "get" && reads.Add(1) == 1 {
			close(reading)
			<-proceed // whatever its context says
		}
		return nil
	}))
	opened := make(chan error, 1)
	go func() { opened <- box.Open(context.Background()) }()
	<-reading
	if err := box.Close(t.Context()); !errors.Is(err, sdk.ErrTimeout) {
		t.Errorf("got %v", err)
	}
	close(proceed)
	if err := <-opened; !errors.Is(err, sdk.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := client.DeleteAll(t.Context()); err != nil || w.left(t) != 0 {
		t.Errorf("got %v, %d left", err, w.left(t))
	}
}

func TestDeleteAllAlsoDeletesWhatAnyCloseCouldNotDelete(t *testing.T) {
	w := start(t)
	create(t, w.client(), sdk.Spec{Name: "dev", Template: "t"})
	client := w.client()
	box, err := client.Open(t.Context(), "dev")
	if err != nil {
		t.Fatal(err)
	}
	box.Disconnect()
	w.refuseDeletion()
	if err := box.Close(t.Context()); !errors.Is(err, sdk.ErrOrphaned) || len(client.Active(t.Context())) != 0 {
		t.Errorf("got %v", err)
	}
	w.before.Store(nil)
	if err := client.DeleteAll(t.Context()); err != nil || w.left(t) != 0 {
		t.Errorf("got %v, %d left", err, w.left(t))
	}
}

func TestWhatCouldNotBeDeletedCanBeOpened(t *testing.T) {
	w := start(t)
	w.neverReady.Store(true)
	w.refuseDeletion()
	client := w.client(sdk.WithReadyTimeout(50 * time.Millisecond))
	spec := sdk.Spec{Name: "dev", Template: "t"}
	if _, err := client.Create(t.Context(), spec); !errors.Is(err, sdk.ErrOrphaned) {
		t.Fatalf("got %v", err)
	}
	w.before.Store(nil)
	if _, err := client.Open(t.Context(), "dev"); !errors.Is(err, sdk.ErrNotReady) || w.left(t) != 1 {
		t.Errorf("got %v, %d left", err, w.left(t))
	}
	box, err := client.Attach(t.Context(), "dev")
	if err != nil || len(client.Active(t.Context())) != 1 {
		t.Fatalf("got %v", err)
	}
	if err := box.Close(t.Context()); err != nil || w.left(t) != 0 {
		t.Errorf("got %v, %d left", err, w.left(t))
	}
}

func TestDeleteIsAboutWhatHasTheNameNow(t *testing.T) {
	w := start(t)
	client, other := w.client(), w.client()
	create(t, client, sdk.Spec{Name: "dev", Image: "x"})
	if err := other.Delete(t.Context(), "sandbox/dev"); err != nil {
		t.Fatal(err)
	}
	create(t, other, sdk.Spec{Name: "dev", Image: "x"})
	if err := client.Delete(t.Context(), "dev"); err != nil {
		t.Error(err)
	}
	if _, err := w.client().Attach(t.Context(), "dev"); !errors.Is(err, sdk.ErrNotFound) {
		t.Errorf("the handle of an earlier one was closed instead: %v", err)
	}
	if err := client.Delete(t.Context(), "claim/dev"); !errors.Is(err, sdk.ErrNotFound) {
		t.Errorf("there never was such a claim: got %v", err)
	}
	if err := client.Delete(t.Context(), "dev"); err != nil {
		t.Errorf("there is a handle, and its sandbox is gone: got %v", err)
	}
	if err := client.Delete(t.Context(), "dev"); !errors.Is(err, sdk.ErrNotFound) {
		t.Errorf("there is no handle any more: got %v", err)
	}
	if err := client.Delete(t.Context(), "no/such/name"); err == nil || errors.Is(err, sdk.ErrNotFound) {
		t.Errorf("it is no name: got %v", err)
	}
}
