// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package view draws parts of frames: text of an exact width in a theme.
//
// Invariants:
//   - everything here is a pure function;
//   - a line is exactly as wide as was asked for, whatever its text: wide characters, control characters, nothing at all;
//   - a state is told by a word or a sign, and colour only repeats it.
package view

import (
	"charm.land/lipgloss/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// Tone is what a text means; the theme says how that looks.
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

// Signs are the characters that are not letters.
type Signs struct {
	// Resting is the cursor of a table that has not the keyboard.
	Cursor, Resting, Marked, Ellipsis, Crumb, Dot  string
	Ready, Waiting, Problem, Off, Done             string
	Full, Empty                                    string
	Spark                                          []string
	Horizontal, Vertical                           string
	TopLeft, TopRight, BottomLeft, BottomRight, Up string
	Down                                           string
}

// Theme is how things look.
type Theme struct {
	Signs
	// Colored says whether colours are used at all.
	Colored  bool
	tones    [Accent + 1]lipgloss.Style
	selected lipgloss.Style
	unfocus  lipgloss.Style
	bar      lipgloss.Style
}

// NewTheme returns a theme for a dark or a light terminal, or for one without colours.
func NewTheme(dark, colored, ascii bool) Theme {
	t := Theme{Signs: unicodeSigns(), Colored: colored}
	if ascii {
		t.Signs = asciiSigns()
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

func unicodeSigns() Signs {
	return Signs{
		Cursor: "▶", Resting: "▷", Marked: "✓", Ellipsis: "…", Crumb: " › ", Dot: " · ",
		Ready: "●", Waiting: "◌", Problem: "▲", Off: "○", Done: "■",
		Full: "█", Empty: "░", Spark: []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		Horizontal: "─", Vertical: "│", TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯", Up: "↑", Down: "↓",
	}
}

func asciiSigns() Signs {
	return Signs{
		Cursor: ">", Resting: " ", Marked: "*", Ellipsis: "~", Crumb: " > ", Dot: " | ",
		Ready: "+", Waiting: "o", Problem: "!", Off: "-", Done: "=",
		Full: "#", Empty: ".", Spark: []string{"_", ".", ":", "-", "=", "+", "*", "#"},
		Horizontal: "-", Vertical: "|", TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+", Up: "^", Down: "v",
	}
}

// Paint colours a text.
func (t *Theme) Paint(tone Tone, text string) string {
	if tone == Plain || text == "" {
		return text
	}
	return t.tones[tone].Render(text)
}

// State is the sign, and the tone, of a state word.
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
