// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func start(t *testing.T) *world {
	t.Helper()
	w := newWorld()
	t.Cleanup(w.close)
	return w
}

func create(t *testing.T, c *sdk.Client, spec sdk.Spec) *sdk.Sandbox {
	t.Helper()
	box, err := c.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

// left returns the claims that exist.
func (w *world) left(t *testing.T) int {
	t.Helper()
	list, err := w.Sandboxes.ExtensionsV1beta1().SandboxClaims("default").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return len(list.Items)
}

func TestWhatDoesNotBecomeReadyIsDeleted(t *testing.T) {
	for name, keep := range map[string]bool{"by default": false, "unless it is to be kept": true} {
		t.Run(name, func(t *testing.T) {
			w := start(t)
			w.neverReady.Store(true)
			_, err := w.client(sdk.WithReadyTimeout(50*time.Millisecond)).Create(
				t.Context(), sdk.Spec{Name: "dev", Template: "t", Keep: keep},
			)
			if !errors.Is(err, sdk.ErrTimeout) || errors.Is(err, sdk.ErrOrphaned) ||
				!strings.HasPrefix(err.Error(), "sandbox default/dev: create: ") {
				t.Errorf("got %v", err)
			}
			if got := w.left(t); (got == 1) != keep {
				t.Errorf("%d claims are left", got)
			}
		})
	}
}

func TestWhatCannotBeDeletedEitherIsNamed(t *testing.T) {
	w := start(t)
	w.neverReady.Store(true)
	w.Refuse("delete", apis.ResourceClaims, errors.New("refused"))
	_, err := w.client(sdk.WithReadyTimeout(50*time.Millisecond)).Create(t.Context(), sdk.Spec{Template: "t"})
	if !errors.Is(err, sdk.ErrOrphaned) || !errors.Is(err, sdk.ErrTimeout) {
		t.Errorf("got %v", err)
	}
}

func TestASpecIsMadeFromOneThing(t *testing.T) {
	w := start(t)
	for _, spec := range []sdk.Spec{{}, {Image: "x", Template: "t"}, {Image: "x", Pool: "p"}} {
		if _, err := w.client().Create(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "needs an Image") {
			t.Errorf("%+v: got %v", spec, err)
		}
	}
}

func TestErrorsTellTheirKind(t *testing.T) {
	w := start(t)
	client := w.client()
	if _, err := client.Open(t.Context(), "nobody"); !errors.Is(err, sdk.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	box := create(t, client, sdk.Spec{Name: "dev", Template: "t"})
	if _, err := client.Create(t.Context(), sdk.Spec{Name: "dev", Template: "t"}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("the API's own errors must stay visible: %v", err)
	}
	w.server.Exec = func(ctx context.Context, _ fakeserver.Process) error {
		w.server.Cut()
		<-ctx.Done()
		return nil
	}
	if _, err := box.Run(t.Context(), "x"); !errors.Is(err, sdk.ErrLost) {
		t.Errorf("got %v", err)
	}
	missing := clientOf(sdk.Clients{
		Sandboxes: fakecluster.New().Refuse("*", apis.ResourceSandboxes, fakecluster.NotServed()).Refuse(
			"*", apis.ResourceClaims, fakecluster.NotServed(),
		).Sandboxes,
		Kubernetes: w.Kubernetes,
		Network:    w.network,
	})
	if _, err := missing.Create(t.Context(), sdk.Spec{Image: "x"}); !errors.Is(err, sdk.ErrNotInstalled) {
		t.Errorf("got %v", err)
	}
}

func TestOutputAndFilesHaveLimits(t *testing.T) {
	w := start(t)
	box := create(t, w.client(sdk.WithMaxOutput(10), sdk.WithMaxFile(10)), sdk.Spec{Template: "t"})
	result, err := box.Run(t.Context(), "sh", "-c", "while :; do echo more; done")
	if !errors.Is(err, sdk.ErrTooLarge) || len(result.Stdout) != 10 {
		t.Errorf("got %d bytes, %v", len(result.Stdout), err)
	}
	if err := box.Write(t.Context(), "f", make([]byte, 11)); !errors.Is(err, sdk.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if _, err := box.Run(t.Context(), "sh", "-c", "echo 0123456789 >f"); err != nil {
		t.Fatal(err)
	}
	if content, err := box.Read(t.Context(), "f"); !errors.Is(err, sdk.ErrTooLarge) || content != nil {
		t.Errorf("got %q, %v", content, err)
	}
}

func TestCloseLetsOperationsEndAndStartsNoNewOnes(t *testing.T) {
	w := start(t)
	box := create(t, w.client(), sdk.Spec{Template: "t"})
	running, proceed := make(chan struct{}), make(chan struct{})
	w.server.Exec = func(_ context.Context, p fakeserver.Process) error {
		close(running)
		<-proceed
		_, err := p.Stdout.Write([]byte("done"))
		return err
	}
	ran := make(chan string, 1)
	go func() {
		result, err := box.Run(context.Background(), "x")
		if err != nil {
			t.Error(err)
		}
		ran <- string(result.Stdout)
	}()
	<-running
	closed := make(chan error, 1)
	go func() { closed <- box.Close(context.Background()) }()
	for { // until Close has begun
		if _, err := box.Status(t.Context()); errors.Is(err, sdk.ErrClosed) {
			break
		}
	}
	if w.left(t) != 1 {
		t.Error("it was deleted while an operation ran")
	}
	close(proceed)
	if got := <-ran; got != "done" {
		t.Errorf("the operation got %q", got)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if w.left(t) != 0 {
		t.Error("it is still there")
	}
	if err := box.Close(t.Context()); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func TestCloseDoesNotWaitForEver(t *testing.T) {
	w := start(t)
	box := create(t, w.client(sdk.WithCleanupTimeout(100*time.Millisecond)), sdk.Spec{Template: "t"})
	running := make(chan struct{})
	w.server.Exec = func(ctx context.Context, _ fakeserver.Process) error {
		close(running)
		<-ctx.Done()
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = box.Run(ctx, "x") // it is cancelled below
	}()
	<-running
	if err := box.Close(t.Context()); err != nil || w.left(t) != 0 {
		t.Errorf("%v, %d left", err, w.left(t))
	}
	cancel()
	<-over
}

func TestDisconnectLeavesTheSandboxAndOpenGoesOn(t *testing.T) {
	w := start(t)
	client := w.client()
	box := create(t, client, sdk.Spec{Name: "dev", Template: "t"})
	if err := box.Open(t.Context()); !errors.Is(err, sdk.ErrAlreadyOpen) {
		t.Errorf("a handle that is open: %v", err)
	}
	box.Disconnect()
	if _, err := box.Run(t.Context(), "sh", "-c", ":"); !errors.Is(err, sdk.ErrClosed) ||
		len(client.Active(t.Context())) != 0 || w.left(t) != 1 {
		t.Errorf("got %v, %d active, %d left", err, len(client.Active(t.Context())), w.left(t))
	}
	if err := box.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Run(t.Context(), "sh", "-c", ":"); err != nil || len(client.Active(t.Context())) != 1 {
		t.Errorf("got %v, %d active", err, len(client.Active(t.Context())))
	}
}

func TestAnotherOfTheSameNameIsNotTheHandles(t *testing.T) {
	w := start(t)
	old := create(t, w.client(), sdk.Spec{Name: "dev", Image: "x"})
	other := w.client()
	if err := other.Delete(t.Context(), "dev"); err != nil {
		t.Fatal(err)
	}
	create(t, other, sdk.Spec{Name: "dev", Image: "x"})
	if _, err := old.Run(t.Context(), "sh", "-c", ":"); !errors.Is(err, sdk.ErrDeleted) {
		t.Errorf("got %v", err)
	}
	if err := old.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := other.Open(t.Context(), "dev"); err != nil {
		t.Errorf("the other one was deleted: %v", err)
	}
}

func TestASandboxWhoseClaimIsGoneIsNotOpened(t *testing.T) {
	w := start(t)
	s := &agentsv1beta1.Sandbox{
		ObjectMeta: metav1.ObjectMeta{
			Name: "dev", Namespace: "default", UID: "uid-of-dev",
			OwnerReferences: []metav1.OwnerReference{
				{
					APIVersion: "extensions.agents.x-k8s.io/v1beta1", Kind: apis.KindSandboxClaim, Name: "dev", UID: "gone",
					Controller: new(true),
				},
			},
		},
	}
	if _, err := w.Sandboxes.AgentsV1beta1().Sandboxes("default").Create(
		t.Context(), s, metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	if _, err := w.client().Open(t.Context(), "dev"); !errors.Is(err, sdk.ErrDeleted) {
		t.Errorf("got %v", err)
	}
}
