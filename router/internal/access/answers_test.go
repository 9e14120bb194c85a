// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/reply"
)

func TestAnswersAreKeptForTheStatedTimeTheNegativeOnesToo(t *testing.T) {
	w := newWorld()
	w.allowed = []string{"ann/agents.x-k8s.io/sandboxes/team/box"}
	g := New(w.config)
	box := Subject{Namespace: "team", Sandbox: "box", UIDs: []types.UID{"s"}}
	round := func(wantAnn int) {
		t.Helper()
		for range 3 {
			ann, err := g.Authenticate(request("Bearer t-ann"))
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Authorize(t.Context(), ann, box); statusOf(err) != wantAnn {
				t.Errorf("ann: %v", err)
			}
			bob, _ := g.Authenticate(request("Bearer t-bob"))
			if err := g.Authorize(t.Context(), bob, box); statusOf(err) != 403 {
				t.Errorf("bob: %v", err)
			}
			if _, err := g.Authenticate(request("Bearer t-eve")); statusOf(err) != 401 {
				t.Errorf("eve: %v", err)
			}
		}
	}
	round(200)
	if len(w.tokens) != 3 || len(w.access) != 2 {
		t.Errorf("%d tokens and %d permissions were reviewed", len(w.tokens), len(w.access))
	}
	w.allowed = nil // the permission is taken away
	w.clock.SetTime(w.clock.Now().Add(9 * time.Second))
	round(200)
	w.clock.SetTime(w.clock.Now().Add(2 * time.Second))
	round(403)
	if len(w.tokens) != 6 || len(w.access) != 4 {
		t.Errorf("afterwards %d tokens and %d permissions were reviewed", len(w.tokens), len(w.access))
	}
}

func TestAFailureToAnswerIsNotKeptAndNotQuoted(t *testing.T) {
	w := newWorld()
	w.err = errors.New("secret detail of the API server")
	g := New(w.config)
	_, err := g.Authenticate(request("Bearer t-ann"))
	is, ok := errors.AsType[*reply.Error](err)
	if !ok || is.Status != 503 || is.RetryAfter == 0 || strings.Contains(is.Detail, "secret") {
		t.Errorf("answer %+v", err)
	}
	w.mu.Lock()
	w.err = nil
	w.mu.Unlock()
	if _, err := g.Authenticate(request("Bearer t-ann")); err != nil {
		t.Error(err)
	}
}

func TestMadeUpTokensTakeBoundedMemory(t *testing.T) {
	w := newWorld()
	g := New(w.config)
	for i := range maxAnswers + 100 {
		if _, err := g.Authenticate(request(fmt.Sprintf("Bearer made-up-%d", i))); statusOf(err) != 401 {
			t.Fatal(err)
		}
	}
	if kept := len(g.reviews.users.kept.Keys()); kept > maxAnswers {
		t.Errorf("%d answers are kept", kept)
	}
}

func TestManyWhoAskAtOnceCauseOneReview(t *testing.T) {
	w := newWorld()
	g := New(w.config)
	w.mu.Lock() // the API server waits
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := g.Authenticate(request("Bearer t-ann")); err != nil {
				t.Error(err)
			}
		})
	}
	w.mu.Unlock()
	all.Wait()
	if len(w.tokens) != 1 {
		t.Errorf("%d reviews", len(w.tokens))
	}
}

func TestAFailureIsNoRefusal(t *testing.T) {
	w := newWorld()
	g := New(w.config)
	ann, err := g.Authenticate(request("Bearer t-ann"))
	if err != nil {
		t.Fatal(err)
	}
	w.err = errors.New("down")
	for _, subject := range []Subject{
		{Namespace: "team", Sandbox: "box"}, {Namespace: "team", Claim: "box"},
		{Namespace: "team", Sandbox: "box", Claim: "box"},
	} {
		if err := g.Authorize(t.Context(), ann, subject); statusOf(err) != 503 {
			t.Errorf("%+v: %v", subject, err)
		}
	}
}
