// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package printing

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func rows(rows ...string) grid {
	var g grid
	for _, row := range rows {
		var cells []ColoredCell
		for cell := range strings.SplitSeq(row, "|") {
			cells = append(cells, newCell(cell))
		}
		g = append(g, cells)
	}
	return g
}

func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	g := rows("NAME|KIND|STATUS|AGE|ENDS IN|HELD BY|MESSAGE",
		"a-rather-long-name-of-a-sandbox|sandbox|Ready|60m|-|claim/another-long-name|"+strings.Repeat("words ", 30),
		strings.Repeat("x", 253)+"|claim|Blocked|1s|60m|-|-")
	for width := 1; width < 400; width++ {
		var out bytes.Buffer
		if err := g.write(&out, width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if got := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); got > width {
				t.Fatalf("at width %d a line has %d: %q", width, got, line)
			}
		}
	}
}

func TestWhatMattersStaysInANarrowTerminal(t *testing.T) {
	tests := map[string]struct {
		width int
		want  string
	}{
		"without a terminal nothing is cut": {
			width: 0, want: "NAME   STATUS    MESSAGE\ndev    Blocked   the image cannot be pulled\n",
		},
		"a terminal that is wide enough": {
			width: 43, want: "NAME   STATUS    MESSAGE\ndev    Blocked   the image cannot be pulled\n",
		},
		"the widest column is cut first": {
			width: 30, want: "NAME   STATUS    MESSAGE\ndev    Blocked   the image ca…\n",
		},
		"columns at the end go before a name": {width: 20, want: "NAME   STATUS\ndev    Blocked\n"},
		"in the end there is only a name":     {width: 4, want: "NAME\ndev\n"},
		"and in the end not even all of that": {width: 2, want: "N…\nd…\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := rows("NAME|STATUS|MESSAGE", "dev|Blocked|the image cannot be pulled").write(&out, tt.width); err != nil ||
				out.String() != tt.want {
				t.Errorf("%v, got\n%s", err, out.String())
			}
		})
	}
}

func TestCellsArePaintedAndNothingElseSteersTheTerminal(t *testing.T) {
	red := func(text string) string { return "\x1b[31m" + text + "\x1b[0m" }
	g := grid{{newCell("a\x1b[2Jb"), newCell(ColoredCell{Text: "Bad\nnews\x1b", Paint: red}), newCell("end")}}
	var out bytes.Buffer
	if err := g.write(&out, 0); err != nil || out.String() != "a^[[2Jb   \x1b[31mBad news^[\x1b[0m   end\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}
