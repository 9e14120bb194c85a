// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/fake"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/header"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestWhatTheBookDoesNotShowYetIsLookedUpOnceForAll(t *testing.T) {
	client := served(fake.NewSimpleClientset())
	b := filled(t, client)
	asked := make(chan struct{})
	release := make(chan struct{})
	client.PrependReactor("get", "sandboxclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		asked <- struct{}{}
		<-release
		return true, nil, errors.New("down")
	})
	clk := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	l := NewLookup(b, clk)
	failed := make(chan error)
	for range 3 {
		go func() {
			_, _, err := l.Find(t.Context(), header.Address{Namespace: "default", Name: "late"})
			failed <- err
		}()
	}
	<-asked
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.Find(gone, header.Address{Namespace: "default", Name: "late"}); !errors.Is(err, context.Canceled) {
		t.Errorf("one who does not wait gets %v", err)
	}
	close(release)
	for answers := 0; answers < 3; {
		select {
		case err := <-failed:
			answers++
			if err == nil {
				t.Error("a failure is an answer")
			}
		case <-asked: // one of them came after the answer
		}
	}
}

func TestAMissIsRememberedForASecond(t *testing.T) {
	client := served(fake.NewSimpleClientset())
	clk := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	l := NewLookup(filled(t, client), clk)
	late := header.Address{Namespace: "default", Name: "late"}
	gets := func() (count int) {
		for _, action := range client.Actions() {
			if action.GetVerb() == "get" && action.GetResource().Resource == "sandboxes" {
				count++
			}
		}
		return count
	}
	for range 5 {
		if _, ok, err := l.Find(t.Context(), late); ok || err != nil {
			t.Fatalf("found %v, %v", ok, err)
		}
	}
	if gets() != 1 {
		t.Errorf("%d questions", gets())
	}
	clk.SetTime(clk.Now().Add(time.Second + time.Millisecond))
	add(t, client, builders.Sandbox("late", builders.WithUID("s-late")))
	if found, ok, err := l.Find(t.Context(), late); !ok || err != nil || found.Sandbox.UID != "s-late" {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestWhoWaitsForASandboxSeesItsChangesAndItsEnd(t *testing.T) {
	client := with(t, builders.Sandbox("box", builders.WithUID("s-box"), builders.WithReplicas(0)))
	b := filled(t, client)
	sandbox := b.Current("default", "s-box")
	ended := make(chan error)
	states := make(chan State, 100)
	go func() {
		ended <- b.Wait(t.Context(), sandbox, func(is *Sandbox) bool {
			if is != nil {
				states <- is.State
			}
			return is == nil
		})
	}()
	if is := <-states; is != Suspended {
		t.Errorf("at first %d", is)
	}
	resumed := builders.Sandbox("box", builders.WithUID("s-box"), builders.WithResourceVersion("2"))
	if _, err := client.AgentsV1beta1().Sandboxes("default").Update(t.Context(), resumed,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for is := range states {
		if is == Starting {
			break
		}
	}
	if err := client.AgentsV1beta1().Sandboxes("default").Delete(t.Context(), "box", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	short, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Wait(short, sandbox, func(*Sandbox) bool { return false }); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the wait: %v", err)
	}
}
