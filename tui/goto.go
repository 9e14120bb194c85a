// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// goHome returns to the first screen, to its upper or lower table.
func (m *Model) goHome(lower bool) {
	m.closeLog()
	m.stack, m.claimsFocused = m.stack[:1:1], lower
	m.scroll, m.search = 0, search{}
}

// openIn moves the cursor of a table to the named object and reports whether it is there. A filter that hides it is
// cleared. The name may follow a namespace and a slash.
func openIn[T rows.Item](t *table[T], name string, nameOf func(T) string) bool {
	matches := func(item T) bool {
		namespace, plain, qualified := strings.Cut(name, "/")
		if !qualified {
			return nameOf(item) == name
		}
		return namespaceOf(item) == namespace && nameOf(item) == plain
	}
	for _, item := range t.all {
		if !matches(item) {
			continue
		}
		t.cursor = item.ID()
		t.refilter()
		if t.cursor != item.ID() {
			t.cursor = item.ID()
			t.setFilter(rows.Filter{})
		}
		t.unmark()
		return true
	}
	return false
}

func noObject(kind resolve.Kind, name string) error {
	return fmt.Errorf("there is no %s %q here", kind, name)
}

func (m *Model) goToPool(name string) (tea.Cmd, error) {
	if name != "" && !openIn(&m.pools, name, func(p *rows.Pool) string { return p.Name }) {
		return nil, noObject(resolve.KindPool, name)
	}
	m.goHome(false)
	if name == "" {
		return nil, nil
	}
	return m.open(), nil
}

func (m *Model) goToClaim(name string) (tea.Cmd, error) {
	if name != "" && !openIn(&m.claims, name, func(r *rows.Row) string { return r.Name }) {
		return nil, noObject(resolve.KindClaim, name)
	}
	m.goHome(true)
	if name == "" {
		return nil, nil
	}
	return m.open(), nil
}

func (m *Model) goToTemplate(name string) (tea.Cmd, error) {
	if name != "" && !openIn(&m.templates, name, func(t *rows.Template) string { return t.Name }) {
		return nil, noObject(resolve.KindTemplate, name)
	}
	m.goHome(false)
	m.push(location{screen: screenTemplates})
	if name == "" {
		return nil, nil
	}
	return m.open(), nil
}

// goToNamespace shows a namespace, or lets the user choose one.
func (m *Model) goToNamespace(name string) (tea.Cmd, error) {
	switch name {
	case "":
		return m.askNamespace(), nil
	case allNamespacesWord, "-":
		name = ""
	}
	m.showNamespace(name)
	return nil, nil
}

// showNamespace shows a namespace, or all if it is empty.
func (m *Model) showNamespace(name string) {
	m.goHome(false)
	m.source.Switch(name)
}
