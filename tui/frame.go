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

// Below this size there is one line of summary.
const (
	leastWidth  = 40
	leastHeight = 10
)

// area is where a table is drawn: from which line, how many with its head, and whether it is the lower one of two.
type area struct {
	top, height int
	work        bool
}

func (m *Model) tiny() bool { return m.width < leastWidth || m.height < leastHeight }

// body is the lines between the title and the hints.
func (m *Model) body() int { return max(0, m.height-2) }

// areas says where the tables of the screen are.
func (m *Model) areas() []area {
	body := m.body()
	switch m.here().screen {
	case screenHome:
		pools, _ := m.pools.size()
		upper := max(2, min(pools+1, body*2/5))
		if pools == 0 {
			upper = 2
		}
		return []area{{top: 1, height: upper}, {top: 1 + upper, height: body - upper, work: true}}
	case screenMembers, screenTemplates:
		return []area{{top: 1, height: body}}
	default:
		return nil
	}
}

// pageSize is how far a page goes.
func (m *Model) pageSize() int {
	for _, a := range m.areas() {
		if a.work == m.onWork || len(m.areas()) == 1 {
			return max(1, a.height-2)
		}
	}
	return max(1, m.body()-1)
}

// arrange keeps cursors and scrolling within what there is, so that View need not.
func (m *Model) arrange() {
	for _, a := range m.areas() {
		switch {
		case a.work:
			m.work.fit(a.height - 1)
		case m.here().screen == screenHome:
			m.pools.fit(a.height - 1)
		default:
			m.pane().fit(a.height - 1)
		}
	}
	if m.here().screen != screenHome {
		m.onWork = m.onWork && m.way[0].screen == screenHome
	}
	if m.pane() == nil && !m.tiny() {
		bottom := max(0, len(m.text())-m.body())
		if m.here().screen == screenLogs && m.logFollow {
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

// frame is as many lines as the terminal has, each as wide.
func (m *Model) frame() []string {
	switch {
	case m.width <= 0 || m.height <= 0:
		return nil
	case m.tiny():
		return []string{m.theme.Cut(m.summary(), m.width)}
	}
	lines := append([]string{m.title()}, m.content()...)
	lines = append(lines, m.footer())
	message := m.message()
	copy(lines[len(lines)-len(message):], message)
	if m.overlay != nil {
		title, text := m.overlay.lines(m, m.width, m.height)
		lines = view.Over(lines, m.theme.Box(title, text, m.width, m.height), m.width)
	}
	return lines
}

// content is the body.
func (m *Model) content() []string {
	height := m.body()
	if message := m.blocked(); message != nil {
		return m.notice(message, height)
	}
	wide := m.snapshot.Namespace == ""
	var lines []string
	switch m.here().screen {
	case screenHome:
		for _, a := range m.areas() {
			if a.work {
				lines = append(lines, m.orNothing(m.work.draw(&m.theme, m.width, a.height, m.onWork, wide), len(m.work.all), m.emptyWork())...)
			} else {
				lines = append(lines, m.orNothing(m.pools.draw(&m.theme, m.width, a.height, !m.onWork, wide), len(m.pools.all), m.emptyPools())...)
			}
		}
	case screenMembers:
		lines = m.orNothing(m.members.draw(&m.theme, m.width, height, true, false), len(m.members.all), "the pool has no members now")
	case screenTemplates:
		lines = m.orNothing(m.templates.draw(&m.theme, m.width, height, true, wide), len(m.templates.all), m.emptyTemplates())
	default:
		lines = m.scrolled(height)
	}
	return lines
}

// orNothing says below the head of a table why it is empty.
func (m *Model) orNothing(lines []string, count int, why string) []string {
	if count == 0 && len(lines) > 1 {
		lines[1] = m.theme.Paint(view.Dim, m.theme.Fit("   "+why, m.width, false))
	}
	return lines
}

// scrolled is the part of a text that is in sight.
func (m *Model) scrolled(height int) []string {
	text := m.text()
	from := max(0, min(m.scroll, len(text)-height))
	lines := make([]string, 0, height)
	for _, line := range text[from:min(len(text), from+height)] {
		lines = append(lines, m.theme.Fit(line, m.width, false))
	}
	for len(lines) < height {
		lines = append(lines, m.theme.Fit("", m.width, false))
	}
	return lines
}

// summary is everything in one line.
func (m *Model) summary() string {
	if message := m.blocked(); message != nil {
		return message[0]
	}
	c := m.counts()
	text := fmt.Sprintf("%d/%d warm, %d claims", c.ready, c.desired, len(m.work.all))
	if c.trouble > 0 {
		text += fmt.Sprintf(", %d in trouble", c.trouble)
	}
	if c.broken > 0 {
		text += ", " + pools(c.broken) + " broken"
	}
	if down := m.snapshot.Health.Disconnected(); down != nil {
		text += ", stale"
	}
	if m.unattended != "" {
		text = m.unattended + ", " + text
	}
	return text
}

// counts are what the header says. Broken pools wait for a change of their template; short ones fill up, or want nodes.
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
	for _, r := range m.work.all {
		if r.State == diagnose.Failed || r.State == diagnose.Blocked || (r.State == diagnose.Starting && m.now().Sub(r.Created) > slow) {
			c.trouble++
		}
	}
	return c
}
