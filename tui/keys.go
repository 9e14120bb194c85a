// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// command is a key and what it does. Help and the line of hints are made from commands: there is no second list.
type command struct {
	key.Binding
	group string
	// on are the screens that it works on: all if there are none.
	on []screen
	// hint says that it is worth a place in the line of hints.
	hint bool
	run  func(*Model) tea.Cmd
}

func (c *command) here(m *Model) bool {
	return len(c.on) == 0 || slices.Contains(c.on, m.here().screen)
}

func bind(help, does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
}

func act(verb action.Verb) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.ask(verb) }
}

func do(f func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		f(m)
		return nil
	}
}

// commands are all keys, in the order of help.
func commands() []command { return append(append(moving(), looking()...), acting()...) }

// helpKey is the key that all others are found with.
const helpKey = "?"

func moving() []command {
	lists := []screen{screenHome, screenMembers, screenTemplates}
	inner := []screen{screenMembers, screenDetail, screenYAML, screenTemplates, screenLogs}
	const group = "Move"
	return []command{
		{bind("↑/k", "up", "up", "k"), group, nil, false, do(func(m *Model) { m.move(-1) })},
		{bind("↓/j", "down", "down", "j"), group, nil, false, do(func(m *Model) { m.move(1) })},
		{bind("pgup", "a page up", "pgup", "ctrl+b"), group, nil, false, do(func(m *Model) { m.move(-m.pageSize()) })},
		{bind("pgdn", "a page down", "pgdown", "ctrl+f"), group, nil, false, do(func(m *Model) { m.move(m.pageSize()) })},
		{bind("g/home", "first", "g", "home"), group, nil, false, do(func(m *Model) { m.move(-1 << 30) })},
		{bind("G/end", "last", "G", "end"), group, nil, false, do(func(m *Model) { m.move(1 << 30) })},
		{bind("tab", "other table", "tab", "shift+tab"), group, []screen{screenHome}, true, do(func(m *Model) { m.onWork = !m.onWork })},
		{bind("enter", "open", "enter", "right"), group, lists, true, (*Model).open},
		{bind("esc", "unmark, show all", "esc", "left", "backspace"), group, []screen{screenHome}, false, do((*Model).back)},
		{bind("esc", "back", "esc", "left", "backspace"), group, inner, true, do((*Model).back)},
		{bind("t", "templates", "t"), group, []screen{screenHome, screenMembers}, true, do(func(m *Model) { m.enter(place{screen: screenTemplates}) })},
		{bind("n", "namespace", "n"), group, lists, false, (*Model).askNamespace},
		{bind("q", "quit", "q"), group, nil, true, func(*Model) tea.Cmd { return tea.Quit }},
	}
}

func looking() []command {
	lists := []screen{screenHome, screenMembers, screenTemplates}
	const group = "Look"
	return []command{
		{bind(helpKey, "help", helpKey), group, nil, true, do(func(m *Model) { m.overlay = &help{} })},
		{bind("/", "filter", "/"), group, lists, true, do(func(m *Model) { m.askFilter("") })},
		{bind("!", "filter out", "!"), group, lists, false, do(func(m *Model) { m.askFilter("!") })},
		{bind("L", "filter by label", "L"), group, lists, false, do(func(m *Model) { m.askFilter("-l ") })},
		{bind("o", "sort", "o"), group, lists, false, do((*Model).askOrder)},
		{bind("space", "mark", "space"), group, lists, false, do(func(m *Model) { m.pane().mark() })},
		{bind("ctrl+a", "mark all", "ctrl+a"), group, lists, false, do(func(m *Model) { m.pane().markAll() })},
		{bind("u", "unmark all", "u"), group, lists, false, do(func(m *Model) { m.pane().unmark() })},
		{bind("y", "YAML", "y"), group, []screen{screenHome, screenMembers, screenTemplates, screenDetail}, false, (*Model).openYAML},
		{bind("f", "port-forwards", "f"), group, nil, false, do((*Model).askForwards)},
		{bind("F", "follow the log", "F"), group, []screen{screenLogs}, true, do(func(m *Model) { m.logFollow = !m.logFollow })},
		{bind("ctrl+r", "reconnect now", "ctrl+r"), group, nil, false, do(func(m *Model) {
			m.source.Reconnect()
			m.say("reading everything again", false)
		})},
	}
}

func acting() []command {
	inside := []screen{screenHome, screenMembers, screenDetail, screenYAML, screenLogs}
	anything := append([]screen{screenTemplates}, inside...)
	const group = "Act"
	return []command{
		{bind("s", "shell", "s"), group, inside, true, act(action.Shell)},
		{bind("x", "run a command", "x"), group, inside, false, act(action.Exec)},
		{bind("l", "logs", "l"), group, inside[:4], true, act(action.Logs)},
		{bind("p", "port-forward", "p"), group, inside, false, act(action.Forward)},
		{bind("c", "copy namespace and name", "c"), group, anything, false, act(action.Copy)},
		{bind("z", "suspend", "z"), group, inside, false, act(action.Suspend)},
		{bind("r", "resume", "r"), group, inside, false, act(action.Resume)},
		{bind("e", "extend", "e"), group, inside, false, act(action.Extend)},
		{bind("d", "delete", "d", "delete"), group, anything, false, act(action.Delete)},
		{bind("S", "scale the pool", "S", "+"), group, []screen{screenHome, screenMembers, screenYAML}, true, (*Model).scalePool},
		{bind("a", "claim from pool or template", "a"), group, []screen{screenHome, screenMembers, screenTemplates, screenYAML}, true, (*Model).claimFrom},
	}
}

// move moves the cursor, or scrolls where there is none.
func (m *Model) move(by int) {
	if p := m.pane(); p != nil {
		p.move(by)
		return
	}
	m.scroll += by
	if m.here().screen == screenLogs {
		m.logFollow = by >= 1<<30
	}
}

// open goes into what the cursor is on.
func (m *Model) open() tea.Cmd {
	switch m.here().screen {
	case screenHome:
		if p, has := m.pools.current(); has && !m.onWork {
			m.members = table[*rows.Row]{
				title: "MEMBERS", columns: memberColumns, cells: m.memberCells, sort: m.members.sort, orders: m.members.orders, order: m.members.order,
			}
			m.enter(place{screenMembers, targetOfPool(p)})
			m.fill()
		} else if r, has := m.work.current(); has && m.onWork {
			return m.show(place{screenDetail, targetOfRow(r)})
		}
	case screenMembers:
		if r, has := m.members.current(); has {
			return m.show(place{screenDetail, targetOfRow(r)})
		}
	case screenTemplates:
		return m.openYAML()
	default:
	}
	return nil
}

// show goes to a page.
func (m *Model) show(p place) tea.Cmd {
	if m.page != nil && m.page.Target != p.target {
		m.page, m.pageErr = nil, nil
	}
	m.enter(p)
	return m.refreshPage()
}

func (m *Model) openYAML() tea.Cmd {
	targets := m.targets()
	if len(targets) == 0 {
		return nil
	}
	return m.show(place{screenYAML, targets[0]})
}

// back goes one step back: marks and filters go first.
func (m *Model) back() {
	if p := m.pane(); p != nil {
		if p.unmark() {
			return
		}
		if !p.filtered().Empty() {
			p.setFilter(rows.Filter{})
			return
		}
	}
	if m.here().screen == screenLogs {
		m.closeLog()
	}
	if len(m.way) > 1 {
		m.way = m.way[:len(m.way)-1]
		m.scroll = 0
	}
}
