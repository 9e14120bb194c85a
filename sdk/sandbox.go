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

	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// Sandbox is a handle to a sandbox. Its methods may be called concurrently.
type Sandbox struct {
	client *Client
	name   string

	mu           sync.Mutex
	span         *handleSpan
	ref          resolve.Ref
	uid          types.UID // of the first object found
	closed       bool      // finally
	disconnected bool      // until Open
	running      sync.WaitGroup
}

// Name returns the name of the claim or Sandbox. Another process can attach to it with Client.Open.
func (s *Sandbox) Name() string { return s.name }

// Namespace returns the sandbox's namespace.
func (s *Sandbox) Namespace() string { return s.client.namespace }

func compare(a, b string) int { return strings.Compare(a, b) }

// wrap adds the operation and the sandbox to an error; nil stays nil.
func (s *Sandbox) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Namespace: s.client.namespace, Name: s.name, Op: op, Err: err}
}

// do runs one operation, unless the handle is closed. Close waits for it.
func (s *Sandbox) do(ctx context.Context, op string, do func(ctx context.Context) error) (err error) {
	s.mu.Lock()
	if s.closed || s.disconnected {
		s.mu.Unlock()
		return s.wrap(op, ErrClosed)
	}
	s.running.Add(1)
	life := s.span
	s.mu.Unlock()
	defer s.running.Done()
	ctx, done := s.client.tracer.startOperation(life.parentOf(ctx), s, op)
	defer func() { done(err) }()
	return s.wrap(op, do(ctx))
}

// reference returns what the handle refers to, and the UID of the first object found.
func (s *Sandbox) reference() (resolve.Ref, types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ref, s.uid
}

// lookUp finds the sandbox and pins the handle to it.
func (s *Sandbox) lookUp(ctx context.Context) error {
	ref, _ := s.reference()
	t, err := s.client.resolver.ClaimAndSandbox(ctx, s.client.namespace, ref)
	if err != nil {
		return err
	}
	return s.pin(t)
}

// pin binds the handle to the first object found, and returns an error for any other.
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
	away := s.disconnected && !s.closed
	s.mu.Unlock()
	if !away {
		return s.wrap("open", errors.New("the handle is open, or closed for good"))
	}
	ctx, life := s.client.tracer.startHandle(ctx, s)
	err := s.lookUp(ctx)
	if err == nil {
		err = s.wait(ctx, await.Ready)
	}
	if err != nil {
		life.end(err)
		return s.wrap("open", s.withObstacle(ctx, err))
	}
	s.mu.Lock()
	s.disconnected, s.span = false, life
	s.mu.Unlock()
	s.client.register(s)
	return nil
}

// withObstacle adds why the sandbox is not running, for instance that it is suspended.
func (s *Sandbox) withObstacle(ctx context.Context, err error) error {
	ref, _ := s.reference()
	if t, look := s.client.resolver.Objects(ctx, s.client.namespace, ref); look == nil {
		if obstacle := resolve.CheckRunning(t, s.client.clock.Now()); obstacle != nil {
			return errors.Join(obstacle, err)
		}
	}
	return err
}

// wait waits for a goal, at most for the Client's ready timeout.
func (s *Sandbox) wait(ctx context.Context, goal await.Goal) error {
	watching, stop := context.WithCancel(ctx)
	var watched sync.WaitGroup
	defer watched.Wait()
	defer stop()
	watched.Go(func() {
		s.client.operators.Watch(
			watching, s.client.namespace, func(trouble operator.Problem) { s.client.progress(s.name, trouble.Message) },
		)
	})
	ref, uid := s.reference()
	_, err := s.client.waiter.For(ctx, await.Request{
		Namespace: s.client.namespace, Ref: ref, Goal: goal, UID: uid, Timeout: s.client.readyTimeout,
		Progress: func(obstacle string) { s.client.progress(s.name, obstacle) },
	})
	return err
}

// Wait waits until the sandbox is ready, suspended or finished.
func (s *Sandbox) Wait(ctx context.Context, goal await.Goal) error {
	return s.do(ctx, "wait", func(ctx context.Context) error { return s.wait(ctx, goal) })
}

// Status returns the state of the sandbox, what keeps it from being ready, and what to do.
func (s *Sandbox) Status(ctx context.Context) (d diagnose.Diagnosis, err error) {
	err = s.do(ctx, "status", func(ctx context.Context) error {
		ref, _ := s.reference()
		t, err := s.client.resolver.ReadableObjects(ctx, s.client.namespace, ref)
		if err == nil {
			err = s.pin(t)
		}
		if err == nil {
			d = diagnose.Of(s.client.observer.Snapshot(ctx, t))
		}
		return err
	})
	return d, err
}

// Suspend deletes the sandbox's Pod and returns when it is gone. The volumes stay.
func (s *Sandbox) Suspend(ctx context.Context) error {
	return s.do(ctx, "suspend", func(ctx context.Context) error {
		t, err := s.target(ctx)
		if err == nil {
			_, err = s.client.sandboxes.Suspend(ctx, t)
		}
		if err == nil {
			err = s.wait(ctx, await.Suspended)
		}
		return err
	})
}

// Resume starts a suspended sandbox again and returns when it is ready.
func (s *Sandbox) Resume(ctx context.Context) error {
	return s.do(ctx, "resume", func(ctx context.Context) error {
		t, err := s.target(ctx)
		if err == nil {
			_, err = s.client.sandboxes.Resume(ctx, t)
		}
		if err == nil {
			err = s.wait(ctx, await.Ready)
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

// container returns the container in which commands run now: the Pod may have been replaced since the last operation.
func (s *Sandbox) container(ctx context.Context) (stream.Container, error) {
	t, err := s.target(ctx)
	if err != nil {
		return stream.Container{}, err
	}
	return t.RunningContainer("", s.client.clock.Now())
}

// Disconnect releases the handle and leaves the sandbox as it is. Running operations continue; new ones return
// ErrClosed until Open.
func (s *Sandbox) Disconnect() {
	s.mu.Lock()
	was, life := s.closed || s.disconnected, s.span
	s.disconnected = true
	s.mu.Unlock()
	if !was {
		s.client.unregister(s)
		life.end(nil)
	}
}

// Close waits for running operations and deletes the sandbox. A second call does nothing, unless the deletion failed.
// Close does not wait until garbage collection has removed a claim's Sandbox and Pod.
func (s *Sandbox) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.drain(ctx)
	err := s.deleteObject(ctx)
	if err != nil {
		s.mu.Lock()
		s.closed = false
		s.mu.Unlock()
		return s.wrap("close", err)
	}
	s.client.unregister(s)
	s.span.end(nil)
	return nil
}

// drain waits for running operations, for half of the cleanup timeout at most.
func (s *Sandbox) drain(ctx context.Context) {
	over := make(chan struct{})
	go func() {
		s.running.Wait()
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
	t, err := s.client.resolver.ClaimAndSandbox(ctx, s.client.namespace, ref)
	switch {
	case resolve.Is(err, resolve.NotFound), err == nil && t.UID() != uid:
		return nil
	case err == nil:
		err = s.client.sandboxes.Delete(ctx, t, false)
	}
	if err != nil {
		return fmt.Errorf("%w: it could not be deleted: %w", ErrOrphaned, err)
	}
	return nil
}
