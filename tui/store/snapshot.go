// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// Snapshot is everything the dashboard shows, as of one time.
type Snapshot struct {
	At time.Time
	// Namespace is the one that is shown, empty for all.
	Namespace string
	Pools     []*rows.Pool
	// Work are the claims and the Sandboxes that neither a claim nor a pool holds.
	Work []*rows.Row
	// Members are the Sandboxes in each pool, by the pool's UID.
	Members   map[types.UID][]*rows.Row
	Templates []*rows.Template
	Health    Health
}

// Phase is how one kind is being read.
type Phase int

// The phases, the best first.
const (
	// Synced: everything was read, and changes arrive.
	Synced Phase = iota
	// Loading: not everything was read yet.
	Loading
	// Split: all namespaces at once are forbidden; each is read on its own.
	Split
	// NotServed: the API server does not know the kind.
	NotServed
	// Forbidden: we may not read it.
	Forbidden
	// Disconnected: the API server cannot be reached, or fails.
	Disconnected
)

// Reading is how one kind is being read in one namespace, or in all.
type Reading struct {
	// Resource is as it stands in URLs.
	Resource  string
	Namespace string
	Phase     Phase
	// Once says that it was read completely at least once.
	Once bool
	// Since is when the phase began.
	Since time.Time
	// Message is why, if it is not well.
	Message string
}

// Health is how everything is being read, in a fixed order.
type Health struct{ Readings []Reading }

// any finds the first reading in a phase.
func (h Health) any(phase Phase) *Reading {
	for i := range h.Readings {
		if h.Readings[i].Phase == phase {
			return &h.Readings[i]
		}
	}
	return nil
}

// Loading says whether something was never read yet and still can be.
func (h Health) Loading() bool {
	if len(h.Readings) == 0 || h.any(Loading) != nil {
		return true
	}
	split := h.any(Split)
	return split != nil && !slices.ContainsFunc(h.Readings, func(r Reading) bool {
		return r.Resource == split.Resource && r.Phase != Split
	})
}

// Disconnected returns the reading that has failed for longest, or nil.
func (h Health) Disconnected() *Reading {
	var worst *Reading
	for i := range h.Readings {
		r := &h.Readings[i]
		if r.Phase == Disconnected && (worst == nil || r.Since.Before(worst.Since)) {
			worst = r
		}
	}
	return worst
}

// Forbidden returns what may not be read.
func (h Health) Forbidden() []Reading {
	var all []Reading
	for _, r := range h.Readings {
		if r.Phase == Forbidden {
			all = append(all, r)
		}
	}
	return all
}

// Split says whether some kind is read namespace by namespace.
func (h Health) Split() bool { return h.any(Split) != nil }

// Absent says whether the cluster does not know Sandboxes at all.
func (h Health) Absent() bool { return h.all(resourceSandboxes, NotServed) }

// Blind says whether nothing at all may be read: not a pool, a claim or a Sandbox.
func (h Health) Blind() bool {
	return h.all(resourceSandboxes, Forbidden) && h.all(resourceClaims, Forbidden) && h.all(resourcePools, Forbidden)
}

// Unread says whether nothing of the resource was ever read.
func (h Health) Unread(resource string) bool {
	for _, r := range h.Readings {
		if r.Resource == resource && r.Once {
			return false
		}
	}
	return true
}

// all says whether the resource is in that phase wherever it is read.
func (h Health) all(resource string, phase Phase) bool {
	found := false
	for _, r := range h.Readings {
		if r.Resource != resource || r.Phase == Split {
			continue
		}
		if r.Phase != phase {
			return false
		}
		found = true
	}
	return found
}
