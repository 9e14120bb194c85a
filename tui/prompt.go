// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// prompt is an input field.
type prompt struct {
	question string
	input    textinput.Model
	// proposed says that the value is a proposal that the user has not edited: typing replaces it.
	proposed bool
	// onChange, if set, is called after each change, onCancel after Esc.
	onChange func(*Model, string)
	onCancel func(*Model)
	onEnter  func(*Model, string) tea.Cmd
	invalid  string
	// note is shown below the input.
	note string
}

func newPrompt(question, value string, done func(*Model, string) tea.Cmd) *prompt {
	p := &prompt{question: question, input: textinput.New(), onEnter: done}
	p.input.Prompt = ""
	styles := p.input.Styles()
	styles.Cursor.Blink = false
	p.input.SetStyles(styles)
	p.input.SetValue(value)
	p.input.CursorEnd()
	p.input.Focus() // its command blinks the cursor, which is turned off
	return p
}

// newProposal returns a prompt whose value is a proposal.
func newProposal(question, value string, done func(*Model, string) tea.Cmd) *prompt {
	p := newPrompt(question, "", done)
	p.propose(value)
	return p
}

// propose sets the value as a proposal.
func (p *prompt) propose(value string) {
	p.input.SetValue(value)
	p.input.CursorEnd()
	p.proposed = value != ""
}

func (p *prompt) press(m *Model, msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		m.overlay = nil
		if p.onCancel != nil {
			p.onCancel(m)
		}
		return nil
	case "enter":
		m.overlay = nil
		return p.onEnter(m, p.input.Value())
	}
	return p.edit(m, msg)
}

func (p *prompt) paste(m *Model, msg tea.PasteMsg) tea.Cmd { return p.edit(m, msg) }

func (p *prompt) edit(m *Model, msg tea.Msg) tea.Cmd {
	before := p.input.Value()
	if p.proposed {
		p.proposed = false
		if replaces(msg) {
			p.input.Reset()
		}
	}
	p.input, _ = p.input.Update(msg) // its commands blink the cursor, which is turned off
	if now := p.input.Value(); now != before && p.onChange != nil {
		p.onChange(m, now)
	}
	return nil
}

// replaces reports whether an edit replaces a proposed value: text does, and so do the keys that delete. Keys that move
// the cursor keep the value for editing.
func replaces(msg tea.Msg) bool {
	key, is := msg.(tea.KeyPressMsg)
	if !is {
		return true // pasted text
	}
	return key.Text != "" || key.Code == tea.KeyBackspace || key.Code == tea.KeyDelete
}

// inputWidth is the width of an input field.
const inputWidth = 60

func (p *prompt) lines(m *Model, width, _ int) (string, []string) {
	input, room := p.input, max(1, min(width-8, inputWidth))
	input.SetWidth(room)
	text := []string{input.View()}
	keys := "enter: OK" + m.theme.Dot + "esc: cancel"
	if p.proposed {
		text[0] = m.theme.Fit(m.theme.Selected(m.theme.Cut(printable.Line(p.input.Value()), room)), room+1, false)
		keys = "typing replaces it" + m.theme.Dot + keys
	}
	if p.note != "" {
		text = append(text, m.theme.Paint(view.Dim, m.theme.Cut(printable.Line(p.note), room)))
	}
	if p.invalid != "" {
		text = append(text, m.theme.Paint(view.Bad, printable.Line(p.invalid)))
	}
	return p.question, append(text, m.theme.Paint(view.Dim, keys))
}
