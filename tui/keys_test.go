// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestKeys(t *testing.T) {
	tests := map[string]struct {
		keys string
		// Parts of the resulting frame, and the dispatched requests, as "verb target... argument".
		shows []string
		asks  []string
	}{
		"enter goes into a pool": {keys: "enter", shows: []string{"› pool/gpu-warm", "MEMBERS 2"}},
		"and on to a member": {keys: "j enter enter", shows: []string{"sandbox/python-warm-00004"},
			asks: []string{"inspect sandbox/python-warm-00004"}},
		"esc goes back": {keys: "j enter esc", shows: []string{"POOLS 3", "CLAIMS 10"}},
		"tab goes to the claims": {keys: "tab enter", shows: []string{"sandbox/batch"},
			asks: []string{"inspect sandbox/batch"}},
		"trouble comes first": {keys: "", shows: []string{"▶  ▲ gpu-warm"}},
		"y shows YAML": {keys: "tab y", shows: []string{"batch YAML"},
			asks: []string{"inspect sandbox/batch"}},
		"t shows templates":                    {keys: "t", shows: []string{"› templates", "python", "POLICY"}},
		"a filter narrows while it is typed":   {keys: "tab / a g e n t", shows: []string{"CLAIMS 6 of 10"}},
		"esc leaves a filter as it was":        {keys: "tab / a g e n t esc", shows: []string{"CLAIMS 10"}},
		"enter keeps it":                       {keys: "tab / a g e n t enter", shows: []string{"CLAIMS 6 of 10 /agent"}},
		"esc then takes it away":               {keys: "tab / a g e n t enter esc", shows: []string{"CLAIMS 10"}},
		"! leaves out":                         {keys: "tab ! a g e n t enter", shows: []string{"CLAIMS 4 of 10 /!agent"}},
		"L filters by label":                   {keys: "tab L t e a m enter", shows: []string{"CLAIMS 8 of 10 /-l team"}},
		"a filter that cannot be read says so": {keys: "tab L a = = b = = c", shows: []string{"-l:"}},
		"nothing may match":                    {keys: "tab / z z z enter", shows: []string{"nothing matches the filter"}},
		"delete asks first":                    {keys: "tab d", shows: []string{"Delete sandbox/batch?", "[▶No]"}},
		"enter is no":                          {keys: "tab d enter", shows: []string{"nothing was changed"}},
		"esc is no":                            {keys: "tab d esc", shows: []string{"nothing was changed"}},
		"y is yes": {keys: "tab d y", shows: []string{"delete done"},
			asks: []string{"delete sandbox/batch"}},
		"yes can be chosen":        {keys: "tab d tab enter", asks: []string{"delete sandbox/batch"}},
		"other keys do not answer": {keys: "tab d x s", shows: []string{"Delete sandbox/batch?"}},
		"marks take several": {keys: "tab space space d",
			shows: []string{"Delete 2 objects: sandbox/batch, claim/trainer?"}},
		"and are gone when it is done": {keys: "tab space space d y", shows: []string{"CLAIMS 10 "},
			asks: []string{"delete sandbox/batch claim/trainer"}},
		"all can be marked":            {keys: "tab ctrl+a", shows: []string{"(10 marked)"}},
		"all that the filter takes":    {keys: "tab / a g e n t enter ctrl+a", shows: []string{"(6 marked)"}},
		"and unmarked":                 {keys: "tab ctrl+a u", shows: []string{"CLAIMS 10 "}},
		"resume does not ask":          {keys: "tab r", asks: []string{"resume sandbox/batch"}},
		"suspend asks":                 {keys: "tab z", shows: []string{"Data that is not on a volume is lost."}},
		"extend asks by how much":      {keys: "tab e", shows: []string{"Extend by", "1h"}},
		"and does it":                  {keys: "tab e enter", asks: []string{"extend sandbox/batch 1h"}},
		"scale proposes what there is": {keys: "S", shows: []string{"Desired number of members", "2"}},
		"scaling up does not ask":      {keys: "S backspace 9 enter", asks: []string{"scale pool/gpu-warm 9"}},
		"scaling down does":            {keys: "S backspace 1 enter", shows: []string{"Scale pool/gpu-warm down to 1?"}},
		"scaling works from the members too": {keys: "enter S backspace 7 enter",
			asks: []string{"scale pool/gpu-warm 7"}},
		"but not on a claim": {keys: "tab S", shows: []string{"no pool is selected"}},
		"a claim is made from a pool": {keys: "j a backspace backspace backspace backspace backspace n e w enter",
			asks: []string{"create pool/python-warm python-warm-new"}},
		"or a template": {keys: "t a backspace backspace backspace backspace backspace x enter",
			asks: []string{"create template/node node-x"}},
		"a shell is for one": {keys: "tab space space s",
			shows: []string{"works on one object at a time"}},
		"a command is asked for": {keys: "tab x l s enter", asks: []string{"exec sandbox/batch ls"}},
		"ports are asked for": {keys: "tab p 8 0 enter",
			asks: []string{"port-forward sandbox/batch 80"}},
		"o sorts":               {keys: "tab o j enter", shows: []string{"▶  agent-1"}},
		"and turns around":      {keys: "tab o j enter o enter", shows: []string{"▶  trainer"}},
		"n offers namespaces":   {keys: "n", shows: []string{"(all namespaces)", "▶ research", "web"}},
		"f lists port-forwards": {keys: "f", shows: []string{"none: press p on a sandbox"}},
		"help lists the keys": {keys: "?",
			shows: []string{"Keys", "run a command", "port-forward", "quit"}},
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
