// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// state is what a handle can be used for.
type state int

const (
	// stateDisconnected is that of a handle that runs no operations until Open, such as a new one.
	stateDisconnected state = iota
	stateOpen
	// stateClosed is that of a handle whose sandbox was deleted.
	stateClosed
)

// life is the part of a handle that opens and closes it.
type life struct {
	turn chan struct{} // holds a value while the handle is opened or closed, which takes turns

	mu      sync.Mutex
	state   state
	preempt context.CancelCauseFunc // ends the opening that has the turn; nil if none has
	span    *handleSpan
	running *sync.WaitGroup // operations since the handle was opened
	doomed  bool            // Close was called and failed
	// ended ends when the handle has been closed and its operations had time to end. Connections end with it.
	ended context.Context
	end   context.CancelCauseFunc
}

func newLife() *life {
	l := &life{turn: make(chan struct{}, 1), running: &sync.WaitGroup{}}
	l.ended, l.end = context.WithCancelCause(context.Background())
	return l
}

// takeTurn waits until nobody else opens or closes the handle.
func (l *life) takeTurn(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *life) endTurn() { <-l.turn }

// begin begins an opening, which Close and Disconnect can end. The caller has the turn.
func (l *life) begin(ctx context.Context) (opening context.Context, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch l.state {
	case stateOpen:
		return nil, ErrAlreadyOpen
	case stateClosed:
		return nil, ErrClosed
	case stateDisconnected:
	}
	opening, l.preempt = context.WithCancelCause(ctx)
	return opening, nil
}

// opened ends an opening. It returns an error if the opening failed, or was ended meanwhile.
func (l *life) opened(opening context.Context, span *handleSpan, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cause := context.Cause(opening); errors.Is(cause, ErrClosed) && !errors.Is(err, ErrClosed) {
		err = errors.Join(cause, err)
	}
	l.preempt(nil)
	l.preempt = nil
	if err != nil {
		return err
	}
	l.state, l.span = stateOpen, span
	return nil
}

// leave makes the handle refuse operations, and returns what it was.
func (l *life) leave(to state) (was state, running *sync.WaitGroup, span *handleSpan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.preempt != nil {
		l.preempt(ErrClosed)
	}
	was, running, span = l.state, l.running, l.span
	if was != stateClosed {
		l.state, l.running, l.span = to, &sync.WaitGroup{}, nil
	}
	return was, running, span
}

// revive undoes a Close that failed, so that it can be called again.
func (l *life) revive(to state, span *handleSpan) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.span, l.doomed = to, span, true
	if l.ended.Err() != nil {
		l.ended, l.end = context.WithCancelCause(context.Background())
	}
}

// wanted reports whether somebody uses the handle, or has tried to close it.
func (l *life) wanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == stateOpen || l.doomed
}

// enter begins an operation. Its context also ends when the handle is closed and does not wait any longer.
func (l *life) enter(ctx context.Context) (_ context.Context, span *handleSpan, leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != stateOpen {
		return nil, nil, nil, ErrClosed
	}
	running := l.running
	running.Add(1)
	ctx, release := withEnd(ctx, l.ended)
	return ctx, l.span, func() { release(); running.Done() }, nil
}

// connect begins something that ends with the handle, and that Close does not wait for.
func (l *life) connect() (ended context.Context, span *handleSpan, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != stateOpen {
		return nil, nil, ErrClosed
	}
	return l.ended, l.span, nil
}

// connections returns the context of connections, which ends with the handle.
func (l *life) connections() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

func (l *life) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == stateOpen
}

// withEnd returns a context that ends with both.
func withEnd(ctx, other context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() { stop(); cancel(nil) }
}

// Open attaches again after Disconnect, and returns when the sandbox is ready. Close and Disconnect end it. The error
// for a handle that is open is ErrAlreadyOpen.
func (s *Sandbox) Open(ctx context.Context) error {
	return s.wrap("open", s.open(ctx, func(ctx context.Context) error {
		if err := s.lookUp(ctx); err != nil {
			return err
		}
		return s.ready(ctx)
	}))
}

