// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
)

func TestTheDashboardStartsInTheTableThatHasSomething(t *testing.T) {
	tests := map[string]struct {
		change func(*store.Snapshot)
		keys   string
		claims bool
	}{
		"in the pools, if there are any":       {change: func(*store.Snapshot) {}},
		"in the claims, if there are no pools": {change: func(s *store.Snapshot) { s.Pools = nil }, claims: true},
		"in the pools, if there is nothing":    {change: func(s *store.Snapshot) { s.Pools, s.Claims = nil, nil }},
		"where the user went since then":       {change: func(s *store.Snapshot) { s.Pools = nil }, keys: "tab"},
		"in the pools, before all has been read": {change: func(s *store.Snapshot) {
			s.Pools, s.Health = nil, unwell(store.Loading, false, "")
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t.Context(), 80, 24)
			s := demo()
			test.change(s)
			w.Update(snapshotMsg{s})
			if test.keys != "" {
				typed(t, w, test.keys)
				w.Update(snapshotMsg{s})
			}
			if w.claimsFocused != test.claims {
				t.Errorf("the claims have the focus: %v", w.claimsFocused)
			}
		})
	}
}
