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

// command is a key binding and its action. The help screen and the footer are generated from the commands.
type command struct {
	key.Binding
	group string
	// on are the screens where the command works; empty means all.
	on []screen
	// hint reports whether the footer shows the key now; nil means never.
	hint func(*Model) bool
	run  func(*Model) tea.Cmd
}

func always(*Model) bool { return true }

// forSandboxes returns the hint function of a verb that works on claims and Sandboxes.
func forSandboxes(verb action.Verb) func(*Model) bool {
	kinds := []resolve.Kind{resolve.KindClaim, resolve.KindSandbox}
	return func(m *Model) bool { return m.permits(verb) && len(ofKinds(m.targets(), kinds)) > 0 }
}

// forPools returns the hint function of a verb that works on pools or templates.
func forPools(verb action.Verb) func(*Model) bool {
	return func(m *Model) bool { return m.permits(verb) && len(m.sources(verb)) > 0 }
}

func (m *Model) permits(verb action.Verb) bool { return !m.readOnly || !verb.Changes() }

func (c *command) availableOn(m *Model) bool {
	return len(c.on) == 0 || slices.Contains(c.on, m.current().screen)
}

func bind(help, does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
}

func askTo(verb action.Verb) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.ask(verb) }
}

func withoutCmd(f func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		f(m)
		return nil
	}
}

// commands returns all commands, in the order of the help screen.
func commands() []command {
	return slices.Concat(navigationCommands(), viewCommands(), logCommands(), actionCommands())
}

// helpKey opens the help screen.
const helpKey = "?"

func navigationCommands() []command {
	lists := []screen{screenHome, screenMembers, screenTemplates}
	inner := []screen{screenMembers, screenDetail, screenYAML, screenEvents, screenTemplates, screenLogs}
	const group = "Navigate"
	return []command{
		{bind("↑/k", "up", "up", "k"), group, nil, nil, withoutCmd(func(m *Model) { m.move(-1) })},
		{bind("↓/j", "down", "down", "j"), group, nil, nil, withoutCmd(func(m *Model) { m.move(1) })},
		{bind("pgup", "page up", "pgup", "ctrl+b"), group, nil, nil, withoutCmd(func(m *Model) { m.move(-m.pageSize()) })},
		{bind("pgdn", "page down", "pgdown", "ctrl+f"), group, nil, nil, withoutCmd(func(m *Model) { m.move(m.pageSize()) })},
		{bind("g/home", "first", "g", "home"), group, nil, nil, withoutCmd(func(m *Model) { m.move(-1 << 30) })},
		{bind("G/end", "last", "G", "end"), group, nil, nil, withoutCmd(func(m *Model) { m.move(1 << 30) })},
		{bind("tab", "other table", "tab", "shift+tab"), group, []screen{screenHome, screenMembers}, always,
			withoutCmd((*Model).switchTable)},
		{bind("enter", "open", "enter", "right"), group, lists, always, (*Model).open},
		{bind("esc", "unmark, clear filter", "esc", "left", "backspace"), group, []screen{screenHome}, nil,
			withoutCmd((*Model).back)},
		{bind("esc", "back", "esc", "left", "backspace"), group, inner, always, withoutCmd((*Model).back)},
		{bind("t", "templates", "t"), group, []screen{screenHome, screenMembers}, always,
			withoutCmd(func(m *Model) { m.push(location{screen: screenTemplates}) })},
		{bind("n", "namespace", "n"), group, lists, nil, (*Model).askNamespace},
		{bind(commandLineKey, "command line", commandLineKey), group, nil, nil, (*Model).openCommandLine},
		{bind("q", "quit", "q"), group, nil, always, func(*Model) tea.Cmd { return tea.Quit }},
	}
}