// open opens the handle if ready returns nil.
func (s *Sandbox) open(ctx context.Context, ready func(context.Context) error) error {
	if err := s.takeTurn(ctx); err != nil {
		return err
	}
	defer s.endTurn()
	ctx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	opening := ctx
	ctx, span := s.client.tracer.startHandle(ctx, s)
	if err = s.opened(opening, span, s.reconnect(ctx, span, ready)); err != nil {
		if !s.ours && !s.wanted() {
			s.client.handles.remove(s)
		}
		span.end(err)
		return err
	}
	s.client.handles.add(s)
	return nil
}

// reconnect calls ready in a span of its own.
func (s *Sandbox) reconnect(ctx context.Context, span *handleSpan, ready func(context.Context) error) (err error) {
	ctx, done := s.client.tracer.startOperation(ctx, span, s, "reconnect")
	defer func() { done(err) }()
	return ready(ctx)
}

// Disconnect releases the handle and leaves the sandbox as it is. Running operations and connections continue; new ones
// return ErrClosed until Open.
func (s *Sandbox) Disconnect() {
	if was, _, span := s.leave(stateDisconnected); was == stateOpen {
		s.direct.CloseIdleConnections()
		s.client.handles.remove(s)
		span.end(nil)
	}
}

// Close deletes the sandbox. It ends an Open that has not returned yet, and waits for running operations, for half of
// the cleanup timeout. Then it ends what is left, and connections. A second call does nothing, unless the deletion
// failed. Close does not wait until garbage collection has removed a claim's Sandbox and Pod.
func (s *Sandbox) Close(ctx context.Context) error {
	was, running, span := s.leave(stateClosed)
	turn, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.client.cleanupTimeout)
	defer cancel()
	if err := s.takeTurn(turn); err != nil {
		s.notClosed(was, span)
		return s.wrap("close", fmt.Errorf("the handle is being opened or closed: %w", err))
	}
	defer s.endTurn()
	if was == stateClosed { // another Close has ended, and may have failed
		was, running, span = s.leave(stateClosed)
	}
	if was == stateClosed {
		return nil
	}
	s.drain(ctx, running.Wait)
	s.endConnections()
	if err := s.deleteObject(ctx); err != nil {
		s.notClosed(was, span)
		return s.wrap("close", err)
	}
	s.client.handles.remove(s)
	span.end(nil)
	return nil
}

// notClosed makes the handle what it was before a Close that failed. DeleteAll will try again.
func (s *Sandbox) notClosed(was state, span *handleSpan) {
	if was != stateClosed {
		s.revive(was, span)
		s.client.handles.share(s)
	}
}

// endConnections ends what the handle has started.
func (s *Sandbox) endConnections() {
	s.mu.Lock()
	end := s.end
	s.mu.Unlock()
	end(ErrClosed)
	s.direct.CloseIdleConnections()
}

// drain waits for running operations, for half of the cleanup timeout at most.
func (s *Sandbox) drain(ctx context.Context, wait func()) {
	over := make(chan struct{})
	go func() {
		wait()
		close(over)
	}()
	timer := s.client.clock.NewTimer(s.client.cleanupTimeout / 2)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C():
	case <-ctx.Done():
	}
}

// deleteObject deletes the sandbox, even if the caller's context has ended.
func (s *Sandbox) deleteObject(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.client.cleanupTimeout/2)
	defer cancel()
	ref, uid := s.reference()
	err := s.retry(ctx, func() error {
		t, err := s.client.resolver.ClaimAndSandbox(ctx, s.namespace, ref)
		switch {
		case resolve.Is(err, resolve.NotFound), err == nil && t.UID() != uid:
			return nil
		case err == nil:
			err = s.client.sandboxes.Delete(ctx, t, false)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%w: it could not be deleted: %w", ErrOrphaned, err)
	}
	return nil
}
