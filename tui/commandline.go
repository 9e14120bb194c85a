// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// commandLineKey opens the command line.
const commandLineKey = ":"

// typedCommand is a command of the command line.
type typedCommand struct {
	// names are the name and its other spellings.
	names []string
	// arguments returns the words that complete the argument; nil if the command takes none.
	arguments func(*Model, *commandLine) []string
	run       func(m *Model, argument string) (tea.Cmd, error)
}

// allNamespacesWord selects all namespaces on the command line.
const allNamespacesWord = "all"

func typedCommands() []typedCommand {
	return []typedCommand{
		{[]string{"pools", "pool", "wp"}, (*Model).poolNames, (*Model).goToPool},
		{[]string{"claims", "claim", "sandboxes", "sandbox", "sb"}, (*Model).claimNames, (*Model).goToClaim},
		{[]string{"templates", "template"}, (*Model).templateNames, (*Model).goToTemplate},
		{[]string{"namespace", "ns"}, func(_ *Model, c *commandLine) []string {
			return append([]string{allNamespacesWord}, c.namespaces...)
		}, (*Model).goToNamespace},
		{[]string{"forwards", "port-forwards", "pf"}, nil, func(m *Model, _ string) (tea.Cmd, error) {
			m.askForwards()
			return nil, nil
		}},
		{[]string{"help", "h"}, nil, func(m *Model, _ string) (tea.Cmd, error) {
			m.overlay = &help{}
			return nil, nil
		}},
		{[]string{"quit", "q", "q!", "exit"}, nil, func(*Model, string) (tea.Cmd, error) { return tea.Quit, nil }},
	}
}

// commandLine is an input field for a command.
type commandLine struct {
	*prompt
	commands   []typedCommand
	namespaces []string
}

// openCommandLine opens the command line. The namespaces for its completion are read meanwhile.
func (m *Model) openCommandLine() tea.Cmd {
	c := &commandLine{prompt: newPrompt("Command", "", nil), commands: typedCommands()}
	m.overlay = c
	ctx, source := m.ctx, m.source
	return func() tea.Msg { return namespacesMsg{into: c, names: source.Namespaces(ctx)} }
}

func (c *commandLine) takeNamespaces(_ *Model, names []string) { c.namespaces = names }

func (c *commandLine) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	text := c.input.Value()
	switch key := msg.String(); {
	case key == "enter":
		return c.enter(m, text)
	case key == "tab":
		c.input.SetValue(complete(text, c.candidates(m, text)))
		c.input.CursorEnd()
		return nil
	case key == "backspace" && text == "":
		m.overlay = nil
		return nil
	}
	c.invalid = ""
	return c.prompt.press(m, msg)
}

// enter runs the command. After an error the command line stays open.
func (c *commandLine) enter(m *Model, text string) tea.Cmd {
	m.overlay = nil
	word, argument, _ := strings.Cut(strings.TrimSpace(text), " ")
	if word == "" {
		return nil
	}
	found, err := c.find(word)
	if err == nil && found.arguments == nil && argument != "" {
		err = fmt.Errorf("%s takes no argument", found.names[0])
	}
	if err == nil {
		var cmd tea.Cmd
		if cmd, err = found.run(m, strings.TrimSpace(argument)); err == nil {
			return cmd
		}
	}
	m.overlay, c.invalid = c, err.Error()
	return nil
}

// find returns the command with the name, or the only one whose name begins with the word.
func (c *commandLine) find(word string) (*typedCommand, error) {
	var found []*typedCommand
	var names []string
	for i := range c.commands {
		command := &c.commands[i]
		if slices.Contains(command.names, word) {
			return command, nil
		}
		names = append(names, command.names[0])
		if slices.ContainsFunc(command.names, func(name string) bool { return strings.HasPrefix(name, word) }) {
			found = append(found, command)
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("no command %q: use %s", word, strings.Join(names, ", "))
	}
	return found[0], nil
}

// candidates returns the texts that may be meant by the beginning of a command line.
func (c *commandLine) candidates(m *Model, text string) []string {
	text = strings.TrimLeft(text, " ")
	word, argument, further := strings.Cut(text, " ")
	var all []string
	if !further {
		for i := range c.commands {
			all = append(all, c.commands[i].names[0])
		}
		return withPrefix(all, "", word)
	}
	found, err := c.find(word)
	if err != nil || found.arguments == nil {
		return nil
	}
	return withPrefix(found.arguments(m, c), word+" ", strings.TrimLeft(argument, " "))
}

// withPrefix returns the words that begin with a text, each after what precedes it.
func withPrefix(words []string, before, begin string) []string {
	var all []string
	for _, word := range words {
		if strings.HasPrefix(word, begin) {
			all = append(all, before+word)
		}
	}
	return all
}

// complete returns the longest common beginning of the candidates, or the text if there are none.
func complete(text string, candidates []string) string {
	if len(candidates) == 0 {
		return text
	}
	common := candidates[0]
	for _, candidate := range candidates[1:] {
		for !strings.HasPrefix(candidate, common) {
			common = common[:len(common)-1]
		}
	}
	return common
}

func (c *commandLine) lines(m *Model, width, _ int) (string, []string) {
	input, room := c.input, max(1, min(width-8, inputWidth))
	input.SetWidth(room)
	text := []string{input.View()}
	if c.invalid == "" {
		var words []string
		for _, candidate := range c.candidates(m, c.input.Value()) {
			words = append(words, candidate[strings.LastIndex(candidate, " ")+1:])
		}
		text = append(text, m.theme.Paint(view.Dim, m.theme.Cut(printable.Line(strings.Join(words, "  ")), room)))
	} else {
		for _, part := range view.Wrap(printable.Line(c.invalid), room) {
			text = append(text, m.theme.Paint(view.Bad, part))
		}
	}
	return c.question, append(text, m.theme.Paint(view.Dim, "tab: complete"+m.theme.Dot+"enter: OK"+m.theme.Dot+
		"esc: cancel"))
}

// namesOf returns the names of objects, with their namespaces if all are shown.
func namesOf[T rows.Item](m *Model, items []T, name func(T) string) []string {
	var all []string
	for _, item := range items {
		if m.snapshot.Namespace == "" {
			all = append(all, namespaceOf(item)+"/"+name(item))
		} else {
			all = append(all, name(item))
		}
	}
	slices.Sort(all)
	return all
}

func (m *Model) poolNames(*commandLine) []string {
	return namesOf(m, m.pools.all, func(p *rows.Pool) string { return p.Name })
}

func (m *Model) claimNames(*commandLine) []string {
	return namesOf(m, m.claims.all, func(r *rows.Row) string { return r.Name })
}

func (m *Model) templateNames(*commandLine) []string {
	return namesOf(m, m.templates.all, func(t *rows.Template) string { return t.Name })
}
