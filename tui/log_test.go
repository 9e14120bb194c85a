// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
)

// withLog is the demo whose logs have 40 lines and then end, after the keys.
func withLog(keys string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		w.sleep = func(time.Duration) {}
		w.actor.answer = func(r action.Request) action.Result {
			result := action.Result{Verb: r.Verb, Message: string(r.Verb) + " done"}
			if r.Verb != action.Logs {
				return result
			}
			var text strings.Builder
			for i := range 40 {
				word := "step"
				if i%16 == 5 {
					word = "error in step"
				}
				fmt.Fprintf(&text, "2026-05-01T11:59:%02d.123456789Z %s %d\n", i, word, i)
			}
			result.Target, result.Container, result.Previous = r.Targets[0], "main", r.Previous
			result.Log = io.NopCloser(strings.NewReader(text.String()))
			return result
		}
		w.Update(snapshotMsg{demo()})
		typed(t, w, keys)
	}
}

func TestLogs(t *testing.T) {
	tests := map[string]struct {
		keys         string
		shows, hides []string
		asks         []string
	}{
		"the end is shown": {keys: "", shows: []string{"step 39", "(the log has ended)", "batch logs (main)"},
			hides: []string{"2026-05-01", "step 10"}},
		"T shows timestamps": {keys: "T", shows: []string{"2026-05-01T11:59:39.123Z step 39"}},
		"and hides them":     {keys: "T T", hides: []string{"2026-05-01"}},
		"a search goes to its line": {keys: "/ e r r o r enter",
			shows: []string{"▶ error in step 21", "✓ error in step 37", "/error 2 of 3"}},
		"n goes on and around": {keys: "/ e r r o r enter n n", shows: []string{"▶ error in step 5", "/error 1 of 3"}},
		"timestamps can be found too": {keys: "T / 5 9 : 1 2 enter",
			shows: []string{"▶ 2026-05-01T11:59:12.123Z step 12"}},
		"F goes to the end again":       {keys: "g F", shows: []string{"step 39"}},
		"P shows the previous run":      {keys: "P", shows: []string{"batch logs (main, previous run)"}},
		"and again the current one":     {keys: "P P", shows: []string{"batch logs (main) "}},
		"w asks for a file":             {keys: "w", shows: []string{"Save the log to the file", "batch.log"}},
		"of the previous run another":   {keys: "P w", shows: []string{"batch-previous.log"}},
		"and saves to it":               {keys: "w enter", shows: []string{"save done"}, asks: []string{"save batch.log"}},
		"or to another":                 {keys: "w / t m p / x enter", asks: []string{"save /tmp/x"}},
		"a log under a log is not kept": {keys: "y l esc esc", shows: []string{"CLAIMS 10"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t.Context(), 120, 24)
			withLog("tab l "+tt.keys)(t, w)
			frame := ansi.Strip(strings.Join(w.frame(), "\n"))
			for _, part := range tt.shows {
				if !strings.Contains(frame, part) {
					t.Errorf("%q is missing in\n%s", part, frame)
				}
			}
			for _, part := range tt.hides {
				if strings.Contains(frame, part) {
					t.Errorf("%q is in\n%s", part, frame)
				}
			}
			if got := asked(w); tt.asks != nil && !slices.Equal(got[len(got)-len(tt.asks):], tt.asks) {
				t.Errorf("asked for %q, want %q", got, tt.asks)
			}
			for _, r := range w.actor.asked {
				if r.Verb == action.Save && (len(r.Lines) != 40 || r.Lines[0] != "step 0") {
					t.Errorf("saved %q", r.Lines)
				}
			}
		})
	}
}

func TestASearchStaysWithItsLineWhileALogGoesOn(t *testing.T) {
	w := newWorld(t.Context(), 80, 24)
	withLog("tab l / s t e p space 1 2 enter")(t, w)
	lines := make([]logLine, maxLogLines-30)
	for i := range lines {
		lines[i].text = fmt.Sprintf("more %d", i)
	}
	w.Update(logMsg{from: w.log, lines: lines})
	frame := ansi.Strip(strings.Join(w.frame(), "\n"))
	if len(w.logText) != maxLogLines || w.logText[w.search.at] != "step 12" || !strings.Contains(frame, "▶ step 12") {
		t.Errorf("%d lines, at %d\n%s", len(w.logText), w.search.at, frame)
	}
}

func TestALineOfALogHasATimestampOrNone(t *testing.T) {
	for line, want := range map[string]logLine{
		"2026-05-01T13:59:12.987654321+02:00 a b\n": {"2026-05-01T11:59:12.987Z", "a b"},
		"2026-05-01T11:59:12Z \r\n":                 {"2026-05-01T11:59:12.000Z", ""},
		"(waiting for the next Pod)\n":              {"", "(waiting for the next Pod)"},
		"one\ttab":                                  {"", "one    tab"},
	} {
		if got := parseLogLine(line); got != want {
			t.Errorf("%q: %+v", line, got)
		}
	}
}
