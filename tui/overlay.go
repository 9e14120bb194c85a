// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// overlay is a dialogue that covers the screen and has the focus.
type overlay interface {
	press(*Model, tea.KeyPressMsg) tea.Cmd
	paste(*Model, tea.PasteMsg) tea.Cmd
	// lines returns its title and its text for a width and a height.
	lines(m *Model, width, height int) (title string, text []string)
}

// confirmation asks before an action that cannot be undone. Every answer but an explicit yes means no.
type confirmation struct {
	question string
	request  action.Request
	yes      bool
}

func (c *confirmation) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "y", "Y":
		c.yes = true
	case "left", "right", "tab", "shift+tab", "h", "l":
		c.yes = !c.yes
		return nil
	case "enter":
	case "n", "N", "esc", "q":
		c.yes = false
	default:
		return nil
	}
	m.overlay = nil
	if !c.yes {
		m.showToast("cancelled: nothing was changed", false)
		return nil
	}
	return m.start(c.request)
}

func (c *confirmation) paste(*Model, tea.PasteMsg) tea.Cmd { return nil }

func (c *confirmation) lines(m *Model, width, _ int) (string, []string) {
	no, yes := m.theme.Paint(view.Strong, "["+m.theme.Cursor+"No]"), "  Yes  "
	if c.yes {
		no, yes = "  No  ", m.theme.Paint(view.Bad, "["+m.theme.Cursor+"Yes]")
	}
	text := append(view.Wrap(printable.Text(c.question), max(10, min(width-8, 70))), "", no+"   "+yes, "")
	return "Are you sure?", append(text, m.theme.Paint(view.Dim, "y: yes"+m.theme.Dot+"n, esc, enter: no"))
}

// choice lets the user pick one of several options.
type choice struct {
	title   string
	options []string
	index   int
	moved   bool // the user has moved the cursor
	pick    func(*Model, int) tea.Cmd
	empty   string
	hint    string
}

func (c *choice) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	c.moved = true
	switch msg.String() {
	case "up", "k":
		c.index = max(0, c.index-1)
	case "down", "j", "tab":
		c.index = max(0, min(len(c.options)-1, c.index+1))
	case "home", "g":
		c.index = 0
	case "end", "G":
		c.index = max(0, len(c.options)-1)
	case "esc", "q":
		m.overlay = nil
	case "enter", "d":
		m.overlay = nil
		if c.index < len(c.options) {
			return c.pick(m, c.index)
		}
	}
	return nil
}

func (c *choice) paste(*Model, tea.PasteMsg) tea.Cmd { return nil }

func (c *choice) lines(m *Model, width, height int) (string, []string) {
	room := max(1, height-5)
	from := max(0, min(c.index-room/2, len(c.options)-room))
	var text []string
	for i := from; i < len(c.options) && len(text) < room; i++ {
		option := printable.Line(c.options[i])
		line := "  " + option
		if i == c.index {
			line = m.theme.Cursor + " " + option
		}
		line = m.theme.Cut(line, max(1, width-6))
		if i == c.index {
			line = m.theme.Paint(view.Accent, line)
		}
		text = append(text, line)
	}
	if len(c.options) == 0 {
		text = append(text, m.theme.Paint(view.Dim, printable.Line(c.empty)))
	}
	return c.title, append(text, "", m.theme.Paint(view.Dim, c.hint))
}

// help lists all keys of the current screen.
type help struct{ scroll int }

func (h *help) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "up", "k":
		h.scroll--
	case "down", "j":
		h.scroll++
	case "pgdown":
		h.scroll += m.pageSize()
	case "pgup":
		h.scroll -= m.pageSize()
	default:
		m.overlay = nil
	}
	h.scroll = max(0, min(h.scroll, len(h.text(m, m.width))-helpRoom(m.height)))
	return nil
}

func (h *help) paste(*Model, tea.PasteMsg) tea.Cmd { return nil }

// Widths of the help screen: it has two columns of keys, or one below helpNarrow.
const (
	helpColumn = 34
	helpNarrow = 2*helpColumn + 9
)

// helpRoom returns the number of lines that the help screen has room for.
func helpRoom(height int) int { return max(1, height-2) }

func (h *help) lines(m *Model, width, height int) (string, []string) {
	text, room := h.text(m, width), helpRoom(height)
	if len(text) <= room {
		return "Keys", text
	}
	from := max(0, min(h.scroll, len(text)-room))
	return fmt.Sprintf("Keys (%s%s for more)", m.theme.Up, m.theme.Down), text[from:]
}

// text returns all lines of the help screen.
func (h *help) text(m *Model, width int) []string {
	groups, texts := []string{}, map[string][]string{}
	for i := range m.commands {
		c := &m.commands[i]
		if !c.availableOn(m) {
			continue
		}
		if texts[c.group] == nil {
			groups = append(groups, c.group)
		}
		line := fmt.Sprintf("%s %s", m.theme.Paint(view.Accent, m.theme.Fit(m.keyName(c.Help().Key), 7, false)),
			c.Help().Desc)
		texts[c.group] = append(texts[c.group], line)
	}
	var text []string
	for _, group := range groups {
		text = append(text, m.theme.Paint(view.Strong, group))
		lines := texts[group]
		half := len(lines)
		if width >= helpNarrow {
			half = (len(lines) + 1) / 2
		}
		for i := range half {
			line := m.theme.Fit(lines[i], max(1, min(helpColumn, width-4)), false)
			if half+i < len(lines) {
				line += " " + lines[half+i]
			}
			text = append(text, line)
		}
	}
	return text
}

// keyName replaces arrows by words on ASCII terminals.
func (m *Model) keyName(name string) string {
	if !m.ascii {
		return name
	}
	return strings.NewReplacer("↑", "up", "↓", "down").Replace(name)
}
