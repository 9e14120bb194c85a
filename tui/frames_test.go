// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agent-sandbox/kubectl-sandbox/test/golden"
)

// typed presses keys and runs their commands, except those that wait for something.
func typed(t *testing.T, w *world, keys string) {
	t.Helper()
	for word := range strings.FieldsSeq(keys) {
		_, cmd := w.Update(press(word))
		carryOut(t, w, cmd)
	}
}

func press(name string) tea.KeyPressMsg {
	special := map[string]tea.Key{
		"tab": {Code: tea.KeyTab}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape},
		"space": {Code: tea.KeySpace, Text: " "},
		"up":    {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
		"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
	}
	if k, is := special[name]; is {
		return tea.KeyPressMsg(k)
	}
	if letter, is := strings.CutPrefix(name, "ctrl+"); is {
		return tea.KeyPressMsg(tea.Key{Code: []rune(letter)[0], Mod: tea.ModCtrl})
	}
	return tea.KeyPressMsg(tea.Key{Code: []rune(name)[0], Text: name})
}

// carryOut runs the command of a key and passes its message to the model.
func carryOut(t *testing.T, w *world, cmd tea.Cmd) {
	t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case resultMsg, namespacesMsg, podMsg, logMsg:
		_, next := w.Update(msg)
		carryOut(t, w, next)
	}
}

func TestFrames(t *testing.T) {
	sizes := [][2]int{{80, 24}, {120, 40}, {40, 12}}
	for name, prepare := range states() {
		for _, size := range sizes {
			file := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
			t.Run(file, func(t *testing.T) {
				w := newWorld(t.Context(), size[0], size[1])
				prepare(t, w)
				lines := w.frame()
				check(t, lines, size[0], size[1])
				sameFrame(t, file+".txt", lines)
			})
		}
	}
}

func TestFramesInOtherWays(t *testing.T) {
	tests := map[string]struct {
		width, height int
		change        func(*Options)
		keys          string
	}{
		"ascii":    {120, 24, func(o *Options) { o.ASCII = true }, "tab space"},
		"readonly": {80, 24, func(o *Options) { o.ReadOnly = true }, "tab d"},
		"selector": {80, 24, func(o *Options) { o.Selector = "team=blue" }, ""},
		"narrow":   {39, 24, nil, ""},
		"low":      {200, 9, nil, ""},
		"wide":     {220, 30, nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			change := tt.change
			if change == nil {
				change = func(*Options) {}
			}
			w := filled(t.Context(), tt.width, tt.height, change)
			typed(t, w, tt.keys)
			lines := w.frame()
			for _, line := range lines {
				if ansi.StringWidth(line) > tt.width {
					t.Errorf("too wide: %q", line)
				}
			}
			if name == "ascii" && strings.IndexFunc(ansi.Strip(strings.Join(lines, "\n")),
				func(r rune) bool { return r > 127 }) >= 0 {
				t.Error("a character that is not ASCII")
			}
			sameFrame(t, name+".txt", lines)
		})
	}
}

// check fails the test unless a frame fills the terminal exactly.
func check(t *testing.T, lines []string, width, height int) {
	t.Helper()
	if len(lines) != height {
		t.Errorf("%d lines, want %d", len(lines), height)
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got != width {
			t.Errorf("line %d is %d wide, want %d: %q", i, got, width, line)
		}
	}
}

// sameFrame compares a frame without its colours with its golden file.
func sameFrame(t *testing.T, name string, lines []string) {
	t.Helper()
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(strings.TrimRight(ansi.Strip(line), " ") + "\n")
	}
	golden.Compare(t, filepath.Join("testdata", name), []byte(text.String()))
}

func TestColoursOnlyRepeatWhatWordsSay(t *testing.T) {
	for _, dark := range []bool{true, false} {
		plain, colored := filled(t.Context(), 120, 40), filled(t.Context(), 120, 40, func(o *Options) { o.Color = true })
		colored.dark = dark
		colored.restyle()
		a, b := ansi.Strip(strings.Join(plain.frame(), "\n")), ansi.Strip(strings.Join(colored.frame(), "\n"))
		if a != b {
			t.Errorf("dark %v: the text differs\n%s\n%s", dark, a, b)
		}
		if !strings.Contains(strings.Join(colored.frame(), ""), "\x1b[38;") {
			t.Errorf("dark %v: no colours", dark)
		}
	}
}

func TestAFrameIsDrawnForEverySize(t *testing.T) {
	for name, prepare := range states() {
		w := newWorld(t.Context(), 80, 24)
		prepare(t, w)
		for width := 0; width <= 140; width += 7 {
			for height := range 31 {
				w.Update(tea.WindowSizeMsg{Width: width, Height: height})
				lines := w.frame()
				if width >= minWidth && height >= minHeight {
					check(t, lines, width, height)
				}
				if len(lines) > max(0, height) {
					t.Fatalf("%s at %dx%d: %d lines", name, width, height, len(lines))
				}
				for _, line := range lines {
					if ansi.StringWidth(line) > width {
						t.Fatalf("%s at %dx%d: too wide: %q", name, width, height, line)
					}
				}
			}
		}
	}
}

func TestTextFromTheClusterCannotTouchTheTerminal(t *testing.T) {
	w := newWorld(t.Context(), 120, 24)
	s := demo()
	hostile := *s.Claims[0]
	hostile.Name, hostile.Reason = "日本語テキスト\x1b[2J", "\x1b]0;owned\x07\nsecond line\u202e"
	s.Claims[0] = &hostile
	w.Update(snapshotMsg{s})
	lines := w.frame()
	check(t, lines, 120, 24)
	if text := strings.Join(lines, "\n"); strings.Contains(text, "\x1b]0") || strings.Contains(text, "\x1b[2J") ||
		strings.Contains(text, "\u202e") {
		t.Errorf("an escape sequence came through: %q", text)
	}
}

func TestAToastGoesAway(t *testing.T) {
	w := filled(t.Context(), 80, 24)
	typed(t, w, "tab z y")
	if !strings.Contains(strings.Join(w.message(), " "), "suspend done") {
		t.Fatalf("footer: %q", strings.Join(w.message(), " "))
	}
	later := demo()
	later.At = noon.Add(time.Minute)
	w.Update(snapshotMsg{later})
	if strings.Contains(strings.Join(w.message(), " "), "suspend done") {
		t.Error("it stays")
	}
	// an error stays for a long time, unless the user moves on
	for keys, want := range map[string]bool{"S": true, "S down": false} {
		w := filled(t.Context(), 80, 24)
		typed(t, w, "tab "+keys)
		later := demo()
		later.At = noon.Add(2 * time.Second)
		w.Update(snapshotMsg{later})
		if got := strings.Contains(strings.Join(w.message(), " "), "no pool"); got != want {
			t.Errorf("two seconds after %s it is there: %t", keys, got)
		}
	}
}
