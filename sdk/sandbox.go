// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/wait"
)

// Sandbox is a handle. Its methods may be called by several goroutines.
type Sandbox struct {
	client *Client
	name   string

	mu      sync.Mutex
	life    *life
	ref     resolve.Ref
	uid     types.UID // once it was found
	closed  bool      // for good
	away    bool      // disconnected, until it is opened again
	running sync.WaitGroup
}

// Name is the name of the claim or Sandbox: with it another process can attach to the same.
func (s *Sandbox) Name() string { return s.name }

// Namespace is where it is.
func (s *Sandbox) Namespace() string { return s.client.namespace }

func compare(a, b string) int { return strings.Compare(a, b) }

// failed wraps an error; nil stays nil.
func (s *Sandbox) failed(op string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Namespace: s.client.namespace, Name: s.name, Op: op, Err: err}
}

// operate runs one operation, unless the handle is closed. Close waits for it.
func (s *Sandbox) operate(ctx context.Context, op string, do func(ctx context.Context) error) (err error) {
	s.mu.Lock()
	if s.closed || s.away {
		s.mu.Unlock()
		return s.failed(op, ErrClosed)
	}
	s.running.Add(1)
	life := s.life
	s.mu.Unlock()
	defer s.running.Done()
	ctx, done := s.client.tracer.begin(life.in(ctx), s, op)
	defer func() { done(err) }()
	return s.failed(op, do(ctx))
}

// reference is what the handle looks for, and the UID of what it found first.
func (s *Sandbox) reference() (resolve.Ref, types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ref, s.uid
}

// find looks the sandbox up. The handle stays with the object that it found first.
func (s *Sandbox) find(ctx context.Context) error {
	ref, _ := s.reference()
	t, err := s.client.resolver.Holder(ctx, s.client.namespace, ref)
	if err != nil {
		return err
	}
	return s.pin(t)
}

