// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestTextFitsExactly(t *testing.T) {
	theme := NewTheme(true, false, false)
	tests := map[string]struct {
		text  string
		width int
		right bool
		want  string
	}{
		"what is short is filled":            {"ab", 4, false, "ab  "},
		"at the other side for numbers":      {"12", 4, true, "  12"},
		"what is long is cut, and that said": {"abcdef", 4, false, "abc…"},
		"wide characters count twice":        {"日本語", 5, false, "日本…"},
		"half a wide character is a space":   {"日本語", 4, false, "日… "},
		"no width is nothing":                {"abc", 0, false, ""},
		"neither is less than none":          {"abc", -1, false, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := theme.Fit(tt.text, tt.width, tt.right); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBarsAndSparklines(t *testing.T) {
	theme := NewTheme(true, false, true)
	bars := map[string]string{
		"none of many":       theme.Bar(0, 10, 5),
		"one is never none":  theme.Bar(1, 100, 5),
		"half":               theme.Bar(5, 10, 4),
		"all":                theme.Bar(10, 10, 3),
		"more than all":      theme.Bar(20, 10, 3),
		"nothing is full":    theme.Bar(0, 0, 3),
		"a sparkline":        theme.Sparkline([]int{0, 1, 2}, 3),
		"a short sparkline":  theme.Sparkline([]int{7}, 3),
		"a long sparkline":   theme.Sparkline([]int{9, 9, 0, 0}, 2),
		"an empty sparkline": theme.Sparkline(nil, 2),
	}
	want := map[string]string{
		"none of many": ".....", "one is never none": "#....", "half": "##..", "all": "###",
		"more than all": "###", "nothing is full": "###",
		"a sparkline": "_-#", "a short sparkline": "  #", "a long sparkline": "__", "an empty sparkline": "  ",
	}
	for name, got := range bars {
		if got != want[name] {
			t.Errorf("%s: got %q, want %q", name, got, want[name])
		}
	}
}

func TestColumnsGoByRankAndShareTheRest(t *testing.T) {
	columns := []Column{{Width: 10, Grow: 1}, {Width: 5, Rank: 2}, {Width: 5, Rank: 1}, {Width: 4, Grow: 1, Rank: 3}}
	tests := map[int][]int{
		30: {10, 5, 5, 4}, // gutter 3, and a space between two
		40: {15, 5, 5, 9},
		26: {11, 5, 5, 0},
		20: {11, 0, 5, 0},
		14: {11, 0, 0, 0},
		5:  {10, 0, 0, 0}, // the row is cut when it is drawn
	}
	for width, want := range tests {
		got := Widths(columns, width)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("width %d: got %v, want %v", width, got, want)
				break
			}
		}
	}
}

func TestTheLastColumnShrinksBeforeItGoes(t *testing.T) {
	columns := []Column{{Width: 10, Grow: 1}, {Width: 5, Rank: 2}, {Width: 20, Grow: 2, Rank: 1, MinWidth: 8}}
	for width, want := range map[int][]int{
		40: {10, 5, 20},
		39: {11, 0, 24}, // without the second column there is width to share
		32: {10, 0, 18},
		22: {10, 0, 8},
		21: {12, 5, 0}, // what is left suffices for the second column
		18: {15, 0, 0},
	} {
		if got := Widths(columns, width); !slices.Equal(got, want) {
			t.Errorf("width %d: got %v, want %v", width, got, want)
		}
	}
}

func TestColumnsTakeWhatTheirTextsNeed(t *testing.T) {
	table := func(name, reason int) []Column {
		return []Column{
			{Width: 10, Grow: 1, Whole: true, Content: name},
			{Title: "AGE", Width: 5, Rank: 2},
			{Title: "NODE", Width: 5, Rank: 4},
			{Title: "REASON", Width: 16, Grow: 2, Rank: 1, MinWidth: 8, ShrinkRank: 3, Content: reason},
		}
	}
	tests := map[string]struct {
		name, reason, width int
		want                []int
	}{
		"short texts leave the rest empty":           {4, 1, 60, []int{10, 5, 5, 6}},
		"a long name has the width of empty reasons": {25, 1, 60, []int{25, 5, 5, 6}},
		"a name takes half of the table first":       {25, 1, 44, []int{22, 5, 5, 6}},
		"and more if there is room":                  {25, 1, 40, []int{24, 5, 0, 6}},
		"a column is hidden before the reason":       {10, 40, 40, []int{10, 5, 0, 20}},
		"then the reason shrinks":                    {10, 40, 30, []int{10, 5, 0, 10}},
		"then the next column is hidden":             {10, 40, 25, []int{10, 0, 0, 11}},
		"a long name and a long reason share":        {30, 40, 90, []int{30, 5, 5, 40}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Widths(table(tt.name, tt.reason), tt.width); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestRowsAreExactlyAsWide(t *testing.T) {
	theme := NewTheme(false, true, false)
	columns := []Column{{Title: "NAME", Width: 10, Grow: 1}, {Title: "N", Width: 3, Right: true, Rank: 1}}
	for width := range 60 {
		for _, line := range []Line{{}, {Selected: true}, {Marked: true}} {
			line.Cells = []Cell{{Text: "日本語 and more", Tone: Bad}, {Text: "12345"}}
			if got := ansi.StringWidth(theme.Row(columns, line, width, true)); got != width {
				t.Errorf("a row of %d is %d wide", width, got)
			}
		}
		if got := ansi.StringWidth(theme.Header(columns, width, true)); got != width {
			t.Errorf("a head of %d is %d wide", width, got)
		}
	}
}

func TestABoxLiesOnTheMiddleOfAScreen(t *testing.T) {
	theme := NewTheme(true, false, true)
	var screen []string
	for range 7 {
		screen = append(screen, strings.Repeat(".", 20))
	}
	got := Overlay(screen, theme.Box("T", []string{"text", "more"}, 20, 7), 20)
	for i, line := range got {
		if ansi.StringWidth(line) != 20 {
			t.Errorf("line %d is %q", i, line)
		}
	}
	if len(got) != 7 || !strings.Contains(got[2], "| text") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	for width := range 30 {
		for height := range 10 {
			box := theme.Box("a long title", []string{"日本語 text", "more"}, width, height)
			for _, line := range box {
				if ansi.StringWidth(line) > width || ansi.StringWidth(line) != ansi.StringWidth(box[0]) {
					t.Fatalf("%dx%d: %q", width, height, line)
				}
			}
			if len(box) > height {
				t.Fatalf("%dx%d: %d lines", width, height, len(box))
			}
		}
	}
}
