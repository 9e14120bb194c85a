// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// ColoredCell is a cell that is painted after its text has been truncated to the width of the column.
type ColoredCell struct {
	Text  string
	Paint func(text string) string
}

// The layout of columns, in characters, is that of kubectl.
const (
	minColumnWidth = 6
	columnGap      = 3
)

// minShrunkWidth is the width below which a column is not shrunk to fit the terminal: ages, counts and states fit.
const minShrunkWidth = 10

// grid is a table of texts. The first row has the headers, unless they are left out.
type grid [][]ColoredCell

// newCell returns a value as a cell, without control characters.
func newCell(value any) ColoredCell {
	if painted, ok := value.(ColoredCell); ok {
		painted.Text = printable.Line(painted.Text)
		return painted
	}
	return ColoredCell{Text: printable.Line(fmt.Sprint(value))}
}

// write prints the grid. With a width other than 0 no line is longer: columns are shrunk, then dropped from the right,
// and the first column is truncated last.
func (g grid) write(out io.Writer, width int) error { return g.writeAligned(out, nil, width) }

// writeAligned is write with minimum widths of the columns.
func (g grid) writeAligned(out io.Writer, least []int, width int) error {
	widths := g.widths()
	for i := range widths {
		if i < len(least) {
			widths[i] = max(widths[i], least[i])
		}
	}
	if width > 0 {
		widths = fitWidths(widths, width)
	}
	var b strings.Builder
	for _, row := range g {
		for i := range widths {
			text, last := truncate(row[i].Text, widths[i]), i == len(widths)-1
			pad := max(widths[i]+columnGap, minColumnWidth) - utf8.RuneCountInString(text)
			if row[i].Paint != nil {
				text = row[i].Paint(text)
			}
			b.WriteString(text)
			if !last {
				b.WriteString(strings.Repeat(" ", pad))
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// widths returns the width of the longest text of each column.
func (g grid) widths() []int {
	var widths []int
	for _, row := range g {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell.Text))
		}
	}
	return widths
}

// fitWidths shrinks the widest columns, then drops columns from the right, then shrinks the first one.
func fitWidths(widths []int, width int) []int {
	widths = append([]int{}, widths...)
	for totalWidth(widths) > width {
		widest := 0
		for i := 1; i < len(widths); i++ {
			if widths[i] > minShrunkWidth && (widest == 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		switch {
		case widest > 0:
			widths[widest]--
		case len(widths) > 1 && (len(widths) > 3 || totalWidth(widths)-width > widths[0]-minShrunkWidth):
			widths = widths[:len(widths)-1]
		case widths[0] > 1:
			widths[0]--
		default:
			return widths
		}
	}
	return widths
}

// totalWidth returns the width of a line with these columns.
func totalWidth(widths []int) int {
	sum := 0
	for i, w := range widths {
		if i < len(widths)-1 {
			w = max(w+columnGap, minColumnWidth)
		}
		sum += w
	}
	return sum
}

// truncate shortens a text to the width, with an ellipsis.
func truncate(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(width-1, 0)]) + "…"
}

// terminalWidth returns the width of the terminal behind out, or 0 if there is none.
func terminalWidth(out io.Writer) int {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}
