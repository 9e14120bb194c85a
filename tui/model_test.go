// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
)

func asked(w *world) []string {
	var all []string
	for _, r := range w.actor.asked {
		words := []string{string(r.Verb)}
		for _, t := range r.Targets {
			words = append(words, t.Ref().String())
		}
		if words = append(words, r.Argument); r.Container != "" {
			words = append(words, "in", r.Container)
		}
		all = append(all, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	}
	return all
}

func TestAReadOnlyDashboardDoesNotEvenAsk(t *testing.T) {
	for _, key := range []string{"d", "z", "r", "e", "s", "x", "p"} {
		w := filled(t.Context(), 120, 40, func(o *Options) { o.ReadOnly = true })
		typed(t, w, "tab "+key)
		if len(w.actor.asked) > 0 || w.overlay != nil || !strings.Contains(w.toast.text, "read-only") {
			t.Errorf("%s: asked for %v, footer %q", key, asked(w), w.toast.text)
		}
	}
}

func TestCursorAndMarksStickToObjects(t *testing.T) {
	w := filled(t.Context(), 120, 40)
	typed(t, w, "tab j j j space")
	marked := w.claims.items[3].Name
	at, _ := w.claims.current()
	s := demo()
	s.Claims = slices.DeleteFunc(s.Claims, func(r *rows.Row) bool { return r.Name == "batch" || r.Name == "trainer" })
	w.Update(snapshotMsg{s})
	if now, _ := w.claims.current(); now.Name != at.Name {
		t.Errorf("the cursor is on %s, was on %s", now.Name, at.Name)
	}
	if chosen := w.claims.selection(); len(chosen) != 1 || chosen[0].Name != marked {
		t.Errorf("marked: %v, want %s", chosen, marked)
	}
	s = demo()
	s.Claims = slices.DeleteFunc(s.Claims, func(r *rows.Row) bool { return r.Name == marked || r.Name == at.Name })
	w.Update(snapshotMsg{s})
	if w.claims.marked() != 0 {
		t.Error("an object that is gone is still marked")
	}
	w.claims.marks = nil
	typed(t, w, "g")
	s = demo()
	for i, r := range s.Claims {
		if at, _ := w.claims.current(); r.UID == at.UID {
			copied := *r
			copied.UID = "made anew"
			s.Claims[i] = &copied
		}
	}
	typed(t, w, "space")
	w.Update(snapshotMsg{s})
	if w.claims.marked() != 0 {
		t.Error("the mark went over to another object of the same name")
	}
}

func TestASnapshotWhileAQuestionIsOpenDoesNotChangeWhatIsAsked(t *testing.T) {
	w := filled(t.Context(), 120, 40)
	typed(t, w, "tab d")
	s := demo()
	s.Claims = s.Claims[:2]
	w.Update(snapshotMsg{s})
	typed(t, w, "y")
	if got := asked(w); !slices.Equal(got, []string{"delete sandbox/batch"}) {
		t.Errorf("asked for %q", got)
	}
}

func TestDeletingNamesTheVolumesThatGo(t *testing.T) {
	for keys, want := range map[string]string{"tab d": "data-batch (1Gi)", "j d": "data-python-warm-00004 (2Gi)"} {
		w := filled(t.Context(), 120, 40)
		s := demo()
		give := func(all []*rows.Row, name, size string) {
			for i, r := range all {
				if r.Name == name {
					changed := *r
					changed.Volumes = []volume.Outcome{{Name: "data-" + name, Size: size}}
					all[i] = &changed
				}
			}
		}
		give(s.Claims, "batch", "1Gi")
		give(s.Members["python-warm"], "python-warm-00004", "2Gi")
		w.Update(snapshotMsg{s})
		typed(t, w, keys)
		asks, is := w.overlay.(*confirmation)
		if !is || !strings.Contains(asks.question, "Volumes that are deleted with their data: "+want) {
			t.Errorf("after %q: %+v", keys, w.overlay)
		}
	}
}

func TestTheNamespaceIsSwitched(t *testing.T) {
	w := filled(t.Context(), 120, 40)
	typed(t, w, "enter n j enter")
	if !slices.Equal(w.source.switched, []string{"web"}) || len(w.stack) != 1 {
		t.Errorf("switched to %q, way %v", w.source.switched, w.stack)
	}
	typed(t, w, "n g enter ctrl+r")
	if !slices.Equal(w.source.switched, []string{"web", ""}) || w.source.reconnected != 1 {
		t.Errorf("switched to %q, reconnected %d", w.source.switched, w.source.reconnected)
	}
}

func TestPortForwardsAreListedAndStopped(t *testing.T) {
	w := filled(t.Context(), 120, 40)
	w.actor.forwards = []action.Forwarding{{ID: 7, Target: action.Target{Kind: resolve.KindClaim, Name: "dev"},
		Ports: "80", Listening: "127.0.0.1:80", Connections: 2}}
	w.Update(snapshotMsg{demo()})
	if !strings.Contains(w.title(), "1 port-forwards") {
		t.Errorf("title: %q", w.title())
	}
	typed(t, w, "f")
	if frame := strings.Join(w.frame(), "\n"); !strings.Contains(frame, "127.0.0.1:80 -> 80 of claim/dev, 2 connections") {
		t.Errorf("frame:\n%s", frame)
	}
	typed(t, w, "enter")
	if got := asked(w); !slices.Equal(got, []string{"stop port-forward 7"}) {
		t.Errorf("asked for %q", got)
	}
}

func TestALogIsFollowedUntilOneScrolls(t *testing.T) {
	w := filled(t.Context(), 80, 24)
	from, to := io.Pipe()
	w.actor.answer = func(r action.Request) action.Result { return action.Result{Verb: r.Verb, Log: from} }
	w.sleep = func(time.Duration) {}
	_, cmd := w.Update(press("tab"))
	carryOut(t, w, cmd)
	_, cmd = w.Update(press("l"))
	_, next := w.Update(cmd())
	go func() {
		for range 100 {
			_, _ = io.WriteString(to, "a line\x1b[31m of red\n") // the reader reports a failure
		}
		_ = to.Close() // never fails
	}()
	for w.logErr == nil {
		_, next = w.Update(next())
	}
	if len(w.logLines) != 100 || w.logLines[0].text != "a line of red" {
		t.Fatalf("%d lines, the first %q", len(w.logLines), w.logLines[0].text)
	}
	if bottom := w.frame()[22]; !strings.Contains(bottom, "the log has ended") {
		t.Errorf("the last line is %q", bottom)
	}
	typed(t, w, "k")
	if w.logFollow {
		t.Error("it still follows")
	}
	typed(t, w, "esc")
	if w.log != nil || w.current().screen != screenHome {
		t.Error("the log is still open")
	}
}

// TestAnythingMayHappenAtAnyTime sends random keys, clicks, sizes and snapshots.
func TestAnythingMayHappenAtAnyTime(t *testing.T) {
	keys := []string{"tab", "enter", "esc", "space", "up", "down", "pgup", "pgdown", "home", "end", "left", "right",
		"backspace", "delete", "ctrl+a", "ctrl+r"}
	for c := '!'; c <= '~'; c++ {
		keys = append(keys, string(c))
	}
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t.Context(), 80, 24)
		for range 400 {
			switch random.IntN(6) {
			case 0:
				w.Update(tea.WindowSizeMsg{Width: random.IntN(160), Height: random.IntN(50)})
			case 1:
				s := demo()
				random.Shuffle(len(s.Claims), func(i, j int) { s.Claims[i], s.Claims[j] = s.Claims[j], s.Claims[i] })
				s.Claims, s.Pools = s.Claims[:random.IntN(len(s.Claims)+1)], s.Pools[:random.IntN(len(s.Pools)+1)]
				s.Health = unwell(store.Phase(random.IntN(6)), random.IntN(2) == 0, "because")
				w.Update(snapshotMsg{s})
			case 2:
				at := tea.Mouse{X: random.IntN(160), Y: random.IntN(50), Button: tea.MouseLeft}
				w.Update(tea.MouseClickMsg(at))
				at.Button = []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[random.IntN(2)]
				w.Update(tea.MouseWheelMsg(at))
			default:
				_, cmd := w.Update(press(keys[random.IntN(len(keys))]))
				if cmd != nil && random.IntN(2) == 0 {
					if msg, is := cmd().(resultMsg); is {
						w.Update(msg)
					}
				}
			}
			lines := w.frame()
			if w.width >= minWidth && w.height >= minHeight {
				check(t, lines, w.width, w.height)
			}
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

func TestEveryKeyOfHelpDoesSomething(t *testing.T) {
	for _, c := range commands() {
		if len(c.Keys()) == 0 || c.Help().Key == "" || c.Help().Desc == "" || c.group == "" || c.run == nil {
			t.Errorf("a command is not complete: %+v", c.Help())
		}
	}
	seen := map[string]string{}
	for _, at := range []screen{screenHome, screenMembers, screenDetail, screenYAML, screenEvents, screenTemplates,
		screenLogs} {
		clear(seen)
		for _, c := range commands() {
			if len(c.on) > 0 && !slices.Contains(c.on, at) {
				continue
			}
			for _, key := range c.Keys() {
				if other, twice := seen[key]; twice {
					t.Errorf("screen %d: %s is both %q and %q", at, key, other, c.Help().Desc)
				}
				seen[key] = c.Help().Desc
			}
		}
	}
}
