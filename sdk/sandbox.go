// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Sandbox is a handle to a sandbox. Its methods may be called concurrently.
type Sandbox struct {
	*life

	client    *Client
	namespace string
	name      string
	asked     resolve.Ref     // as the caller wrote it
	direct    *http.Transport // to the Pod
	remarks   []string
	ours      bool // this Client created the sandbox

	identity sync.Mutex
	ref      resolve.Ref
	uid      types.UID // of the first object found
}

// newSandbox returns a handle that is not open yet.
func (c *Client) newSandbox(ref resolve.Ref) *Sandbox {
	s := &Sandbox{life: newLife(), client: c, namespace: c.namespace, name: ref.Name, asked: ref, ref: ref}
	s.direct = s.newDirectTransport()
	return s
}

// Name returns the name of the claim or Sandbox. Another process can attach to it with Client.Open.
func (s *Sandbox) Name() string { return s.name }

// Namespace returns the sandbox's namespace.
func (s *Sandbox) Namespace() string { return s.namespace }

// Remarks returns what the cluster could not do as the Spec says, for instance because its claims are older. It is
// empty for a handle that Create did not return.
func (s *Sandbox) Remarks() []string { return slices.Clone(s.remarks) }

// wrap adds the operation and the sandbox to an error; nil stays nil.
func (s *Sandbox) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Namespace: s.namespace, Name: s.name, Op: op, Err: err}
}

// do runs one operation, unless the handle is closed. Close waits for it.
func (s *Sandbox) do(ctx context.Context, op string, do func(ctx context.Context) error) (err error) {
	ctx, span, leave, err := s.enter(ctx)
	if err != nil {
		return s.wrap(op, err)
	}
	defer leave()
	ctx, done := s.client.tracer.startOperation(ctx, span, s, op)
	defer func() { done(err) }()
	err = do(ctx)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, ErrClosed) && !errors.Is(err, ErrClosed) {
		err = fmt.Errorf("%w: %w", ErrClosed, err)
	}
	if resolve.Is(err, resolve.NotFound) || errors.Is(err, ErrDeleted) {
		s.client.handles.remove(s)
	}
	return s.wrap(op, err)
}

// reference returns what the handle refers to, and the UID of the first object found.
func (s *Sandbox) reference() (resolve.Ref, types.UID) {
	s.identity.Lock()
	defer s.identity.Unlock()
	return s.ref, s.uid
}

func (s *Sandbox) setUID(uid types.UID) {
	s.identity.Lock()
	defer s.identity.Unlock()
	s.uid = uid
}

// lookUp finds the sandbox and pins the handle to it.
func (s *Sandbox) lookUp(ctx context.Context) error {
	ref, _ := s.reference()
	t, err := s.client.resolver.ClaimAndSandbox(ctx, s.namespace, ref)
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
	s.identity.Lock()
	defer s.identity.Unlock()
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

// ready returns when the sandbox is ready.
func (s *Sandbox) ready(ctx context.Context) error {
	err := s.wait(ctx, await.Ready)
	if err != nil {
		err = s.withObstacle(ctx, err)
	}
	return err
}

// withObstacle adds why the sandbox is not running, for instance that it is suspended.
func (s *Sandbox) withObstacle(ctx context.Context, err error) error {
	ref, _ := s.reference()
	if t, look := s.client.resolver.Objects(ctx, s.namespace, ref); look == nil {
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
			watching, s.namespace, func() {},
			func(trouble operator.Problem) { s.client.progress(s.name, trouble.Message) },
		)
	})
	ref, uid := s.reference()
	_, err := s.client.waiter.For(ctx, await.Request{
		Namespace: s.namespace, Ref: ref, Goal: goal, UID: uid, Timeout: s.client.readyTimeout,
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
		t, err := s.client.resolver.ReadableObjects(ctx, s.namespace, ref)
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
		err := s.retry(ctx, func() error {
			t, err := s.target(ctx)
			if err == nil {
				_, err = s.client.sandboxes.Suspend(ctx, t)
			}
			return err
		})
		if err == nil {
			err = s.wait(ctx, await.Suspended)
		}
		s.direct.CloseIdleConnections()
		return err
	})
}

// Resume starts a suspended sandbox again and returns when it is ready.
func (s *Sandbox) Resume(ctx context.Context) error {
	return s.do(ctx, "resume", func(ctx context.Context) error {
		err := s.retry(ctx, func() error {
			t, err := s.target(ctx)
			if err == nil {
				_, err = s.client.sandboxes.Resume(ctx, t)
			}
			return err
		})
		if err == nil {
			err = s.wait(ctx, await.Ready)
		}
		return err
	})
}
