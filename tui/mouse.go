// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import tea "charm.land/bubbletea/v2"

// wheelLines is how far one notch of the wheel goes.
const wheelLines = 3

// wheel moves what is under the pointer.
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

// click puts the cursor where the pointer is; a click on the cursor opens what is there.
func (m *Model) click(at tea.Mouse) tea.Cmd {
	if at.Button != tea.MouseLeft || m.overlay != nil || m.tiny() {
		return nil
	}
	for _, a := range m.areas() {
		line := at.Y - a.top - 1 // the first line is the head
		if line < -1 || line >= a.height-1 {
			continue
		}
		m.onWork = a.work
		if line < 0 {
			return nil // a click on the head chooses the table
		}
		p := m.pane()
		index, offset := p.place()
		shown, _ := p.size()
		switch target := offset + line; {
		case target >= shown:
			return nil
		case target == index:
			return m.open()
		default:
			p.to(target)
		}
		return nil
	}
	return nil
}
