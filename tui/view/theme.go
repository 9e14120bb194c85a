// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package view draws parts of frames: text of an exact width in a theme.
//
// Invariants:
//   - every function is pure;
//   - a line has exactly the requested width, whatever its text: wide characters, control characters, or no text;
//   - a word or a symbol shows a state, and the colour only repeats it.
package view

import (
	"charm.land/lipgloss/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// Tone is the meaning of a text; the theme decides how it looks.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Dim
	Strong
	Good
	Warn
	Bad
	Accent
)

// Symbols are the special characters of a theme.
type Symbols struct {
	// UnfocusedCursor is the cursor of a table without the focus.
	Cursor, UnfocusedCursor, Marked, Ellipsis, Crumb, Dot string
	Ready, Waiting, Problem, Off, Done                    string
	Full, Empty                                           string
	Spark                                                 []string
	Horizontal, Vertical                                  string
	TopLeft, TopRight, BottomLeft, BottomRight, Up        string
	Down                                                  string
}

// Theme is the appearance of the dashboard: symbols and colours.
type Theme struct {
	Symbols
	// Colored says whether colours are used.
	Colored  bool
	tones    [Accent + 1]lipgloss.Style
	selected lipgloss.Style
	unfocus  lipgloss.Style
	bar      lipgloss.Style
}

// NewTheme returns a theme for a dark or a light terminal, or for one without colours.
func NewTheme(dark, colored, ascii bool) Theme {
	t := Theme{Symbols: unicodeSymbols(), Colored: colored}
	if ascii {
		t.Symbols = asciiSymbols()
	}
	plain := lipgloss.NewStyle()
	for i := range t.tones {
		t.tones[i] = plain
	}
	t.tones[Strong] = plain.Bold(true)
	t.selected, t.unfocus, t.bar = plain.Reverse(true), plain.Bold(true), plain.Bold(true)
	if !colored {
		return t
	}
	pick := lipgloss.LightDark(dark)
	paint := func(light, dark string) lipgloss.Style {
		return plain.Foreground(pick(lipgloss.Color(light), lipgloss.Color(dark)))
	}
	t.tones[Dim] = paint("#6b7280", "#8b949e")
	t.tones[Good] = paint("#15803d", "#4ade80")
	t.tones[Warn] = paint("#a16207", "#facc15")
	t.tones[Bad] = paint("#b91c1c", "#f87171").Bold(true)
	t.tones[Accent] = paint("#1d4ed8", "#7cb7ff").Bold(true)
	t.selected = plain.Bold(true).Background(pick(lipgloss.Color("#bfdbfe"), lipgloss.Color("#1e3a5f")))
	t.unfocus = plain.Background(pick(lipgloss.Color("#e5e7eb"), lipgloss.Color("#21262d")))
	t.bar = paint("#1d4ed8", "#7cb7ff").Bold(true)
	return t
}

func unicodeSymbols() Symbols {
	return Symbols{
		Cursor: "▶", UnfocusedCursor: "▷", Marked: "✓", Ellipsis: "…", Crumb: " › ", Dot: " · ",
		Ready: "●", Waiting: "◌", Problem: "▲", Off: "○", Done: "■",
		Full: "█", Empty: "░", Spark: []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		Horizontal: "─", Vertical: "│", TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯", Up: "↑", Down: "↓",
	}
}

func asciiSymbols() Symbols {
	return Symbols{
		Cursor: ">", UnfocusedCursor: " ", Marked: "*", Ellipsis: "~", Crumb: " > ", Dot: " | ",
		Ready: "+", Waiting: "o", Problem: "!", Off: "-", Done: "=",
		Full: "#", Empty: ".", Spark: []string{"_", ".", ":", "-", "=", "+", "*", "#"},
		Horizontal: "-", Vertical: "|", TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+", Up: "^", Down: "v",
	}
}

// Paint renders a text in a tone.
func (t *Theme) Paint(tone Tone, text string) string {
	if tone == Plain || text == "" {
		return text
	}
	return t.tones[tone].Render(text)
}

// Selected renders a text that is selected.
func (t *Theme) Selected(text string) string { return t.selected.Render(text) }

// State returns the symbol and the tone of a state.
func (t *Theme) State(v diagnose.Verdict) (sign string, tone Tone) {
	switch v {
	case diagnose.Ready:
		return t.Ready, Good
	case diagnose.Starting, diagnose.Suspending, diagnose.Deleting:
		return t.Waiting, Warn
	case diagnose.Blocked, diagnose.Failed:
		return t.Problem, Bad
	case diagnose.Succeeded:
		return t.Done, Dim
	case diagnose.Expired:
		return t.Done, Warn
	default:
		return t.Off, Dim
	}
}
