// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
)

func TestOpenOfWhatIsOpenReturnsThatHandle(t *testing.T) {
	w := start(t)
	client := w.client()
	box := create(t, client, sdk.Spec{Name: "dev", Template: "t"})
	var all sync.WaitGroup
	for _, name := range []string{"dev", "claim/dev"} {
		all.Go(func() {
			if other, err := client.Open(t.Context(), name); err != nil || other != box {
				t.Errorf("%s: got another handle, %v", name, err)
			}
		})
		all.Go(func() {
			if other, err := client.Attach(t.Context(), name); err != nil || other != box {
				t.Errorf("%s: got another handle, %v", name, err)
			}
		})
	}
	all.Wait()
	elsewhere := w.client()
	handles := make([]*sdk.Sandbox, 8)
	for i := range handles {
		all.Go(func() {
			var err error
			if handles[i], err = elsewhere.Open(t.Context(), "dev"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(slices.Compact(handles)); n != 1 || len(elsewhere.Active(t.Context())) != 1 {
		t.Errorf("%d handles of one sandbox", n)
	}
	if err := box.Suspend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Open(t.Context(), "dev"); !errors.Is(err, sdk.ErrSuspended) {
		t.Errorf("the handle is open, but its sandbox is suspended: got %v", err)
	}
}

func TestCloseAndDisconnectEndAnOpenThatWaits(t *testing.T) {
	for name, end := range map[string]func(*sdk.Sandbox) error{
		"Close":      func(s *sdk.Sandbox) error { return s.Close(context.Background()) },
		"Disconnect": func(s *sdk.Sandbox) error { s.Disconnect(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			leaks.Check(t, "sdk")
			w := start(t)
			w.neverReady.Store(true)
			client := w.client()
			box, err := client.Attach(t.Context(), w.unready(t))
			if err != nil {
				t.Fatal(err)
			}
			box.Disconnect()
			opened := make(chan error, 1)
			waiting := w.reads(apis.ResourceSandboxes, 2)
			go func() { opened <- box.Open(context.Background()) }()
			<-waiting
			if err := end(box); err != nil {
				t.Error(err)
			}
			if err := <-opened; !errors.Is(err, sdk.ErrClosed) {
				t.Errorf("got %v", err)
			}
			if len(client.Active(t.Context())) != 0 {
				t.Error("it is active")
			}
		})
	}
}

// unready creates a Sandbox that does not become ready, and returns when the operator has read it, whose reads would
// otherwise count as the client's.
func (w *world) unready(t *testing.T) string {
	t.Helper()
	seen := w.reads(apis.ResourceSandboxes, 1)
	s := builders.Sandbox("slow", builders.WithUID("uid-of-slow"))
	if _, err := w.Sandboxes.AgentsV1beta1().Sandboxes("default").Create(
		t.Context(), s, metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	<-seen
	return s.Name
}

// reads returns a channel that is closed when a resource has been read so many times from now on.
func (w *world) reads(resource string, times int64) <-chan struct{} {
	var count atomic.Int64
	done := make(chan struct{})
	w.before.Store(new(func(verb, of string) error {
		if verb == "get" && of == resource && count.Add(1) == times {
			close(done)
		}
		return nil
	}))
	return done
}

func TestWhatIsBeingCreatedIsDeletedWithTheRest(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	w.neverReady.Store(true)
	client := w.client()
	created := make(chan error, 1)
	waiting := w.reads(apis.ResourceClaims, 1)
	go func() {
		_, err := client.Create(context.Background(), sdk.Spec{Template: "t"})
		created <- err
	}()
	<-waiting
	if err := client.DeleteAll(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-created; !errors.Is(err, sdk.ErrClosed) || w.left(t) != 0 {
		t.Errorf("got %v, %d left", err, w.left(t))
	}
}

func TestWhatExistedBeforeIsNotDeletedBecauseItIsBeingOpened(t *testing.T) {
	w := start(t)
	w.neverReady.Store(true)
	client, name := w.client(), w.unready(t)
	opened := make(chan error, 1)
	waiting := w.reads(apis.ResourceSandboxes, 2)
	go func() {
		_, err := client.Open(context.Background(), name)
		opened <- err
	}()
	<-waiting
	if err := client.DeleteAll(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-opened; !errors.Is(err, sdk.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := w.client().Attach(t.Context(), name); err != nil {
		t.Errorf("it was deleted: %v", err)
	}
}

// refuseDeletion makes deletions fail.
func (w *world) refuseDeletion() {
	w.before.Store(new(func(verb, _ string) error {
		if verb == "delete" {
			return errors.New("refused")
		}
		return nil
	}))
}

func TestWhatCouldNotBeDeletedIsTriedAgain(t *testing.T) {
	w := start(t)
	w.neverReady.Store(true)
	w.refuseDeletion()
	client := w.client(sdk.WithReadyTimeout(50 * time.Millisecond))
	if _, err := client.Create(t.Context(), sdk.Spec{Template: "t"}); !errors.Is(err, sdk.ErrOrphaned) {
		t.Fatalf("got %v", err)
	}
	if active := client.Active(t.Context()); len(active) != 0 {
		t.Errorf("%d handles are open", len(active))
	}
	if err := client.DeleteAll(t.Context()); !errors.Is(err, sdk.ErrOrphaned) || w.left(t) != 1 {
		t.Errorf("got %v, %d left", err, w.left(t))
	}
	w.before.Store(nil)
	if err := client.DeleteAll(t.Context()); err != nil || w.left(t) != 0 {
		t.Errorf("got %v, %d left", err, w.left(t))
	}
}

func TestAFailedDeletionLeavesTheHandleAsItWas(t *testing.T) {
	w := start(t)
	w.refuseDeletion()
	box := create(t, w.client(), sdk.Spec{Template: "t"})
	if err := box.Close(t.Context()); !errors.Is(err, sdk.ErrOrphaned) {
		t.Errorf("got %v", err)
	}
	if _, err := box.Run(t.Context(), "sh", "-c", ":"); err != nil {
		t.Errorf("got %v", err)
	}
	w.before.Store(nil)
	if err := box.Close(t.Context()); err != nil || w.left(t) != 0 {
		t.Errorf("got %v, %d left", err, w.left(t))
	}
}

func TestActiveDropsWhatIsGone(t *testing.T) {
	w := start(t)
	client := w.client()
	create(t, client, sdk.Spec{Name: "stays", Image: "x"})
	create(t, client, sdk.Spec{Name: "goes", Image: "x"})
	create(t, client, sdk.Spec{Name: "replaced", Image: "x"})
	other := w.client()
	for _, name := range []string{"goes", "replaced"} {
		if err := other.Delete(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	create(t, other, sdk.Spec{Name: "replaced", Image: "x"})
	if got := client.Active(t.Context()); len(got) != 1 || got[0].Name() != "stays" {
		t.Errorf("got %d handles", len(got))
	}
	if err := client.DeleteAll(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := other.Open(t.Context(), "replaced"); err != nil {
		t.Errorf("another of that name was deleted: %v", err)
	}
}

func TestANamespaceForEachCall(t *testing.T) {
	w := start(t)
	client := w.client()
	create(t, client, sdk.Spec{Name: "dev", Image: "x"})
	team := client.In("team")
	if _, err := team.Open(t.Context(), "dev"); !errors.Is(err, sdk.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	s := builders.Sandbox("dev", builders.WithUID("uid-in-team"), builders.InNamespace("team"))
	if _, err := w.Sandboxes.AgentsV1beta1().Sandboxes("team").Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	box, err := team.Attach(t.Context(), "dev")
	if err != nil || box.Namespace() != "team" || len(client.Active(t.Context())) != 2 {
		t.Fatalf("got %v, %d active", err, len(client.Active(t.Context())))
	}
	if err := team.Delete(t.Context(), "dev"); err != nil {
		t.Error(err)
	}
	if active := client.Active(t.Context()); len(active) != 1 || active[0].Namespace() != "default" {
		t.Errorf("got %d active", len(active))
	}
	if names, err := client.List(t.Context()); err != nil || !slices.Equal(names, []string{"dev"}) {
		t.Errorf("got %v, %v", names, err)
	}
}

func TestAClaimThatCannotBeCreatedAndOneThatIsNotAsAsked(t *testing.T) {
	w := start(t)
	var asked atomic.Int64
	w.before.Store(new(func(verb, resource string) error {
		if verb == "create" && resource == apis.ResourceClaims && asked.Add(1) == 1 {
			return apierrors.NewBadRequest(`strict decoding error: unknown field "spec.sandboxMetadata"`)
		}
		return nil
	}))
	spec := sdk.Spec{Name: "dev", Template: "t", Labels: map[string]string{"team": "a"}}
	box := create(t, w.client(), spec)
	if remarks := box.Remarks(); len(remarks) != 1 {
		t.Errorf("remarks: %q", remarks)
	}
	if _, err := w.client().Create(t.Context(), spec); !errors.Is(err, sdk.ErrClaimFailed) ||
		!apierrors.IsAlreadyExists(err) {
		t.Errorf("got %v", err)
	}
}

func TestAnImageWithATimeToLiveIsCleanedUpAsAClaimIs(t *testing.T) {
	w := start(t)
	create(t, w.client(), sdk.Spec{Name: "image", Image: "x", TTL: time.Hour})
	create(t, w.client(), sdk.Spec{Name: "claim", Template: "t", TTL: time.Hour})
	sandbox, err := w.Sandboxes.AgentsV1beta1().Sandboxes("default").Get(t.Context(), "image", metav1.GetOptions{})
	if err != nil || sandbox.Spec.ShutdownTime == nil || *sandbox.Spec.ShutdownPolicy != "Delete" {
		t.Errorf("%+v, %v", sandbox.Spec.Lifecycle, err)
	}
	claim, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").Get(t.Context(), "claim", metav1.GetOptions{})
	if err != nil || claim.Spec.Lifecycle.ShutdownTime == nil || claim.Spec.Lifecycle.ShutdownPolicy != "Delete" {
		t.Errorf("%+v, %v", claim.Spec.Lifecycle, err)
	}
}
