// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// Column is one column of a table.
type Column struct {
	Title string
	// Width is the usual width, Grow the column's share of the remaining width; a column without a share keeps its Width.
	Width, Grow int
	Right       bool
	// Content is the width of the widest text of a column that grows; 0 means that it is unknown. A column takes less
	// than its Width if its texts need less, and it does not grow beyond what they need.
	Content int
	// Whole says that the column takes what its texts need, up to half of the table, before others get their Width.
	Whole bool
	// Rank decides which column is hidden first when there is no room: the highest rank first, 0 never.
	Rank int
	// MinWidth is the width to which the column shrinks before it is hidden; 0 means Width. ShrinkRank is its rank until
	// it has shrunk; 0 means Rank.
	MinWidth, ShrinkRank int
}

// Cell is one cell of a table.
type Cell struct {
	Text string
	Tone Tone
}

// Line is one line of a table.
type Line struct {
	Cells            []Cell
	Selected, Marked bool
}

// gutter is the width of the beginning of every line: cursor, mark, space.
const gutter = 3

// Header draws the titles of the columns. The first title may be longer than its column; it hides titles that it
// overlaps.
func (t *Theme) Header(columns []Column, width int, focused bool) string {
	text, used, at := strings.Repeat(" ", gutter), gutter, gutter
	for i, w := range Widths(columns, width) {
		switch {
		case w == 0:
			continue
		case i == 0:
			text += columns[i].Title
			used += Width(columns[i].Title)
		case at > used || (at == used && used == gutter):
			text += strings.Repeat(" ", at-used) + t.Fit(columns[i].Title, w, columns[i].Right)
			used = at + w
		}
		at += w + 1
	}
	tone := Dim
	if focused {
		tone = Accent
	}
	return t.Paint(tone, t.Fit(text, width, false))
}

// Row draws one line of a table.
func (t *Theme) Row(columns []Column, line Line, width int, focused bool) string {
	widths := Widths(columns, width)
	cursor, mark := " ", " "
	switch {
	case line.Selected && focused:
		cursor = t.Cursor
	case line.Selected:
		cursor = t.UnfocusedCursor
	}
	if line.Marked {
		mark = t.Marked
	}
	var b strings.Builder
	b.WriteString(cursor + mark + " ")
	used, first := gutter, true
	for i, cell := range line.Cells {
		if widths[i] == 0 {
			continue
		}
		if !first {
			b.WriteByte(' ')
			used++
		}
		first = false
		text := t.Fit(printable.Line(cell.Text), widths[i], columns[i].Right)
		used += widths[i]
		if !line.Selected {
			text = t.Paint(cell.Tone, text)
		}
		b.WriteString(text)
	}
	text := b.String()
	if used < width {
		text += strings.Repeat(" ", width-used)
	} else {
		text = t.Fit(text, width, false)
	}
	switch {
	case line.Selected && focused:
		return t.selected.Render(text)
	case line.Selected:
		return t.unfocus.Render(text)
	}
	return text
}