// pin holds the handle to the object that was found first.
func (s *Sandbox) pin(t *resolve.Target) error {
	if t.ClaimGone {
		return fmt.Errorf("%w: its Sandbox is still there for a moment", ErrDeleted)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uid != "" && t.UID() != s.uid {
		return fmt.Errorf("%w: another of that name was made since", ErrDeleted)
	}
	s.uid = t.UID()
	if s.ref.Kind == resolve.KindAny {
		s.ref.Kind = resolve.KindSandbox
		if t.Claim != nil {
			s.ref.Kind = resolve.KindClaim
		}
	}
	return nil
}

// Open attaches again after Disconnect, and returns when the sandbox is ready.
func (s *Sandbox) Open(ctx context.Context) error {
	s.mu.Lock()
	away := s.away && !s.closed
	s.mu.Unlock()
	if !away {
		return s.failed("open", errors.New("the handle is open, or closed for good"))
	}
	ctx, life := s.client.tracer.lifecycle(ctx, s)
	err := s.find(ctx)
	if err == nil {
		err = s.wait(ctx, wait.Ready)
	}
	if err != nil {
		life.end(err)
		return s.failed("open", s.suspension(ctx, err))
	}
	s.mu.Lock()
	s.away, s.life = false, life
	s.mu.Unlock()
	s.client.keep(s)
	return nil
}

// suspension tells of a sandbox that will not be ready because it is suspended.
func (s *Sandbox) suspension(ctx context.Context, err error) error {
	ref, _ := s.reference()
	if t, look := s.client.resolver.Objects(ctx, s.client.namespace, ref); look == nil {
		if obstacle := resolve.Obstacle(t, s.client.clock.Now()); obstacle != nil {
			return errors.Join(obstacle, err)
		}
	}
	return err
}

// wait waits for a goal, at most as long as the Client waits for readiness.
func (s *Sandbox) wait(ctx context.Context, goal wait.Goal) error {
	watching, stop := context.WithCancel(ctx)
	var watched sync.WaitGroup
	defer watched.Wait()
	defer stop()
	watched.Go(func() {
		s.client.operators.Watch(watching, s.client.namespace, func(trouble operator.Trouble) { s.client.progress(s.name, trouble.Message) })
	})
	ref, uid := s.reference()
	_, err := s.client.waiter.For(ctx, wait.Request{
		Namespace: s.client.namespace, Ref: ref, Goal: goal, UID: uid, Timeout: s.client.ready,
		Progress: func(obstacle string) { s.client.progress(s.name, obstacle) },
	})
	return err
}

// Wait returns when the sandbox is ready, suspended or finished.
func (s *Sandbox) Wait(ctx context.Context, goal wait.Goal) error {
	return s.operate(ctx, "wait", func(ctx context.Context) error { return s.wait(ctx, goal) })
}

// Status says how the sandbox is, what stands in its way, and what to do.
func (s *Sandbox) Status(ctx context.Context) (d diagnose.Diagnosis, err error) {
	err = s.operate(ctx, "status", func(ctx context.Context) error {
		ref, _ := s.reference()
		t, err := s.client.resolver.Visible(ctx, s.client.namespace, ref)
		if err == nil {
			err = s.pin(t)
		}
		if err == nil {
			d = diagnose.Of(s.client.observer.Facts(ctx, t))
		}
		return err
	})
	return d, err
}

// Suspend ends the sandbox's Pod and returns when it has ended. Its volumes stay.
func (s *Sandbox) Suspend(ctx context.Context) error {
	return s.operate(ctx, "suspend", func(ctx context.Context) error {
		t, err := s.target(ctx)
		if err == nil {
			_, err = s.client.changes.Suspend(ctx, t)
		}
		if err == nil {
			err = s.wait(ctx, wait.Suspended)
		}
		return err
	})
}

// Resume starts a suspended sandbox again and returns when it is ready.
func (s *Sandbox) Resume(ctx context.Context) error {
	return s.operate(ctx, "resume", func(ctx context.Context) error {
		t, err := s.target(ctx)
		if err == nil {
			_, err = s.client.changes.Resume(ctx, t)
		}
		if err == nil {
			err = s.wait(ctx, wait.Ready)
		}
		return err
	})
}

// target resolves the handle to its objects.
func (s *Sandbox) target(ctx context.Context) (*resolve.Target, error) {
	ref, _ := s.reference()
	t, err := s.client.resolver.Objects(ctx, s.client.namespace, ref)
	if err == nil {
		err = s.pin(t)
	}
	return t, err
}

// container is where commands run now: the Pod may be another than the last time.
func (s *Sandbox) container(ctx context.Context) (stream.Container, error) {
	t, err := s.target(ctx)
	if err == nil {
		err = resolve.Obstacle(t, s.client.clock.Now())
	}
	if err != nil {
		return stream.Container{}, err
	}
	name, err := resolve.Container(t.Pod, "")
	return stream.Container{Namespace: t.Namespace, Pod: t.Pod.Name, Name: name}, err
}

// Disconnect gives the handle up and leaves the sandbox as it is. Operations that run go on; new ones are ErrClosed until Open.
func (s *Sandbox) Disconnect() {
	s.mu.Lock()
	was, life := s.closed || s.away, s.life
	s.away = true
	s.mu.Unlock()
	if !was {
		s.client.forget(s)
		life.end(nil)
	}
}

// Close waits for the operations that run and deletes the sandbox. A second call does nothing, unless the deletion failed.
// It does not wait for the end: garbage collection takes a claim's Sandbox and Pod.
func (s *Sandbox) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.drain(ctx)
	err := s.undo(ctx)
	if err != nil {
		s.mu.Lock()
		s.closed = false
		s.mu.Unlock()
		return s.failed("close", err)
	}
	s.client.forget(s)
	s.life.end(nil)
	return nil
}

// drain waits for the operations that run, but not for ever.
func (s *Sandbox) drain(ctx context.Context) {
	over := make(chan struct{})
	go func() {
		s.running.Wait()
		close(over)
	}()
	timer := s.client.clock.NewTimer(s.client.cleanup / 2)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C():
	case <-ctx.Done():
	}
}

// undo deletes the sandbox, also when the caller's context has ended.
func (s *Sandbox) undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.client.cleanup/2)
	defer cancel()
	ref, uid := s.reference()
	t, err := s.client.resolver.Holder(ctx, s.client.namespace, ref)
	switch {
	case resolve.Is(err, resolve.NotFound), err == nil && t.UID() != uid:
		return nil
	case err == nil:
		err = s.client.changes.Delete(ctx, t, false)
	}
	if err != nil {
		return fmt.Errorf("%w: it could not be deleted: %w", ErrOrphaned, err)
	}
	return nil
}
