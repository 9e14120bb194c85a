// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package book

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// changes wakes those who wait for a Sandbox. Its zero value is ready for use.
type changes struct {
	mu      sync.Mutex
	waiting map[types.UID]chan struct{} // closed at the next change
}

// next returns a channel that is closed when the Sandbox changes.
func (c *changes) next(uid types.UID) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[types.UID]chan struct{}{}
	}
	if c.waiting[uid] == nil {
		c.waiting[uid] = make(chan struct{})
	}
	return c.waiting[uid]
}

func (c *changes) wake(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	sandbox, ok := object.(*Sandbox)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if channel := c.waiting[sandbox.UID]; channel != nil {
		close(channel)
		delete(c.waiting, sandbox.UID)
	}
}

func (c *changes) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: c.wake, UpdateFunc: func(_, is any) { c.wake(is) }, DeleteFunc: c.wake,
	}
}

// Wait returns when done is true of the Sandbox in the book, which is nil once it is deleted, or with the error of the
// context.
func (b *Book) Wait(ctx context.Context, sandbox *Sandbox, done func(*Sandbox) bool) error {
	for {
		changed := b.changes.next(sandbox.UID)
		if done(b.Current(sandbox.Namespace, sandbox.UID)) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		}
	}
}