func viewCommands() []command {
	lists := []screen{screenHome, screenMembers, screenTemplates}
	const group = "View"
	return []command{
		{bind(helpKey, "help", helpKey), group, nil, always, withoutCmd(func(m *Model) { m.overlay = &help{} })},
		{bind("/", "filter", "/"), group, lists, always, withoutCmd(func(m *Model) { m.askFilter("") })},
		{bind("!", "exclude", "!"), group, lists, nil, withoutCmd(func(m *Model) { m.askFilter("!") })},
		{bind("L", "filter by label", "L"), group, lists, nil, withoutCmd(func(m *Model) { m.askFilter("-l ") })},
		{bind("/", "search", "/"), group, textScreens(), always, withoutCmd((*Model).askSearch)},
		{bind("n", "next match", "n"), group, textScreens(), (*Model).searching,
			withoutCmd(func(m *Model) { m.findNext(1) })},
		{bind("N", "previous match", "N"), group, textScreens(), nil, withoutCmd(func(m *Model) { m.findNext(-1) })},
		{bind("o", "sort", "o"), group, lists, nil, withoutCmd((*Model).askOrder)},
		{bind("space", "mark", "space"), group, lists, nil, withoutCmd(func(m *Model) { m.focusedTable().mark() })},
		{bind("ctrl+a", "mark all", "ctrl+a"), group, lists, nil, withoutCmd(func(m *Model) { m.focusedTable().markAll() })},
		{bind("u", "unmark all", "u"), group, lists, nil, withoutCmd(func(m *Model) { m.focusedTable().unmark() })},
		{bind("y", "YAML", "y"), group, append([]screen{screenDetail, screenEvents, screenLogs}, lists...), nil,
			(*Model).openYAML},
		{bind("E", "events", "E"), group, append([]screen{screenDetail, screenYAML, screenLogs}, lists...), nil,
			(*Model).openEvents},
		{bind("f", "port-forwards", "f"), group, nil, nil, withoutCmd((*Model).askForwards)},
		{bind("ctrl+r", "reconnect now", "ctrl+r"), group, nil, nil, withoutCmd(func(m *Model) {
			m.source.Reconnect()
			m.showToast("reconnecting", false)
		})},
	}
}

func actionCommands() []command {
	inside := []screen{screenLogs, screenHome, screenMembers, screenDetail, screenYAML, screenEvents}
	anything := append([]screen{screenTemplates}, inside...)
	const group = "Actions"
	return []command{
		{bind("s", "shell", "s"), group, inside, forSandboxes(action.Shell), askTo(action.Shell)},
		{bind("x", "run a command", "x"), group, inside, nil, askTo(action.Exec)},
		{bind("l", "logs", "l"), group, inside[1:], forSandboxes(action.Logs), askTo(action.Logs)},
		{bind("C", "choose a container", "C"), group, inside, nil, (*Model).askContainer},
		{bind("p", "port-forward", "p"), group, inside, nil, askTo(action.Forward)},
		{bind("c", "copy namespace and name", "c"), group, anything, nil, askTo(action.Copy)},
		{bind("z", "suspend", "z"), group, inside, nil, askTo(action.Suspend)},
		{bind("r", "resume", "r"), group, inside, nil, askTo(action.Resume)},
		{bind("e", "extend", "e"), group, inside, nil, askTo(action.Extend)},
		{bind("d", "delete", "d", "delete"), group, anything, nil, askTo(action.Delete)},
		{bind("S", "scale the pool", "S", "+"), group, []screen{screenHome, screenMembers, screenYAML},
			forPools(action.Scale), askSources(action.Scale)},
		{bind("a", "create claim", "a"), group, []screen{screenHome, screenMembers, screenTemplates, screenYAML},
			forPools(action.Create), askSources(action.Create)},
	}
}

// move moves the cursor, or scrolls a screen without a table.
func (m *Model) move(by int) {
	if p := m.focusedTable(); p != nil {
		p.move(by)
		return
	}
	m.scroll += by
	if m.current().screen == screenLogs {
		m.logFollow = by >= 1<<30
	}
}

// open opens the object under the cursor.
func (m *Model) open() tea.Cmd {
	switch m.current().screen {
	case screenHome:
		if p, has := m.pools.current(); has && !m.claimsFocused {
			m.resetPoolTables()
			m.push(location{screenMembers, targetOfPool(p)})
			m.updateTables()
		} else if r, has := m.claims.current(); has && m.claimsFocused {
			return m.show(location{screenDetail, targetOfRow(r)})
		}
	case screenMembers:
		list := &m.members
		if m.poolClaimsFocused {
			list = &m.poolClaims
		}
		if r, has := list.current(); has {
			return m.show(location{screenDetail, targetOfRow(r)})
		}
	case screenTemplates:
		return m.openYAML()
	default:
	}
	return nil
}

// show opens a page.
func (m *Model) show(p location) tea.Cmd {
	if m.page != nil && m.page.Target != p.target {
		m.page, m.pageErr = nil, nil
	}
	if at := m.current(); at.target == p.target && (at.screen == screenYAML || at.screen == screenEvents) {
		m.stack = m.stack[:len(m.stack)-1] // switching between both does not lengthen the way back
	}
	m.push(p)
	return m.refreshPage()
}

// back removes marks, else the filter or the search, else returns to the previous screen.
func (m *Model) back() {
	if m.search.active() {
		m.search = search{}
		return
	}
	if p := m.focusedTable(); p != nil {
		if p.unmark() {
			return
		}
		if !p.currentFilter().Empty() {
			p.setFilter(rows.Filter{})
			return
		}
	}
	if m.current().screen == screenLogs {
		m.closeLog()
	}
	if len(m.stack) > 1 {
		m.stack = m.stack[:len(m.stack)-1]
		m.scroll = 0
	}
}
