// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/fake"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/book"
)

// page is a book with one Sandbox.
type page struct {
	mu      sync.Mutex
	is      *book.Sandbox
	changed chan struct{}
}

func newPage(state book.State) *page { return &page{is: sandbox(state), changed: make(chan struct{})} }

func sandbox(state book.State) *book.Sandbox {
	return &book.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "box", UID: "u"}, State: state}
}

func (p *page) shows(is *book.Sandbox) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.is = is
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *page) now() (*book.Sandbox, chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.is, p.changed
}

func (p *page) Current(string, types.UID) *book.Sandbox {
	is, _ := p.now()
	return is
}

func (p *page) Wait(ctx context.Context, _ *book.Sandbox, done func(*book.Sandbox) bool) error {
	for {
		is, changed := p.now()
		if done(is) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		}
	}
}

// world is a Resumer whose writes arrive in a channel.
type world struct {
	*Resumer

	page   *page
	writes chan struct{}
}

func newWorld(state book.State, limit time.Duration) *world {
	w := &world{page: newPage(state), writes: make(chan struct{}, 100)}
	client := fake.NewSimpleClientset()
	client.PrependReactor("patch", "sandboxes", func(clienttesting.Action) (bool, runtime.Object, error) {
		w.writes <- struct{}{}
		return true, &agentsv1beta1.Sandbox{}, nil
	})
	w.Resumer = &Resumer{Sandboxes: client, Book: w.page, Limit: limit, Done: func(error) {}}
	return w
}

func TestWhatHasResumedMeanwhileIsNotWrittenAgain(t *testing.T) {
	w := newWorld(book.Ready, time.Minute)
	if err := w.Resume(t.Context(), sandbox(book.Suspended)); err != nil || len(w.writes) > 0 {
		t.Errorf("%v, and %d writes", err, len(w.writes))
	}
}

func TestAResumeOutlivesWhoBeganIt(t *testing.T) {
	w := newWorld(book.Suspended, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- w.Resume(ctx, sandbox(book.Suspended)) }()
	<-w.writes
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("who stops waiting gets %v", err)
	}
	go func() { second <- w.Resume(t.Context(), sandbox(book.Suspended)) }()
	w.page.shows(sandbox(book.Starting))
	w.page.shows(sandbox(book.Ready))
	if err := <-second; err != nil || len(w.writes) > 0 {
		t.Errorf("who comes later gets %v after %d more writes", err, len(w.writes))
	}
}

func TestHowAResumeEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		becomes *book.Sandbox
		want    error
	}{
		"it is Ready":     {sandbox(book.Ready), nil},
		"it is gone":      {nil, ErrGone},
		"it has expired":  {sandbox(book.Expired), ErrGone},
		"it has finished": {sandbox(book.Finished), ErrGone},
		"it only starts":  {sandbox(book.Starting), context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			limit := 30 * time.Second
			if errors.Is(tt.want, context.DeadlineExceeded) {
				limit = 10 * time.Millisecond
			}
			w := newWorld(book.Suspended, limit)
			ended := make(chan error, 1)
			go func() { ended <- w.Resume(t.Context(), sandbox(book.Suspended)) }()
			<-w.writes
			w.page.shows(tt.becomes)
			if err := <-ended; !errors.Is(err, tt.want) {
				t.Errorf("it ends with %v, want %v", err, tt.want)
			}
		})
	}
}
