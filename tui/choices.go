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

// askFilter prompts for a filter and applies it while it is typed.
func (m *Model) askFilter(begin string) {
	target := m.focusedTable()
	before := target.currentFilter()
	if begin == "" {
		begin = before.String()
	}
	p := newPrompt("Filter (words, !words to exclude, or -l selector)", begin, func(*Model, string) tea.Cmd { return nil })
	p.onChange = func(_ *Model, text string) {
		f, err := rows.ParseFilter(text)
		p.invalid = ""
		if err != nil {
			p.invalid = err.Error()
			return
		}
		target.setFilter(f)
	}
	p.onCancel = func(*Model) { target.setFilter(before) }
	m.overlay = p
}

// askOrder lets the user choose the sort order of the table. Choosing the current order again reverses it.
func (m *Model) askOrder() {
	target := m.focusedTable()
	orders, now, reverse := target.sorting()
	c := &choice{title: "Sort by", hint: "enter: select, again to reverse", index: max(0, slices.Index(orders, now))}
	for _, o := range orders {
		text := string(o)
		if o == now && reverse {
			text += " (reversed)"
		}
		c.options = append(c.options, text)
	}
	c.pick = func(_ *Model, i int) tea.Cmd {
		target.setOrder(orders[i], orders[i] == now && !reverse)
		target.moveTo(0)
		return nil
	}
	m.overlay = c
}

// allNamespaces is the option that selects all namespaces.
const allNamespaces = "(all namespaces)"

// askNamespace lets the user choose a namespace. The option for all is available at once, the others when they are
// read.
func (m *Model) askNamespace() tea.Cmd {
	ctx, source := m.ctx, m.source
	c := &choice{title: "Namespace", hint: "loading namespaces" + m.theme.Ellipsis, options: []string{allNamespaces}}
	c.pick = func(m *Model, i int) tea.Cmd {
		name := c.options[i]
		if i == 0 {
			name = ""
		}
		m.showNamespace(name)
		return nil
	}
	m.overlay = c
	return func() tea.Msg { return namespacesMsg{into: c, names: source.Namespaces(ctx)} }
}

// takeNamespaces adds the namespaces to the choice. The cursor moves to the shown namespace unless the user has moved
// it.
func (c *choice) takeNamespaces(m *Model, names []string) {
	c.options, c.hint = append(c.options[:1:1], names...), "enter: select"
	if m.snapshot != nil && !c.moved {
		c.index = max(0, slices.Index(c.options, m.snapshot.Namespace))
	}
}

// askForwards lists the port-forwards and lets the user stop one.
func (m *Model) askForwards() {
	c := &choice{title: "Port-forwards", hint: "enter, d: stop", empty: "none: press p on a sandbox"}
	list := m.forwards
	for _, f := range list {
		text := fmt.Sprintf("%s -> %s of %s, %d connections", f.Listening, f.Ports, f.Target.Ref(), f.Connections)
		if f.Trouble != "" {
			text += " (" + f.Trouble + ")"
		}
		c.options = append(c.options, text)
	}
	c.pick = func(m *Model, i int) tea.Cmd {
		return m.start(action.Request{Verb: action.StopForward, Argument: strconv.Itoa(list[i].ID)})
	}
	m.overlay = c
}
