// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"cmp"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// registry holds the handles of a Client: those that are open, those that are being created or opened, and those whose
// sandbox could not be deleted.
type registry struct {
	mu      sync.Mutex
	handles map[types.UID]*Sandbox
}

func newRegistry() *registry { return &registry{handles: map[types.UID]*Sandbox{}} }

func (r *registry) add(s *Sandbox) {
	_, uid := s.reference()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handles[uid] = s
}

// share adds a handle, or returns the one that there is for the same object.
func (r *registry) share(s *Sandbox) *Sandbox {
	_, uid := s.reference()
	r.mu.Lock()
	defer r.mu.Unlock()
	if other := r.handles[uid]; other != nil {
		return other
	}
	r.handles[uid] = s
	return s
}

func (r *registry) remove(s *Sandbox) {
	_, uid := s.reference()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.handles[uid] == s {
		delete(r.handles, uid)
	}
}

// all returns the handles, sorted by name.
func (r *registry) all() []*Sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]*Sandbox, 0, len(r.handles))
	for _, s := range r.handles {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Sandbox) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.namespace, b.namespace))
	})
	return all
}
