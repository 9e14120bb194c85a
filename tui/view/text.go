// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"errors"
	"net/url"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Reason returns an error on one line, without the URL of the request: the text before it already says what was done.
func Reason(err error) string {
	text := err.Error()
	if request, is := errors.AsType[*url.Error](err); is {
		text = strings.Replace(text, request.Error(), request.Err.Error(), 1)
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\n", "; ")), " ")
}

// Width returns the number of terminal cells of a text.
func Width(text string) int { return ansi.StringWidth(text) }

// Cut shortens a text to a width and ends a shortened text with an ellipsis.
func (t *Theme) Cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if len(text) <= width { // no text takes more cells than bytes
		return text
	}
	return ansi.Truncate(text, width, t.Ellipsis)
}

// Fit cuts or pads a text to exactly the given width.
func (t *Theme) Fit(text string, width int, right bool) string {
	text = t.Cut(text, width)
	pad := width - Width(text)
	switch {
	case pad <= 0:
		return text
	case right:
		return strings.Repeat(" ", pad) + text
	}
	return text + strings.Repeat(" ", pad)
}

// Justify puts one text at the left and one at the right end of a line. It drops the right one when both do not fit.
func (t *Theme) Justify(left, right string, width int) string {
	gap := width - Width(left) - Width(right)
	if gap < 1 {
		return t.Fit(left, width, false)
	}
	return left + strings.Repeat(" ", gap) + right
}

// Highlight highlights a text wherever it is in a line, in any case. A line that is painted already is not changed.
func (t *Theme) Highlight(line, text string) string {
	lower, wanted := strings.ToLower(line), strings.ToLower(text)
	if wanted == "" || len(lower) != len(line) || strings.Contains(line, "\x1b") {
		return line
	}
	var b strings.Builder
	for {
		at := strings.Index(lower, wanted)
		if at < 0 {
			return b.String() + line
		}
		end := at + len(wanted)
		b.WriteString(line[:at] + t.Selected(line[at:end]))
		line, lower = line[end:], lower[end:]
	}
}

// Center centres a text on a line.
func (t *Theme) Center(text string, width int) string {
	text = t.Cut(text, width)
	left := max(0, (width-Width(text))/2)
	return t.Fit(strings.Repeat(" ", left)+text, width, false)
}

// Wrap breaks a text into lines of at most the width.
func Wrap(text string, width int) []string {
	if width <= 0 {
		return nil
	}
	return strings.Split(ansi.Wrap(text, width, " "), "\n")
}

// Bar draws the ratio of part to whole; a nonzero part fills at least one cell.
func (t *Theme) Bar(part, whole, width int) string {
	full := width
	if whole > 0 {
		full = min(width, part*width/whole)
		if full == 0 && part > 0 {
			full = 1
		}
	}
	full = max(0, full)
	return strings.Repeat(t.Full, full) + strings.Repeat(t.Empty, max(0, width-full))
}

// Sparkline draws the latest numbers that fit the width, on a scale from zero to the largest.
func (t *Theme) Sparkline(numbers []int, width int) string {
	numbers = numbers[max(0, len(numbers)-width):]
	top := 1
	for _, n := range numbers {
		top = max(top, n)
	}
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", width-len(numbers)))
	for _, n := range numbers {
		b.WriteString(t.Spark[max(0, n)*(len(t.Spark)-1)/top])
	}
	return b.String()
}
