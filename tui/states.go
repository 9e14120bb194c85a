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

// slowStart is how long a sandbox may take to start before it counts as being in trouble.
const slowStart = time.Minute

// unavailable returns the message that replaces the whole screen, or nil if there is data to show. Its first line is a
// complete summary.
func (m *Model) unavailable() []string {
	if m.snapshot == nil {
		return []string{"loading" + m.theme.Ellipsis}
	}
	h := m.snapshot.Health
	unread := h.Unread(apis.ResourceSandboxes) && h.Unread(apis.ResourceClaims) && h.Unread(apis.ResourceWarmPools)
	switch down := h.Disconnected(); {
	case !unread:
		return nil
	case down != nil:
		return []string{"disconnected: cannot reach the API server", down.Message,
			"Retrying automatically; press ctrl+r to retry now."}
	case h.Absent():
		return []string{"not installed: this cluster does not serve Sandboxes",
			"To install the operator: kubectl sandbox install"}
	case h.Blind():
		return append([]string{"forbidden: you may not list pools, claims or Sandboxes here"},
			forbiddenLong(h.Forbidden())...)
	case h.Loading():
		return []string{"loading" + m.theme.Ellipsis}
	}
	return nil
}

// forbiddenLong returns the reason for each kind that may not be read, and what to do.
func forbiddenLong(refused []store.Reading) []string {
	var lines []string
	for _, r := range refused {
		if line := r.Resource + ": " + r.Message; r.Message != "" && !slices.Contains(lines, line) && len(lines) < 5 {
			lines = append(lines, line)
		}
	}
	return append(lines, "",
		"Press n to select another namespace, or ask for a Role that may list and watch these resources.")
}

// forbiddenShort returns the same in a few words.
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

// notice centres a message on the screen.
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

// readProblem returns why a resource could not be read, or an empty string if it was read.
func (m *Model) readProblem(resource string) string {
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
			return "this cluster does not serve " + resource + ": the operator was installed without its extensions"
		case store.Disconnected:
			return "disconnected: " + r.Message
		case store.Synced, store.Split:
		}
	}
	return ""
}

// noMatchMessage says that no object matches the selector of the command line.
func (m *Model) noMatchMessage() string { return "nothing matches the selector " + m.selector.String() }

func (m *Model) emptyPools() string {
	if why := m.readProblem(apis.ResourceWarmPools); why != "" {
		return why
	}
	if len(m.snapshot.Pools) > 0 {
		return m.noMatchMessage()
	}
	return "no pools yet: kubectl sandbox pool create NAME --template TEMPLATE"
}

func (m *Model) emptyClaims() string {
	for _, resource := range []string{apis.ResourceClaims, apis.ResourceSandboxes} {
		if why := m.readProblem(resource); why != "" {
			return why
		}
	}
	if len(m.snapshot.Claims) > 0 {
		return m.noMatchMessage()
	}
	return "no claims yet: press a on a pool or template (t) to create one"
}

func (m *Model) emptyTemplates() string {
	if why := m.readProblem(apis.ResourceTemplates); why != "" {
		return why
	}
	if len(m.snapshot.Templates) > 0 {
		return m.noMatchMessage()
	}
	return "no templates yet: kubectl sandbox template create NAME --image IMAGE"
}
