// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// askFilter asks for a filter, and shows what it takes while it is typed.
func (m *Model) askFilter(begin string) {
	target := m.pane()
	before := target.filtered()
	if begin == "" {
		begin = before.String()
	}
	p := newPrompt("Filter (words; !words to leave out; -l selector)", begin, func(*Model, string) tea.Cmd { return nil })
	p.changed = func(_ *Model, text string) {
		f, err := rows.ParseFilter(text)
		p.wrong = ""
		if err != nil {
			p.wrong = err.Error()
			return
		}
		target.setFilter(f)
	}
	p.cancelled = func(*Model) { target.setFilter(before) }
	m.overlay = p
}

// askOrder lets the user choose what the table is sorted by; choosing the same again turns it around.
func (m *Model) askOrder() {
	target := m.pane()
	orders, now, reverse := target.sorting()
	c := &choice{title: "Sort by", hint: "enter: choose, again to turn it around", index: max(0, slices.Index(orders, now))}
	for _, o := range orders {
		text := string(o)
		if o == now && reverse {
			text += " (turned around)"
		}
		c.options = append(c.options, text)
	}
	c.pick = func(_ *Model, i int) tea.Cmd {
		target.setOrder(orders[i], orders[i] == now && !reverse)
		target.to(0)
		return nil
	}
	m.overlay = c
}

// allNamespaces is how the choice of all is written.
const allNamespaces = "(all namespaces)"

// askNamespace lets the user choose a namespace. All can be chosen at once, the others when they were read.
func (m *Model) askNamespace() tea.Cmd {
	ctx, source := m.ctx, m.source
	c := &choice{title: "Namespace", hint: "reading which there are" + m.theme.Ellipsis, options: []string{allNamespaces}}
	c.pick = func(m *Model, i int) tea.Cmd {
		name := c.options[i]
		if i == 0 {
			name = ""
		}
		m.closeLog()
		m.way, m.onWork = m.way[:1:1], false
		m.source.Switch(name)
		return nil
	}
	m.overlay = c
	return func() tea.Msg { return namespacesMsg{into: c, names: source.Namespaces(ctx)} }
}

// offer adds the namespaces to the choice. The cursor goes to the one that is shown, unless the user has moved it.
func (m *Model) offer(msg namespacesMsg) {
	c := msg.into
	c.options, c.hint = append(c.options[:1:1], msg.names...), "enter: choose"
	if m.snapshot != nil && !c.moved {
		c.index = max(0, slices.Index(c.options, m.snapshot.Namespace))
	}
}

// askForwards lists the port-forwards, and stops one.
func (m *Model) askForwards() {
	c := &choice{title: "Port-forwards", hint: "enter, d: stop it", empty: "none; p on a sandbox starts one"}
	list := m.forwards
	for _, f := range list {
		text := fmt.Sprintf("%s -> %s of %s, %d connections", f.Listening, f.Ports, f.Target.Ref(), f.Connections)
		if f.Trouble != "" {
			text += " (" + f.Trouble + ")"
		}
		c.options = append(c.options, text)
	}
	c.pick = func(m *Model, i int) tea.Cmd {
		return m.start(action.Request{Verb: action.Unlink, Argument: strconv.Itoa(list[i].ID)})
	}
	m.overlay = c
}
