// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// Snapshot is everything that the dashboard shows, as of one time.
type Snapshot struct {
	At time.Time
	// Namespace is the shown namespace, empty for all.
	Namespace string
	Pools     []*rows.Pool
	// Claims are the claims, and the Sandboxes that neither a claim nor a pool owns.
	Claims []*rows.Row
	// Members are the Sandboxes of each pool, by the pool's UID.
	Members   map[types.UID][]*rows.Row
	Templates []*rows.Template
	// Usage is what the Pods of Sandboxes use, by the Sandbox's name; empty where metrics are not served. UsageRead says
	// that it was read, or tried to, at least once.
	Usage     map[types.NamespacedName]Usage
	UsageRead bool
	// CausesRead says that causes which no condition tells were looked for at least once.
	CausesRead bool
	Health     Health
}

// Phase is the state of reading one kind.
type Phase int

// The phases, the best first.
const (
	// Synced means that everything was read and changes arrive.
	Synced Phase = iota
	// Loading means that not everything was read yet.
	Loading
	// Split means that reading all namespaces at once is forbidden, so each is read on its own.
	Split
	// NotServed means that the API server does not serve the kind.
	NotServed
	// Forbidden means that the user may not read the kind.
	Forbidden
	// Disconnected means that the API server cannot be reached or fails.
	Disconnected
)

// Reading is the state of reading one kind in one namespace, or in all.
type Reading struct {
	// Resource is the plural name of the kind, as in URLs.
	Resource  string
	Namespace string
	Phase     Phase
	// Once says that the kind was read completely at least once.
	Once bool
	// Since is when the phase began.
	Since time.Time
	// Message is the error, if there is one.
	Message string
}

// Health has the state of all reads, in a fixed order.
type Health struct{ Readings []Reading }

// first returns the first reading in a phase, or nil.
func (h Health) first(phase Phase) *Reading {
	for i := range h.Readings {
		if h.Readings[i].Phase == phase {
			return &h.Readings[i]
		}
	}
	return nil
}

// Loading reports whether the first read of some kind is still in progress.
func (h Health) Loading() bool {
	if len(h.Readings) == 0 || h.first(Loading) != nil {
		return true
	}
	split := h.first(Split)
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

// Forbidden returns the readings that the user has no permission for.
func (h Health) Forbidden() []Reading {
	var all []Reading
	for _, r := range h.Readings {
		if r.Phase == Forbidden {
			all = append(all, r)
		}
	}
	return all
}

// Absent reports whether the cluster does not serve Sandboxes at all.
func (h Health) Absent() bool { return h.all(resourceSandboxes, NotServed) }

// Blind reports whether the user may read neither pools nor claims nor Sandboxes.
func (h Health) Blind() bool {
	return h.all(resourceSandboxes, Forbidden) && h.all(resourceClaims, Forbidden) && h.all(resourcePools, Forbidden)
}

// Unread reports whether the resource was never read anywhere.
func (h Health) Unread(resource string) bool {
	for _, r := range h.Readings {
		if r.Resource == resource && r.Once {
			return false
		}
	}
	return true
}

// all reports whether the resource is in the given phase in every namespace where it is read.
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
