// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package follow

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// ErrGone is in the chain of the error for a sandbox that was deleted.
var ErrGone = errors.New("the sandbox was deleted")

const (
	// pollWithoutPod is how often the sandbox is read without an event while no Pod runs.
	pollWithoutPod = time.Second
	// pollWithPod is the same while one runs.
	pollWithPod = 15 * time.Second
)

// State is the latest observed state.
type State struct {
	// Target has a running Pod if Err is nil.
	Target *resolve.Target
	// Err says why no Pod is running.
	Err error
}

// Final reports whether the sandbox will have no running Pod unless somebody changes it.
func (s State) Final() bool {
	return errors.Is(s.Err, ErrGone) || resolve.Is(s.Err, resolve.Finished) || resolve.Is(s.Err, resolve.Expired)
}

// WaitingText says why the next Pod is awaited; it is empty while a Pod runs, and if none will.
func (s State) WaitingText() string {
	if s.Err == nil || s.Final() {
		return ""
	}
	return s.Err.Error() + ": waiting for the next Pod"
}

// Follower follows one sandbox. Its methods may be called by several goroutines.
type Follower struct {
	resolver *resolve.Resolver
	waiter   *await.Waiter
	clock    clock.WithTicker
	first    *resolve.Target
	recheck  chan struct{}

	mu      sync.Mutex
	state   State
	changed chan struct{} // closed when the state has changed
}

// New follows the sandbox that the target refers to. Its Pod must be running.
func New(resolver *resolve.Resolver, waiter *await.Waiter, clock clock.WithTicker, target *resolve.Target) *Follower {
	first := *target
	if first.Ref.Kind == resolve.KindPod {
		first.Ref = resolve.Ref{Kind: resolve.KindSandbox, Name: first.Sandbox.Name} // the next Pod may have another name
	}
	return &Follower{
		resolver: resolver, waiter: waiter, clock: clock, first: &first, recheck: make(chan struct{}, 1),
		state: State{Target: target}, changed: make(chan struct{}),
	}
}

// Run reads the sandbox whenever it may have changed. It returns nil when the context ends, and an error when the
// sandbox is gone. Only Run calls tell, with each state whose Pod or error differs from the one before.
func (f *Follower) Run(ctx context.Context, tell func(State)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changes := f.waiter.Watch(ctx)
	changes.AddTarget(f.first)
	for {
		now := f.observe(ctx)
		if ctx.Err() != nil {
			return nil
		}
		changes.AddTarget(now.Target)
		if f.record(now) {
			tell(now)
		}
		if errors.Is(now.Err, ErrGone) {
			return now.Err
		}
		pause := pollWithoutPod
		if now.Err == nil {
			pause = pollWithPod
		}
		timer := f.clock.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-changes.Changed():
		case <-f.recheck:
		case <-timer.C():
		}
		timer.Stop()
	}
}

func (f *Follower) observe(ctx context.Context) State {
	t, err := f.resolver.Running(ctx, f.first.Namespace, f.first.Ref)
	switch {
	case resolve.Is(err, resolve.NotFound), resolve.Is(err, resolve.Deleting), err == nil && t.UID() != f.first.UID():
		return State{Err: fmt.Errorf("%s: %w", f.first.Ref, ErrGone)}
	case err != nil:
		return State{Err: err}
	}
	return State{Target: t}
}

// record stores the state, and reports whether its Pod or error has changed.
func (f *Follower) record(now State) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	same := now.Err != nil && f.state.Err != nil && now.Err.Error() == f.state.Err.Error() ||
		now.Err == nil && f.state.Err == nil && now.Target.Pod.UID == f.state.Target.Pod.UID
	f.state = now
	if !same {
		close(f.changed)
		f.changed = make(chan struct{})
	}
	return !same
}

func (f *Follower) current() (State, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state, f.changed
}

// Recheck makes Run read the sandbox at once: the caller has seen that the state is outdated.
func (f *Follower) Recheck() {
	select {
	case f.recheck <- struct{}{}:
	default: // a check is already due
	}
}

// Running waits for a running Pod. It returns an error if none will run unless somebody changes the sandbox, or the
// context's error.
func (f *Follower) Running(ctx context.Context) (*resolve.Target, error) {
	for {
		state, changed := f.current()
		switch {
		case state.Err == nil:
			return state.Target, nil
		case state.Final():
			return nil, state.Err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", state.Err, ctx.Err())
		}
	}
}
