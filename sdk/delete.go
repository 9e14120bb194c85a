// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"sync"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Delete deletes a sandbox by name, which Open explains, through its handle if this Client has one. The error is
// ErrNotFound if there is neither.
func (c *Client) Delete(ctx context.Context, name string) error {
	ref, err := resolve.Parse(name)
	if err != nil {
		return err
	}
	s := c.newSandbox(ref)
	var t *resolve.Target
	err = s.retry(ctx, func() (err error) {
		t, err = c.resolver.ClaimAndSandbox(ctx, c.namespace, ref)
		return err
	})
	if err != nil && !resolve.Is(err, resolve.NotFound) {
		return s.wrap("close", err)
	}
	if handles := c.handlesOf(ref, t); len(handles) > 0 {
		return closeAll(ctx, handles)
	}
	if err == nil {
		err = s.retry(ctx, func() error { return c.sandboxes.Delete(ctx, t, false) })
	}
	return s.wrap("close", err)
}

// handlesOf returns the handle for an object, or if there is no object (nil), those for what had the name.
func (c *Client) handlesOf(ref resolve.Ref, t *resolve.Target) []*Sandbox {
	var found []*Sandbox
	for _, s := range c.handles.all() {
		own, uid := s.reference()
		named := s.namespace == c.namespace && own.Name == ref.Name &&
			(ref.Kind == resolve.KindAny || ref.Kind == own.Kind)
		if t != nil && uid == t.UID() || t == nil && named {
			found = append(found, s)
		}
	}
	return found
}

// DeleteAll closes every handle that is open, also if some fail, and returns all errors. It also deletes what is still
// being created, and tries again what could not be deleted before (ErrOrphaned).
func (c *Client) DeleteAll(ctx context.Context) error {
	var handles []*Sandbox
	for _, s := range c.handles.all() {
		if s.ours || s.wanted() {
			handles = append(handles, s)
			continue
		}
		s.Disconnect() // it is being opened, and existed before
	}
	return closeAll(ctx, handles)
}

// closeAll closes handles at the same time.
func closeAll(ctx context.Context, handles []*Sandbox) error {
	failed := make([]error, len(handles))
	var all sync.WaitGroup
	for i, s := range handles {
		all.Go(func() { failed[i] = s.Close(ctx) })
	}
	all.Wait()
	return errors.Join(failed...)
}
