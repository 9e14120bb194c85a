// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// spelled returns the keys that type a text.
func spelled(text string) string {
	var keys []string
	for _, r := range text {
		key := string(r)
		if r == ' ' {
			key = "space"
		}
		keys = append(keys, key)
	}
	return strings.Join(keys, " ")
}

func TestTheCommandLine(t *testing.T) {
	tests := map[string]struct {
		// before are keys, text is what is typed after a colon, after are keys again.
		before, text, after string
		shows, hides        []string
		asks, switches      []string
	}{
		"a kind shows its table": {before: "tab", text: "pools", after: "enter", shows: []string{"▶  ▲ gpu-warm"}},
		"claims":                 {text: "claims", after: "enter", shows: []string{"▶  batch"}},
		"so do other spellings":  {text: "sandbox", after: "enter", shows: []string{"▶  batch"}},
		"templates":              {text: "templates", after: "enter", shows: []string{"› templates"}},
		"the beginning of a name is enough": {text: "temp", after: "enter",
			shows: []string{"› templates"}},
		"a name opens the pool": {text: "pool python-warm", after: "enter",
			shows: []string{"› pool/python-warm", "MEMBERS 10"}},
		"a name opens the claim": {text: "claim agent-3", after: "enter", shows: []string{"› claim/agent-3"},
			asks: []string{"inspect claim/agent-3"}},
		"although a filter hides it": {before: "tab / b a t c h enter", text: "claim agent-3", after: "enter esc",
			shows: []string{"▶  agent-3"}, asks: []string{"inspect claim/agent-3"}},
		"a name opens the template": {text: "template node", after: "enter", shows: []string{"node YAML"},
			asks: []string{"inspect template/node"}},
		"an unknown name is an error": {text: "claim nobody", after: "enter",
			shows: []string{`there is no claim "nobody" here`, "Command"}},
		"a namespace is shown": {text: "ns web", after: "enter", switches: []string{"web"}},
		"all are too":          {text: "ns all", after: "enter", switches: []string{""}},
		"without a name one can be chosen": {text: "ns", after: "enter",
			shows: []string{"(all namespaces)", "▶ research"}},
		"commands are listed": {shows: []string{"pools  claims  templates  namespace  forwards  help  quit"}},
		"tab completes a command and its argument": {text: "nam", after: "tab space w tab enter",
			switches: []string{"web"}},
		"tab completes what names have in common": {text: "claim ag", after: "tab 3 enter",
			shows: []string{"claim/agent-3"}, asks: []string{"inspect claim/agent-3"}},
		"tab does nothing if nothing fits": {text: "ns x", after: "tab enter", switches: []string{"x"}},
		"port-forwards":                    {text: "pf", after: "enter", shows: []string{"none: press p on a sandbox"}},
		"help":                             {text: "help", after: "enter", shows: []string{"Keys"}},
		"what is unknown is said": {text: "delete", after: "enter",
			shows: []string{`no command "delete": use pools, claims,`}},
		"which typing takes away": {text: "delete", after: "enter y", hides: []string{"no command"}},
		"so is an argument that has no use": {text: "help me", after: "enter",
			shows: []string{"help takes no argument"}},
		"no key goes on to the dashboard": {text: "dzSaq", shows: []string{"dzSaq"}, hides: []string{"Are you sure"}},
		"esc closes it":                   {text: "pools", after: "esc", hides: []string{"Command"}},
		"so does enter without a command": {text: " ", after: "enter", hides: []string{"Command"}},
		"and backspace at the beginning":  {text: "p", after: "backspace backspace", hides: []string{"Command"}},
		"it opens on any screen": {before: "tab enter", text: "claims", after: "enter", shows: []string{"▶  batch"},
			asks: []string{"inspect sandbox/batch"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := filled(t.Context(), 120, 40)
			typed(t, w, tt.before+" : "+spelled(tt.text)+" "+tt.after)
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
			if got := asked(w); !slices.Equal(got, tt.asks) {
				t.Errorf("asked for %q, want %q", got, tt.asks)
			}
			if !slices.Equal(w.source.switched, tt.switches) {
				t.Errorf("switched to %q, want %q", w.source.switched, tt.switches)
			}
		})
	}
}

func TestTheCommandLineQuits(t *testing.T) {
	for _, text := range []string{"q", "quit", "q!", "exit"} {
		w := filled(t.Context(), 80, 24)
		typed(t, w, ": "+spelled(text))
		if _, cmd := w.Update(press("enter")); cmd == nil || cmd() != tea.Quit() {
			t.Errorf("%q does not quit", text)
		}
	}
}
