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
	"github.com/charmbracelet/x/ansi"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
)

func TestKeys(t *testing.T) {
	tests := map[string]struct {
		keys string
		// Parts of the resulting frame, and the dispatched requests, as "verb target... argument".
		shows []string
		asks  []string
	}{
		"enter goes into a pool":                      {keys: "enter", shows: []string{"› pool/gpu-warm", "MEMBERS 2"}},
		"and on to a member":                          {keys: "j enter enter", shows: []string{"sandbox/python-warm-00004"}, asks: []string{"inspect sandbox/python-warm-00004"}},
		"esc goes back":                               {keys: "j enter esc", shows: []string{"POOLS 3", "CLAIMS 10"}},
		"tab goes to the claims":                      {keys: "tab enter", shows: []string{"sandbox/batch"}, asks: []string{"inspect sandbox/batch"}},
		"trouble comes first":                         {keys: "", shows: []string{"▶  ▲ gpu-warm"}},
		"y shows YAML":                                {keys: "tab y", shows: []string{"batch YAML"}, asks: []string{"inspect sandbox/batch"}},
		"t shows templates":                           {keys: "t", shows: []string{"› templates", "python", "POLICY"}},
		"a filter narrows while it is typed":          {keys: "tab / a g e n t", shows: []string{"CLAIMS 6 of 10"}},
		"esc leaves a filter as it was":               {keys: "tab / a g e n t esc", shows: []string{"CLAIMS 10"}},
		"enter keeps it":                              {keys: "tab / a g e n t enter", shows: []string{"CLAIMS 6 of 10 /agent"}},
		"esc then takes it away":                      {keys: "tab / a g e n t enter esc", shows: []string{"CLAIMS 10"}},
		"! leaves out":                                {keys: "tab ! a g e n t enter", shows: []string{"CLAIMS 4 of 10 /!agent"}},
		"L filters by label":                          {keys: "tab L t e a m enter", shows: []string{"CLAIMS 8 of 10 /-l team"}},
		"a filter that cannot be read says so":        {keys: "tab L a = = b = = c", shows: []string{"-l:"}},
		"nothing may match":                           {keys: "tab / z z z enter", shows: []string{"nothing matches the filter"}},
		"delete asks first":                           {keys: "tab d", shows: []string{"Delete sandbox/batch?", "[▶No]"}},
		"enter is no":                                 {keys: "tab d enter", shows: []string{"nothing was changed"}},
		"esc is no":                                   {keys: "tab d esc", shows: []string{"nothing was changed"}},
		"y is yes":                                    {keys: "tab d y", shows: []string{"delete done"}, asks: []string{"delete sandbox/batch"}},
		"yes can be chosen":                           {keys: "tab d tab enter", asks: []string{"delete sandbox/batch"}},
		"other keys do not answer":                    {keys: "tab d x s", shows: []string{"Delete sandbox/batch?"}},
		"marks take several":                          {keys: "tab space space d", shows: []string{"Delete 2 objects: sandbox/batch, claim/trainer?"}},
		"and are gone when it is done":                {keys: "tab space space d y", shows: []string{"CLAIMS 10 "}, asks: []string{"delete sandbox/batch claim/trainer"}},
		"all can be marked":                           {keys: "tab ctrl+a", shows: []string{"(10 marked)"}},
		"all that the filter takes":                   {keys: "tab / a g e n t enter ctrl+a", shows: []string{"(6 marked)"}},
		"and unmarked":                                {keys: "tab ctrl+a u", shows: []string{"CLAIMS 10 "}},
		"resume does not ask":                         {keys: "tab r", asks: []string{"resume sandbox/batch"}},
		"suspend asks":                                {keys: "tab z", shows: []string{"Data that is not on a volume is lost."}},
		"extend asks by how much":                     {keys: "tab e", shows: []string{"Extend by", "1h"}},
		"and does it":                                 {keys: "tab e enter", asks: []string{"extend sandbox/batch 1h"}},
		"scale proposes what there is":                {keys: "S", shows: []string{"Desired number of members", "2"}},
		"scaling up does not ask":                     {keys: "S backspace 9 enter", asks: []string{"scale pool/gpu-warm 9"}},
		"scaling down does":                           {keys: "S backspace 1 enter", shows: []string{"Scale pool/gpu-warm down to 1?"}},
		"scaling works from the members too":          {keys: "enter S backspace 7 enter", asks: []string{"scale pool/gpu-warm 7"}},
		"but not on a claim":                          {keys: "tab S", shows: []string{"no pool is selected"}},
		"a claim is made from a pool":                 {keys: "j a backspace backspace backspace backspace backspace n e w enter", asks: []string{"create pool/python-warm python-warm-new"}},
		"or a template":                               {keys: "t a backspace backspace backspace backspace backspace x enter", asks: []string{"create template/node node-x"}},
		"a shell is for one":                          {keys: "tab space space s", shows: []string{"works on one object at a time"}},
		"a command is asked for":                      {keys: "tab x l s enter", asks: []string{"exec sandbox/batch ls"}},
		"ports are asked for":                         {keys: "tab p 8 0 enter", asks: []string{"port-forward sandbox/batch 80"}},
		"o sorts":                                     {keys: "tab o j enter", shows: []string{"▶  agent-1"}},
		"and turns around":                            {keys: "tab o j enter o enter", shows: []string{"▶  trainer"}},
		"n offers namespaces":                         {keys: "n", shows: []string{"(all namespaces)", "▶ research", "web"}},
		"f lists port-forwards":                       {keys: "f", shows: []string{"none: press p on a sandbox"}},
		"help lists the keys":                         {keys: "?", shows: []string{"Keys", "run a command", "port-forward", "quit"}},
		"any key closes help":                         {keys: "? x", shows: []string{"POOLS 3"}},
		"a key that nothing is bound to does nothing": {keys: "Z", shows: []string{"POOLS 3"}},
		"g and G go to the ends":                      {keys: "tab G", shows: []string{"▶  idle"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := filled(t.Context(), 120, 40)
			typed(t, w, tt.keys)
			frame := ansi.Strip(strings.Join(w.frame(), "\n"))
			for _, part := range tt.shows {
				if !strings.Contains(frame, part) {
					t.Errorf("%q is missing in\n%s", part, frame)
				}
			}
			if got := asked(w); tt.asks != nil && !slices.Equal(got, tt.asks) {
				t.Errorf("asked for %q, want %q", got, tt.asks)
			}
			if len(tt.asks) == 0 && len(asked(w)) > 0 {
				t.Errorf("asked for %q", asked(w))
			}
		})
	}
}

func asked(w *world) []string {
	var all []string
	for _, r := range w.actor.asked {
		words := []string{string(r.Verb)}
		for _, t := range r.Targets {
			words = append(words, t.Ref().String())
		}
		all = append(all, strings.TrimSpace(strings.Join(append(words, r.Argument), " ")))
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
	w.actor.forwards = []action.Forwarding{{ID: 7, Target: action.Target{Kind: resolve.KindClaim, Name: "dev"}, Ports: "80", Listening: "127.0.0.1:80", Connections: 2}}
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
	if len(w.logLines) != 100 || w.logLines[0] != "a line of red" {
		t.Fatalf("%d lines, the first %q", len(w.logLines), w.logLines[0])
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
	keys := []string{"tab", "enter", "esc", "space", "up", "down", "pgup", "pgdown", "home", "end", "left", "right", "backspace", "delete", "ctrl+a", "ctrl+r"}
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
	for _, at := range []screen{screenHome, screenMembers, screenDetail, screenYAML, screenTemplates, screenLogs} {
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
