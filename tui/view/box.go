// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// Box draws a border with a title around lines. The box is at most as wide and high as given.
func (t *Theme) Box(title string, lines []string, width, height int) []string {
	title = printable.Line(title)
	inner := Width(title) + 2
	for _, line := range lines {
		inner = max(inner, Width(line))
	}
	inner = max(0, min(inner, width-4))
	if height < 3 || width < 5 {
		return nil
	}
	lines = lines[:min(len(lines), height-2)]
	title = t.Cut(title, inner)
	top := t.TopLeft + t.Horizontal + t.Paint(Accent, title) + strings.Repeat(t.Horizontal, max(0, inner+1-Width(title))) +
		t.TopRight
	box := []string{top}
	for _, line := range lines {
		box = append(box, t.Vertical+" "+t.Fit(line, inner, false)+" "+t.Vertical)
	}
	return append(box, t.BottomLeft+strings.Repeat(t.Horizontal, inner+2)+t.BottomRight)
}

// Overlay draws a box over the centre of a screen.
func Overlay(screen, box []string, width int) []string {
	if len(box) == 0 || len(box) > len(screen) {
		return screen
	}
	laid := append([]string{}, screen...)
	wide := Width(box[0])
	x, y := max(0, (width-wide)/2), (len(screen)-len(box))/2
	for i, line := range box {
		under := laid[y+i]
		left, right := ansi.Truncate(under, x, ""), ansi.TruncateLeft(under, x+wide, "")
		left += strings.Repeat(" ", max(0, x-Width(left)))
		right = strings.Repeat(" ", max(0, width-x-wide-Width(right))) + right
		laid[y+i] = left + line + right
	}
	return laid
}
