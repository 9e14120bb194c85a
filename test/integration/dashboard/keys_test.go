// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/screen"
)

// TestEveryKeyOfHelpOnEveryScreen presses each key that help lists on each screen. The dashboard must still respond.
func TestEveryKeyOfHelpOnEveryScreen(t *testing.T) {
	t.Parallel()
	screens := map[string]struct{ enter, shows string }{
		"pools":     {"", "POOLS 1"},
		"claims":    {"\t", "POOLS 1"},
		"members":   {"\r", "MEMBERS 2"},
		"detail":    {"\t\r", "Metadata"},
		"events":    {"\tE", "Events of claim/stuck"},
		"templates": {"t", "TEMPLATES 1"},
		"yaml":      {"ty", "kind: SandboxTemplate"},
	}
	for name, at := range screens {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := server.Namespace(t)
			createObjects(t, server, namespace)
			s := screen.Start(t, 100, 30, command(t, server.Kubeconfig(), "-n", namespace))
			s.Until("POOLS 1", "own")
			arrive := func() {
				goHome(s)
				s.Type("g" + at.enter)
				s.Until(at.shows)
			}
			arrive()
			s.Type("?")
			s.Until("╭─Keys")
			keys := keysInHelp(t, s.Text())
			if len(keys) < 15 {
				t.Errorf("help lists only %q", keys)
			}
			for _, key := range keys {
				arrive()
				s.Type(key)
			}
			goHome(s)
			s.Type("q")
			if err := s.Left(); err != nil {
				t.Error(err)
			}
		})
	}
}

// keysInHelp parses the keys in help and returns what a terminal sends for them, except for the key that quits.
func keysInHelp(t *testing.T, help string) []string {
	t.Helper()
	special := map[string]string{
		"↑": "\x1b[A", "↓": "\x1b[B", "pgup": "\x1b[5~", "pgdn": "\x1b[6~", "home": "\x1b[H", "end": "\x1b[F",
		"tab":   "\t",
		"enter": "\r",
		"esc":   screen.Esc, "space": " ", "ctrl+a": "\x01", "ctrl+r": "\x12", "/": "/",
	}
	var keys []string
	for line := range strings.Lines(help) {
		_, inside, found := strings.Cut(line, "│ ")
		inside, _, closed := strings.Cut(inside, "│")
		if !found || !closed {
			continue
		}
		const half = 35
		cells := []rune(inside + strings.Repeat(" ", half))
		for _, part := range []string{string(cells[:half]), string(cells[half:])} {
			words := strings.Fields(part)
			if len(words) < 2 { // the title of a group, or nothing
				continue
			}
			names := strings.Split(words[0], "/")
			if words[0] == "/" {
				names = words[:1]
			}
			for _, name := range names {
				sent, is := special[name]
				switch {
				case is:
					keys = append(keys, sent)
				case len(name) != 1:
					t.Errorf("help names a key that this test does not know: %q in %q", name, line)
				case name != "q":
					keys = append(keys, name)
				}
			}
		}
	}
	return keys
}

// goHome returns to the upper table of the first screen. Esc leads there from every screen and answers questions with
// no, and a click on a table's header selects it. Neither has an effect once there, so their timing does not matter.
func goHome(s *screen.Screen) {
	const enough = 8 // marks and filters of two screens, and an overlay
	s.Type(strings.Repeat(screen.Esc, enough) + screen.Click(5, 1))
	s.UntilTrue("the upper table of the first screen", func(text string) bool {
		cursor, claims := strings.Index(text, "▶"), strings.Index(text, "CLAIMS 2 ")
		return strings.Contains(text, "POOLS 1 ") && cursor >= 0 && cursor < claims && !strings.Contains(text, "╭") &&
			!strings.Contains(text, "marked")
	})
}
