// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
)

// document returns the answer of a YAML page with numbered lines, of which every tenth has a word.
func document(r action.Request) action.Result {
	var text strings.Builder
	for i := range 100 {
		word := "plain"
		if i%10 == 0 {
			word = "Needle"
		}
		fmt.Fprintf(&text, "line %d: %s\n", i, word)
	}
	return action.Result{Verb: r.Verb, Page: &action.Page{Target: r.Targets[0], YAML: text.String()}}
}

func TestSearch(t *testing.T) {
	tests := map[string]struct {
		keys         string
		shows, hides []string
	}{
		"the first line that matches is shown while one types": {keys: "/ n e e d",
			shows: []string{"▶ line 0: Needle", "✓ line 10: Needle", "  line 1: plain", "/need 1 of 10"}},
		"n goes on":                   {keys: "/ n e e d l e enter n n n", shows: []string{"▶ line 30: Needle", "4 of 10"}},
		"N goes back, around the end": {keys: "/ n e e d l e enter N", shows: []string{"▶ line 90: Needle", "10 of 10"}},
		"and n around it again":       {keys: "/ n e e d l e enter N n", shows: []string{"▶ line 0: Needle"}},
		"n without a search asks":     {keys: "n", shows: []string{"Search"}},
		"what is nowhere is said":     {keys: "/ z z z enter n", shows: []string{`no line contains "zzz"`}},
		"esc leaves the search as it was": {keys: "/ n e e d l e enter / 9 9 esc",
			shows: []string{"/needle 1 of 10"}},
		"esc then ends it":           {keys: "/ n e e d l e enter esc", hides: []string{"/needle", "▶"}},
		"and then goes back":         {keys: "/ n e e d l e enter esc esc", shows: []string{"CLAIMS 10"}},
		"another screen has another": {keys: "/ n e e d l e enter E", hides: []string{"/needle"}},
		"typing replaces the text":   {keys: "/ n e e d l e enter / 9 9 enter", shows: []string{"▶ line 99", "/99 1 of 1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := filled(t.Context(), 120, 24)
			w.actor.answer = document
			typed(t, w, "tab y "+tt.keys)
			frame := ansi.Strip(strings.Join(w.frame(), "\n"))
			for _, part := range tt.shows {
				if !strings.Contains(frame, part) {
					t.Errorf("%q is missing in\n%s", part, frame)
				}
			}
			for _, part := range tt.hides {
				if strings.Contains(frame, part) {
					t.Errorf("%q is still in\n%s", part, frame)
				}
			}
		})
	}
}
