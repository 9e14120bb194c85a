// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Create creates a sandbox and returns when it is ready. It deletes a sandbox that does not become ready, unless
// Spec.Keep is set; if that fails too (ErrOrphaned), DeleteAll and Delete try again.
func (c *Client) Create(ctx context.Context, spec Spec) (*Sandbox, error) {
	spec = spec.named()
	ref := resolve.Ref{Kind: resolve.KindClaim, Name: spec.Name}
	if spec.Image != "" {
		ref.Kind = resolve.KindSandbox
	}
	s := c.newSandbox(ref)
	s.ours = true
	if err := s.create(ctx, &spec); err != nil {
		return nil, s.wrap("create", err)
	}
	return s, nil
}

func (s *Sandbox) create(ctx context.Context, spec *Spec) error {
	if err := s.takeTurn(ctx); err != nil {
		return err
	}
	defer s.endTurn()
	opening, err := s.begin(ctx)
	if err != nil {
		return err
	}
	ctx, span := s.client.tracer.startHandle(opening, s)
	uid, err := s.createObject(ctx, span, spec)
	if err == nil {
		s.setUID(uid)
		s.client.handles.add(s) // from now on, it can be deleted
		err = s.waitCreated(ctx, span)
	}
	if err = s.opened(opening, span, err); err != nil {
		err = s.undo(ctx, err, uid != "" && !spec.Keep)
		span.end(err)
	}
	return err
}

func (s *Sandbox) waitCreated(ctx context.Context, span *handleSpan) (err error) {
	ctx, done := s.client.tracer.startOperation(ctx, span, s, "wait_for_sandbox_ready")
	defer func() { done(err) }()
	return s.wait(ctx, await.Ready)
}

// undo ends a creation that failed. If the object exists and cannot be deleted, the handle stays among those that
// DeleteAll closes.
func (s *Sandbox) undo(ctx context.Context, err error, exists bool) error {
	if exists {
		if orphaned := s.deleteObject(ctx); orphaned != nil {
			return errors.Join(err, orphaned)
		}
	}
	s.leave(stateClosed)
	s.client.handles.remove(s)
	return err
}

// createObject creates the object.
func (s *Sandbox) createObject(ctx context.Context, span *handleSpan, spec *Spec) (_ types.UID, err error) {
	ctx, done := s.client.tracer.startOperation(ctx, span, s, "create_claim")
	defer func() { done(err) }()
	if (spec.Image != "") == (spec.Template+spec.Pool != "") {
		return "", errors.New("a Spec needs an Image, or else a Template or a Pool")
	}
	c := s.client
	if spec.Image != "" {
		object := spec.sandbox(s.namespace, c.clock.Now())
		c.tracer.injectTrace(ctx, object)
		made, err := c.sandboxes.Create(ctx, object, false)
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrClaimFailed, err)
		}
		return made.UID, nil
	}
	object := spec.claim(s.namespace, c.clock.Now())
	c.tracer.injectTrace(ctx, object)
	made, remarks, err := c.sandboxes.CreateClaim(ctx, object, false)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrClaimFailed, err)
	}
	s.remarks = remarks
	return made.UID, nil
}
