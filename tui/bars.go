// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// title returns the first line: the location on the left, the status on the right.
func (m *Model) title() string {
	right := m.status()
	if m.operatorProblem != "" && view.Width(right) > m.width-11 {
		right = m.warning() // the most important part
	}
	if m.busy > 0 {
		right = m.theme.Ellipsis + " " + right
	}
	left := m.theme.Paint(view.Accent, m.location(max(10, m.width-view.Width(right)-1)))
	return m.theme.Justify(left, right, m.width)
}

// location returns the breadcrumbs, at most as wide as given. The last ones are the most important ones.
func (m *Model) location(width int) string {
	crumbs := m.crumbs()
	text := strings.Join(crumbs, m.theme.Crumb)
	for view.Width(text) > width && len(crumbs) > 1 {
		crumbs = crumbs[1:]
		text = m.theme.Ellipsis + m.theme.Crumb + strings.Join(crumbs, m.theme.Crumb)
	}
	return m.theme.Cut(text, width)
}

// crumbs returns the breadcrumbs of the stack.
func (m *Model) crumbs() []string {
	namespace := "all namespaces"
	if m.snapshot != nil && m.snapshot.Namespace != "" {
		namespace = m.snapshot.Namespace
	}
	crumbs := []string{namespace}
	if m.cluster != "" && m.width >= 80 {
		crumbs = []string{m.cluster, namespace}
	}
	for _, p := range m.stack[1:] {
		switch p.screen {
		case screenMembers, screenDetail:
			crumbs = append(crumbs, p.target.Ref().String())
		case screenTemplates:
			crumbs = append(crumbs, "templates")
		case screenYAML:
			crumbs = append(crumbs, p.target.Name+" YAML")
		case screenEvents:
			crumbs = append(crumbs, p.target.Name+" events")
		case screenLogs:
			crumbs = append(crumbs, m.logCrumb(p.target))
		case screenHome: // the first crumbs
		}
	}
	for i := range crumbs {
		crumbs[i] = printable.Line(crumbs[i])
	}
	return crumbs
}

// warning returns the warning that no operator manages the shown objects.
func (m *Model) warning() string {
	return m.theme.Paint(view.Bad, m.theme.Problem+" "+m.operatorProblem)
}

// status returns the state of the connection, followed by a summary of the sandboxes.
func (m *Model) status() string {
	if m.snapshot == nil {
		return m.theme.Paint(view.Warn, "loading"+m.theme.Ellipsis)
	}
	health := m.snapshot.Health
	if down := health.Disconnected(); down != nil {
		return m.theme.Paint(view.Bad, fmt.Sprintf("%s stale for %s: disconnected", m.theme.Problem,
			duration.HumanDuration(m.now().Sub(down.Since))))
	}
	var parts []string
	if m.operatorProblem != "" {
		parts = append(parts, m.warning())
	}
	if n := len(m.forwards); n > 0 {
		parts = append(parts, fmt.Sprintf("%d port-forwards", n))
	}
	if m.readOnly {
		parts = append(parts, "read-only")
	}
	if refused := health.Forbidden(); len(refused) > 0 {
		parts = append(parts, m.theme.Paint(view.Warn, forbiddenShort(refused)))
	}
	if m.unavailable() != nil && !health.Loading() {
		return strings.Join(parts, m.theme.Dot)
	}
	if health.Loading() {
		return strings.Join(append(parts, m.theme.Paint(view.Warn, "loading"+m.theme.Ellipsis)), m.theme.Dot)
	}
	return strings.Join(append(parts, m.problems()...), m.theme.Dot)
}

// problems returns a short summary of the sandboxes' state.
func (m *Model) problems() []string {
	var parts []string
	c := m.counts()
	if c.trouble > 0 {
		parts = append(parts, m.theme.Paint(view.Bad, fmt.Sprintf("%s %d in trouble", m.theme.Problem, c.trouble)))
	}
	if c.broken > 0 {
		parts = append(parts, m.theme.Paint(view.Bad, m.theme.Problem+" "+pools(c.broken)+" broken"))
	}
	if c.short > 0 {
		parts = append(parts, m.theme.Paint(view.Warn, m.theme.Waiting+" "+pools(c.short)+" short"))
	}
	if len(parts) == 0 {
		parts = append(parts, m.theme.Paint(view.Good, fmt.Sprintf("%s %d/%d warm", m.theme.Ready, c.ready, c.desired)))
	}
	return parts
}

// pools formats a number of pools.
func pools(n int) string {
	if n == 1 {
		return "1 pool"
	}
	return fmt.Sprintf("%d pools", n)
}

// message returns the lines of the toast, if there is one. They cover the last lines of the frame.
func (m *Model) message() []string {
	if m.toast.text == "" {
		return nil
	}
	tone := view.Strong
	if m.toast.bad {
		tone = view.Bad
	}
	lines := view.Wrap(printable.Line(m.toast.text), m.width-2)
	lines = lines[:min(len(lines), m.height/3)]
	for i, line := range lines {
		lines[i] = m.theme.Paint(tone, m.theme.Fit(" "+line, m.width, false))
	}
	return lines
}

// footer returns the last line: what was found, and the most useful keys of the screen.
func (m *Model) footer() string {
	// Help comes last, and space is always reserved for it.
	line, used, last := "", 0, ""
	for i := range m.commands {
		c := &m.commands[i]
		if c.hint != nil && c.availableOn(m) && c.Help().Key == helpKey {
			last, used = m.hint(c)
		}
	}
	if m.search.active() {
		line = m.theme.Cut(" "+printable.Line(m.found())+" ", m.width/2)
		used += view.Width(line)
		line = m.theme.Paint(view.Accent, line)
	}
	for i := range m.commands {
		c := &m.commands[i]
		if c.hint == nil || !c.availableOn(m) || c.Help().Key == helpKey || !c.hint(m) {
			continue
		}
		text, width := m.hint(c)
		if used+width > m.width {
			break
		}
		line += text
		used += width
	}
	return line + last + strings.Repeat(" ", max(0, m.width-used))
}

func (m *Model) hint(c *command) (text string, width int) {
	name, does := m.keyName(c.Help().Key), c.Help().Desc
	text = " " + m.theme.Paint(view.Strong, name) + " " + m.theme.Paint(view.Dim, does) + " "
	return text, view.Width(name) + view.Width(does) + 3
}
