// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// search finds lines on a screen without a table. The zero value finds none.
type search struct {
	// text is what is searched for, in any case.
	text string
	// at is the index of the line that was found last, -1 if none was.
	at int
}

// textScreens are the screens on which a search works.
func textScreens() []screen { return []screen{screenDetail, screenYAML, screenEvents, screenLogs} }

// searching reports whether lines are searched for.
func (m *Model) searching() bool { return m.search.active() }

func (s search) active() bool { return s.text != "" }

func (s search) matches(line string) bool {
	return strings.Contains(strings.ToLower(ansi.Strip(line)), strings.ToLower(s.text))
}

// askSearch prompts for a text and shows the first line that has it while it is typed.
func (m *Model) askSearch() {
	before, scroll, follow := m.search, m.scroll, m.logFollow
	p := newProposal("Search (n, N: next, previous)", before.text, func(*Model, string) tea.Cmd { return nil })
	p.onChange = func(m *Model, text string) {
		m.search, m.scroll, m.logFollow = search{text: text, at: -1}, scroll, follow
		m.findFrom(m.scroll, 1)
	}
	p.onCancel = func(m *Model) { m.search, m.scroll, m.logFollow = before, scroll, follow }
	m.overlay = p
}

// findNext shows the next line that matches, or with -1 the previous one.
func (m *Model) findNext(step int) {
	if !m.search.active() {
		m.askSearch()
		return
	}
	from := m.search.at + step
	if m.search.at < 0 {
		from = m.scroll
	}
	m.findFrom(from, step)
	if m.search.at < 0 {
		m.showToast(fmt.Sprintf("no line contains %q", m.search.text), true)
	}
}

// findFrom finds the first line that matches from an index on, in steps of 1 or -1, and shows it. After the last line
// it goes on with the first.
func (m *Model) findFrom(from, step int) {
	m.search.at = -1
	lines := m.text()
	if !m.search.active() || len(lines) == 0 {
		return
	}
	for i := range lines {
		at := ((from+i*step)%len(lines) + len(lines)) % len(lines)
		if !m.search.matches(lines[at]) {
			continue
		}
		m.search.at = at
		if at < m.scroll || at >= m.scroll+m.body() {
			m.scroll = at - m.body()/2
		}
		m.logFollow = false
		return
	}
}

// found returns the number of the line that was found last and the number of lines that match.
func (m *Model) found() string {
	number, count := 0, 0
	for i, line := range m.text() {
		if !m.search.matches(line) {
			continue
		}
		count++
		if i == m.search.at {
			number = count
		}
	}
	return fmt.Sprintf("/%s %d of %d", m.search.text, number, count)
}

// searched marks a line of a screen if it matches the search, and highlights the text that was found.
func (m *Model) searched(line string, index int) string {
	if !m.search.active() {
		return line
	}
	if !m.search.matches(line) {
		return "  " + line
	}
	sign := m.theme.Marked
	if index == m.search.at {
		sign = m.theme.Cursor
	}
	return m.theme.Paint(view.Accent, sign) + " " + m.theme.Highlight(line, m.search.text)
}
