// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// Below this size the frame is one line with a summary.
const (
	minWidth  = 40
	minHeight = 10
)

func (m *Model) tooSmall() bool { return m.width < minWidth || m.height < minHeight }

// body returns the number of lines between the title and the footer.
func (m *Model) body() int { return max(0, m.height-2) }

// arrange keeps cursors and scroll positions within their limits, so that View can rely on them.
func (m *Model) arrange() {
	for _, a := range m.areas() {
		a.pane.scrollToCursor(a.height - 1)
	}
	if m.focusedTable() == nil && !m.tooSmall() {
		bottom := max(0, len(m.text())-m.body())
		if m.current().screen == screenLogs && m.logFollow {
			m.scroll = bottom
		}
		m.scroll = max(0, min(m.scroll, bottom))
	}
}

// View implements tea.Model.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.frame(), "\n"))
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "kubectl sandbox"
	return v
}

// frame returns as many lines as the terminal is high, each as wide as the terminal.
func (m *Model) frame() []string {
	switch {
	case m.width <= 0 || m.height <= 0:
		return nil
	case m.tooSmall():
		return []string{m.theme.Cut(m.summary(), m.width)}
	}
	lines := append([]string{m.title()}, m.content()...)
	lines = append(lines, m.footer())
	message := m.message()
	copy(lines[len(lines)-len(message):], message)
	if m.overlay != nil {
		title, text := m.overlay.lines(m, m.width, m.height)
		lines = view.Overlay(lines, m.theme.Box(title, text, m.width, m.height), m.width)
	}
	return lines
}

// content returns the lines of the body.
func (m *Model) content() []string {
	height := m.body()
	if message := m.unavailable(); message != nil {
		return m.notice(message, height)
	}
	areas := m.areas()
	if len(areas) == 0 {
		return m.visibleText(height)
	}
	var lines []string
	for _, a := range areas {
		_, all := a.pane.size()
		lines = append(lines, m.withEmptyMessage(a.pane.draw(&m.theme, m.width, a.height, m.focused(a), a.wide), all,
			a.empty())...)
	}
	return lines
}

// withEmptyMessage writes below the header of an empty table why it is empty.
func (m *Model) withEmptyMessage(lines []string, count int, why string) []string {
	if count == 0 && len(lines) > 1 {
		lines[1] = m.theme.Paint(view.Dim, m.theme.Fit("   "+why, m.width, false))
	}
	return lines
}

// visibleText returns the part of the text that fits the screen at the current scroll position.
func (m *Model) visibleText(height int) []string {
	text := m.text()
	from := max(0, min(m.scroll, len(text)-height))
	lines := make([]string, 0, height)
	for i, line := range text[from:min(len(text), from+height)] {
		lines = append(lines, m.theme.Fit(m.searched(line, from+i), m.width, false))
	}
	for len(lines) < height {
		lines = append(lines, m.theme.Fit("", m.width, false))
	}
	return lines
}

// summary returns the whole state in one line.
func (m *Model) summary() string {
	if message := m.unavailable(); message != nil {
		return message[0]
	}
	c := m.counts()
	text := fmt.Sprintf("%d/%d warm, %d claims", c.ready, c.desired, len(m.claims.all))
	if c.trouble > 0 {
		text += fmt.Sprintf(", %d in trouble", c.trouble)
	}
	if c.broken > 0 {
		text += ", " + pools(c.broken) + " broken"
	}
	if down := m.snapshot.Health.Disconnected(); down != nil {
		text += ", stale"
	}
	if m.operatorProblem != "" {
		text = m.operatorProblem + ", " + text
	}
	return text
}

// counts are the numbers of the title. Broken pools need a change of their template; short pools fill up or need nodes.
type counts struct{ ready, desired, short, broken, trouble int }

func (m *Model) counts() counts {
	var c counts
	for _, p := range m.pools.all {
		c.ready += max(0, p.Ready)
		c.desired += p.Desired
		switch {
		case p.Broken:
			c.broken++
		case p.Ready < p.Desired:
			c.short++
		}
	}
	for _, r := range m.claims.all {
		if r.State == diagnose.Failed || r.State == diagnose.Blocked ||
			(r.State == diagnose.Starting && m.now().Sub(r.Created) > slowStart) {
			c.trouble++
		}
	}
	return c
}
