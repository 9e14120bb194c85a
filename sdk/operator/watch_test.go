// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
)

// watching is a running Watch with a clock that the test owns.
type watching struct {
	clock *clocktesting.FakeClock
	said  chan string
	// checked is closed when it is known whether there is trouble, over when the Watch has ended.
	checked, over chan struct{}
}

func watch(t *testing.T, client *fake.Clientset) *watching {
	t.Helper()
	w := &watching{
		clock: clocktesting.NewFakeClock(now), said: make(chan string, 9),
		checked: make(chan struct{}), over: make(chan struct{}),
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(w.over)
		say := func(trouble operator.Problem) { w.said <- trouble.Message }
		operator.NewMonitor(client, w.clock).Watch(ctx, "team", func() { close(w.checked) }, say)
	}()
	t.Cleanup(func() {
		cancel()
		<-w.over
	})
	return w
}

// step advances the clock once the Watch waits for it.
func (w *watching) step(t *testing.T, d time.Duration) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(
		t.Context(),
		time.Millisecond,
		10*time.Second,
		true,
		func(context.Context) (bool, error) {
			return w.clock.HasWaiters(), nil
		},
	); err != nil {
		t.Fatal("nobody waits")
	}
	w.clock.Step(d)
}

func (w *watching) says(t *testing.T, want string) {
	t.Helper()
	select {
	case said := <-w.said:
		if !strings.Contains(said, want) {
			t.Errorf("it says %q, want %q in it", said, want)
		}
	case <-time.After(10 * time.Second):
		t.Errorf("it says nothing, want %q", want)
	}
}

func TestTroubleIsSaidOnceAfterASecond(t *testing.T) {
	w := watch(t, fake.NewClientset(deployed(scaled)))
	w.step(t, 900*time.Millisecond)
	w.step(t, 100*time.Millisecond)
	w.says(t, "scaled to zero")
	<-w.over
	<-w.checked
	if len(w.said) > 0 {
		t.Errorf("it says more: %s", <-w.said)
	}
}

func TestTroubleThatComesLaterIsFoundToo(t *testing.T) {
	client := fake.NewClientset(deployed(), lease(leader, 0))
	w := watch(t, client)
	w.step(t, 5*time.Second)
	if _, err := client.AppsV1().Deployments(home).Update(
		t.Context(),
		deployed(scaled),
		metav1.UpdateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.step(t, 20*time.Second) // the Lease grows old meanwhile
	}
	w.says(t, "scaled to zero")
}

func TestALeaseThatOnlyThisMachinesClockThinksOldIsNoTrouble(t *testing.T) {
	client := fake.NewClientset(deployed(), lease(leader, 10*time.Minute))
	w := watch(t, client)
	w.step(t, time.Second)
	w.step(t, 0)
	select {
	case <-w.checked:
		t.Error("it knows whether there is trouble after one look")
	default:
	}
	for i := range 3 {
		w.step(t, 0) // it has looked when it waits again
		renewed := lease(leader, 10*time.Minute-time.Duration(i+1)*time.Second)
		if _, err := client.CoordinationV1().Leases(home).Update(t.Context(), renewed, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		w.step(t, 3*time.Second)
	}
	w.step(t, 0)
	<-w.checked // the renewed Lease tells
	select {
	case said := <-w.said:
		t.Fatalf("it says %q", said)
	default:
	}
	w.step(t, 3*time.Second) // and now nobody renews it
	w.says(t, "no operator leads")
}

func TestOneWhoMayNotLookIsLeftInPeace(t *testing.T) {
	client := fake.NewClientset(deployed(scaled))
	forbid("list", "deployments", "apps")(client)
	forbid("get", "deployments", "apps")(client)
	w := watch(t, client)
	w.step(t, 5*time.Second)
	<-w.over
	if len(client.Actions()) != 2 || len(w.said) > 0 {
		t.Errorf("it asked %d times and said %d things", len(client.Actions()), len(w.said))
	}
}

func TestAnAPIServerThatDoesNotAnswerIsNoTroubleOfTheOperator(t *testing.T) {
	client := fake.NewClientset(deployed(scaled))
	down := true
	client.PrependReactor("list", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
		defer func() { down = false }()
		if down {
			return true, nil, errors.New("no answer")
		}
		return false, nil, nil
	})
	w := watch(t, client)
	w.step(t, 5*time.Second)
	w.step(t, 10*time.Second)
	w.says(t, "scaled to zero")
}
