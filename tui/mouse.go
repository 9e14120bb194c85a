// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import tea "charm.land/bubbletea/v2"

// wheelLines is the number of lines that one notch of the wheel moves.
const wheelLines = 3

// wheel moves the cursor or scrolls the text.
func (m *Model) wheel(at tea.Mouse) {
	var by int
	switch at.Button {
	case tea.MouseWheelUp:
		by = -wheelLines
	case tea.MouseWheelDown:
		by = wheelLines
	default:
		return
	}
	if m.overlay == nil {
		m.move(by)
	}
}

// click moves the cursor to the pointer; a click on the cursor opens the object.
func (m *Model) click(at tea.Mouse) tea.Cmd {
	if at.Button != tea.MouseLeft || m.overlay != nil || m.tooSmall() {
		return nil
	}
	for _, a := range m.areas() {
		line := at.Y - a.top - 1 // the first line is the header
		if line < -1 || line >= a.height-1 {
			continue
		}
		if lower := m.lowerFocus(); lower != nil {
			*lower = a.lower
		}
		if line < 0 {
			return nil // a click on the header focuses the table
		}
		p := m.focusedTable()
		index, offset := p.position()
		shown, _ := p.size()
		switch target := offset + line; {
		case target >= shown:
			return nil
		case target == index:
			return m.open()
		default:
			p.moveTo(target)
		}
		return nil
	}
	return nil
}
