// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// command is a key and what it does. Help and the line of hints are made from commands: there is no second list.
type command struct {
	key.Binding
	group string
	// on are the screens that it works on: all if there are none.
	on []screen
	// hint says whether it is worth a place in the line of hints now: never if it is nil.
	hint func(*Model) bool
	run  func(*Model) tea.Cmd
}

func always(*Model) bool { return true }

// forHolders is for verbs that work on the claim or Sandbox that is chosen.
func forHolders(verb action.Verb) func(*Model) bool {
	kinds := []resolve.Kind{resolve.KindClaim, resolve.KindSandbox}
	return func(m *Model) bool { return m.mayDo(verb) && len(ofKinds(m.targets(), kinds)) > 0 }
}

// forSources is for verbs that work on pools or templates.
func forSources(verb action.Verb) func(*Model) bool {
	return func(m *Model) bool { return m.mayDo(verb) && len(m.sources(verb)) > 0 }
}

func (m *Model) mayDo(verb action.Verb) bool { return !m.readOnly || !verb.Changes() }

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
		{bind("↑/k", "up", "up", "k"), group, nil, nil, do(func(m *Model) { m.move(-1) })},
		{bind("↓/j", "down", "down", "j"), group, nil, nil, do(func(m *Model) { m.move(1) })},
		{bind("pgup", "a page up", "pgup", "ctrl+b"), group, nil, nil, do(func(m *Model) { m.move(-m.pageSize()) })},
		{bind("pgdn", "a page down", "pgdown", "ctrl+f"), group, nil, nil, do(func(m *Model) { m.move(m.pageSize()) })},
		{bind("g/home", "first", "g", "home"), group, nil, nil, do(func(m *Model) { m.move(-1 << 30) })},
		{bind("G/end", "last", "G", "end"), group, nil, nil, do(func(m *Model) { m.move(1 << 30) })},
		{bind("tab", "other table", "tab", "shift+tab"), group, []screen{screenHome}, always, do(func(m *Model) { m.onWork = !m.onWork })},
		{bind("enter", "open", "enter", "right"), group, lists, always, (*Model).open},
		{bind("esc", "unmark, show all", "esc", "left", "backspace"), group, []screen{screenHome}, nil, do((*Model).back)},
		{bind("esc", "back", "esc", "left", "backspace"), group, inner, always, do((*Model).back)},
		{bind("t", "templates", "t"), group, []screen{screenHome, screenMembers}, always, do(func(m *Model) { m.enter(place{screen: screenTemplates}) })},
		{bind("n", "namespace", "n"), group, lists, nil, (*Model).askNamespace},
		{bind("q", "quit", "q"), group, nil, always, func(*Model) tea.Cmd { return tea.Quit }},
	}
}

func looking() []command {
	lists := []screen{screenHome, screenMembers, screenTemplates}
	const group = "Look"
	return []command{
		{bind(helpKey, "help", helpKey), group, nil, always, do(func(m *Model) { m.overlay = &help{} })},
		{bind("/", "filter", "/"), group, lists, always, do(func(m *Model) { m.askFilter("") })},
		{bind("!", "filter out", "!"), group, lists, nil, do(func(m *Model) { m.askFilter("!") })},
		{bind("L", "filter by label", "L"), group, lists, nil, do(func(m *Model) { m.askFilter("-l ") })},
		{bind("o", "sort", "o"), group, lists, nil, do((*Model).askOrder)},
		{bind("space", "mark", "space"), group, lists, nil, do(func(m *Model) { m.pane().mark() })},
		{bind("ctrl+a", "mark all", "ctrl+a"), group, lists, nil, do(func(m *Model) { m.pane().markAll() })},
		{bind("u", "unmark all", "u"), group, lists, nil, do(func(m *Model) { m.pane().unmark() })},
		{bind("y", "YAML", "y"), group, []screen{screenHome, screenMembers, screenTemplates, screenDetail}, nil, (*Model).openYAML},
		{bind("f", "port-forwards", "f"), group, nil, nil, do((*Model).askForwards)},
		{bind("F", "follow the log", "F"), group, []screen{screenLogs}, always, do(func(m *Model) { m.logFollow = !m.logFollow })},
		{bind("ctrl+r", "reconnect now", "ctrl+r"), group, nil, nil, do(func(m *Model) {
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
		{bind("s", "shell", "s"), group, inside, forHolders(action.Shell), act(action.Shell)},
		{bind("x", "run a command", "x"), group, inside, nil, act(action.Exec)},
		{bind("l", "logs", "l"), group, inside[:4], forHolders(action.Logs), act(action.Logs)},
		{bind("p", "port-forward", "p"), group, inside, nil, act(action.Forward)},
		{bind("c", "copy namespace and name", "c"), group, anything, nil, act(action.Copy)},
		{bind("z", "suspend", "z"), group, inside, nil, act(action.Suspend)},
		{bind("r", "resume", "r"), group, inside, nil, act(action.Resume)},
		{bind("e", "extend", "e"), group, inside, nil, act(action.Extend)},
		{bind("d", "delete", "d", "delete"), group, anything, nil, act(action.Delete)},
		{bind("S", "scale the pool", "S", "+"), group, []screen{screenHome, screenMembers, screenYAML}, forSources(action.Scale), askSources(action.Scale)},
		{bind("a", "claim from pool or template", "a"), group, []screen{screenHome, screenMembers, screenTemplates, screenYAML}, forSources(action.Create), askSources(action.Create)},
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
