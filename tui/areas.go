// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// area is the place of a table: its first line and its height including the header.
type area struct {
	pane        pane
	top, height int
	// lower says that it is the lower one of two tables, wide that it shows namespaces.
	lower, wide bool
	// empty returns why the table is empty.
	empty func() string
}

// The share of the upper table of a screen if both have more rows than fit, in fifths.
const (
	poolsShare   = 2
	membersShare = 3
)

// areas returns the places of the screen's tables.
func (m *Model) areas() []area {
	wide := m.snapshot != nil && m.snapshot.Namespace == ""
	switch m.current().screen {
	case screenHome:
		return m.split(area{pane: &m.pools, wide: wide, empty: m.emptyPools},
			area{pane: &m.claims, wide: wide, empty: m.emptyClaims}, poolsShare)
	case screenMembers:
		return m.split(area{pane: &m.members, empty: func() string { return "the pool has no members" }},
			area{pane: &m.poolClaims, empty: m.emptyPoolClaims}, membersShare)
	case screenTemplates:
		return []area{{pane: &m.templates, top: 1, height: m.body(), wide: wide, empty: m.emptyTemplates}}
	default:
		return nil
	}
}

// split places two tables one above the other. The upper one takes what it needs: up to its share, and what the lower
// one leaves.
func (m *Model) split(upper, lower area, share int) []area {
	const header = 1
	body := m.body()
	above, _ := upper.pane.size()
	below, _ := lower.pane.size()
	upper.top = 1
	upper.height = max(2, min(above+header, max(body*share/5, body-max(2, below+header))))
	lower.top, lower.height, lower.lower = upper.top+upper.height, body-upper.height, true
	return []area{upper, lower}
}

// lowerFocus returns whether the lower table of the screen has the focus, to be read and set; nil if there is none.
func (m *Model) lowerFocus() *bool {
	switch m.current().screen {
	case screenHome:
		return &m.claimsFocused
	case screenMembers:
		return &m.poolClaimsFocused
	default:
		return nil
	}
}

// focused reports whether the table of an area has the focus.
func (m *Model) focused(a area) bool {
	lower := m.lowerFocus()
	return lower == nil || *lower == a.lower
}

// switchTable moves the focus to the other table.
func (m *Model) switchTable() {
	if lower := m.lowerFocus(); lower != nil {
		*lower = !*lower
	}
}

// pageSize returns the number of lines to move by a page.
func (m *Model) pageSize() int {
	for _, a := range m.areas() {
		if m.focused(a) {
			return max(1, a.height-2)
		}
	}
	return max(1, m.body()-1)
}

// claimsOf returns the claims that a pool served, and those that name it.
func (m *Model) claimsOf(pool action.Target) []*rows.Row {
	var all []*rows.Row
	for _, r := range m.snapshot.Claims {
		if r.Namespace == pool.Namespace && (r.NamedPool == pool.Name || r.FromPool() && r.Pool == pool.Name) {
			all = append(all, r)
		}
	}
	return all
}

func (m *Model) emptyPoolClaims() string {
	if why := m.readProblem(apis.ResourceClaims); why != "" {
		return why
	}
	return "no claim has a sandbox of this pool, or names it: press a to create one"
}
