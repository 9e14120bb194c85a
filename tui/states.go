// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"slices"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// slow is how long a sandbox may start before it counts as being in trouble.
const slow = time.Minute

// blocked is what to show instead of anything else: the first line says it all. It is nil when there is something to show.
func (m *Model) blocked() []string {
	if m.snapshot == nil {
		return []string{"loading" + m.theme.Ellipsis}
	}
	h := m.snapshot.Health
	unread := h.Unread(apis.ResourceSandboxes) && h.Unread(apis.ResourceClaims) && h.Unread(apis.ResourceWarmPools)
	switch down := h.Disconnected(); {
	case !unread:
		return nil
	case down != nil:
		return []string{"disconnected: the API server cannot be read", down.Message, "Trying again by itself; ctrl+r tries at once."}
	case h.Absent():
		return []string{"not installed: this cluster does not know Sandboxes", "To install the operator: kubectl sandbox install"}
	case h.Blind():
		return append([]string{"forbidden: you may not list pools, claims or Sandboxes here"}, forbiddenLong(h.Forbidden())...)
	case h.Loading():
		return []string{"loading" + m.theme.Ellipsis}
	}
	return nil
}

// forbiddenLong says for each kind what may not be read, and what may help.
func forbiddenLong(refused []store.Reading) []string {
	var lines []string
	for _, r := range refused {
		if line := r.Resource + ": " + r.Message; r.Message != "" && !slices.Contains(lines, line) && len(lines) < 5 {
			lines = append(lines, line)
		}
	}
	return append(lines, "", "n chooses another namespace; a Role that may list and watch these kinds helps.")
}

// forbiddenShort is the same in a few words.
func forbiddenShort(refused []store.Reading) string {
	var kinds []string
	places := map[string]bool{}
	for _, r := range refused {
		if !slices.Contains(kinds, r.Resource) {
			kinds = append(kinds, r.Resource)
		}
		places[r.Namespace] = true
	}
	text := "forbidden: " + kinds[0]
	if len(kinds) > 1 {
		text = fmt.Sprintf("forbidden: %s and %d more", kinds[0], len(kinds)-1)
	}
	if !places[""] && len(places) > 1 {
		text += fmt.Sprintf(" in %d namespaces", len(places))
	}
	return text
}

// notice shows a message in the middle.
func (m *Model) notice(message []string, height int) []string {
	var text []string
	for i, line := range message {
		for _, part := range view.Wrap(printable.Line(line), max(10, m.width-4)) {
			part = m.theme.Center(part, m.width)
			if i == 0 {
				part = m.theme.Paint(view.Strong, part)
			}
			text = append(text, part)
		}
	}
	text = text[:min(len(text), height)]
	lines := make([]string, 0, height)
	for range (height - len(text)) / 2 {
		lines = append(lines, m.theme.Fit("", m.width, false))
	}
	lines = append(lines, text...)
	for len(lines) < height {
		lines = append(lines, m.theme.Fit("", m.width, false))
	}
	return lines
}

// unreadable says why a table is empty although there may be something, empty if there is nothing.
func (m *Model) unreadable(resource string) string {
	for _, r := range m.snapshot.Health.Readings {
		if r.Resource != resource {
			continue
		}
		switch r.Phase {
		case store.Loading:
			return "loading" + m.theme.Ellipsis
		case store.Forbidden:
			return "forbidden: you may not list " + resource
		case store.NotServed:
			return "this cluster does not know " + resource + ": the operator runs without its extensions"
		case store.Disconnected:
			return "disconnected: " + r.Message
		case store.Synced, store.Split:
		}
	}
	return ""
}

// unmatched says that the selector of the command line takes nothing.
func (m *Model) unmatched() string { return "none has the labels of " + m.selector.String() }

func (m *Model) emptyPools() string {
	if why := m.unreadable(apis.ResourceWarmPools); why != "" {
		return why
	}
	if len(m.snapshot.Pools) > 0 {
		return m.unmatched()
	}
	return "no pools; kubectl sandbox pool create NAME --template TEMPLATE makes one"
}

func (m *Model) emptyWork() string {
	for _, resource := range []string{apis.ResourceClaims, apis.ResourceSandboxes} {
		if why := m.unreadable(resource); why != "" {
			return why
		}
	}
	if len(m.snapshot.Work) > 0 {
		return m.unmatched()
	}
	return "no claims; press a on a pool or template (t) to make one"
}

func (m *Model) emptyTemplates() string {
	if why := m.unreadable(apis.ResourceTemplates); why != "" {
		return why
	}
	if len(m.snapshot.Templates) > 0 {
		return m.unmatched()
	}
	return "no templates; kubectl sandbox template create NAME --image IMAGE makes one"
}
