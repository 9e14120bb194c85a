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
		"a pool shows its claims too": {keys: "j enter", shows: []string{"MEMBERS 10", "CLAIMS 6", "agent-6"}},
		"tab goes to them": {keys: "j enter tab enter", shows: []string{"claim/agent-1"},
			asks: []string{"inspect claim/agent-1"}},
		"and actions work on them": {keys: "j enter tab space space z y",
			asks: []string{"suspend claim/agent-1 claim/agent-2"}},
		"the pool is still scaled there": {keys: "j enter tab S 9 enter",
			shows: []string{"Scale pool/python-warm from 10 to 9?"}},
		"another pool opens with its members": {keys: "j enter tab esc k enter", shows: []string{"▶  gpu-warm-00000"}},
		"esc goes back":                       {keys: "j enter esc", shows: []string{"POOLS 3", "CLAIMS 10"}},
		"tab goes to the claims": {keys: "tab enter", shows: []string{"sandbox/batch"},
			asks: []string{"inspect sandbox/batch"}},
		"trouble comes first": {keys: "", shows: []string{"▶  ▲ gpu-warm"}},
		"y shows YAML": {keys: "tab y", shows: []string{"batch YAML"},
			asks: []string{"inspect sandbox/batch"}},
		"E shows events": {keys: "tab E", shows: []string{"batch events"}, asks: []string{"inspect sandbox/batch"}},
		"of a pool too":  {keys: "E", shows: []string{"gpu-warm events"}, asks: []string{"inspect pool/gpu-warm"}},
		"YAML and events are one step back": {keys: "tab E y E y esc", shows: []string{"CLAIMS 10"},
			asks: []string{"inspect sandbox/batch", "inspect sandbox/batch", "inspect sandbox/batch", "inspect sandbox/batch"}},
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
		"all can be marked":                {keys: "tab ctrl+a", shows: []string{"(10 marked)"}},
		"all that the filter takes":        {keys: "tab / a g e n t enter ctrl+a", shows: []string{"(6 marked)"}},
		"and unmarked":                     {keys: "tab ctrl+a u", shows: []string{"CLAIMS 10 "}},
		"resume does not ask":              {keys: "tab r", asks: []string{"resume sandbox/batch"}},
		"suspend asks":                     {keys: "tab z", shows: []string{"Data that is not on a volume is lost."}},
		"extend asks by how much":          {keys: "tab e", shows: []string{"Extend by", "1h"}},
		"and does it":                      {keys: "tab e enter", asks: []string{"extend sandbox/batch 1h"}},
		"scale proposes what there is":     {keys: "S", shows: []string{"Desired number of members", "2"}},
		"scaling up a little does not ask": {keys: "S 7 enter", asks: []string{"scale pool/gpu-warm 7"}},
		"what is typed replaces the proposal": {keys: "S 3 2 enter",
			shows: []string{"Scale pool/gpu-warm from 2 to 32? That starts 30 sandboxes."}},
		"deleting it takes it all":         {keys: "S backspace 7 enter", asks: []string{"scale pool/gpu-warm 7"}},
		"a key of the cursor keeps it":     {keys: "S left 1 enter", shows: []string{"from 2 to 12?"}},
		"and says yes to what was typed":   {keys: "S 3 2 enter y", asks: []string{"scale pool/gpu-warm 32"}},
		"scaling down asks":                {keys: "S 1 enter", shows: []string{"Scale pool/gpu-warm from 2 to 1?"}},
		"the proposal is taken as it is":   {keys: "S enter", asks: []string{"scale pool/gpu-warm 2"}},
		"typing is said to replace it":     {keys: "S", shows: []string{"typing replaces it"}},
		"which it does only once":          {keys: "tab e 3 0 m enter", asks: []string{"extend sandbox/batch 30m"}},
		"a filter is edited, not replaced": {keys: "tab / a g enter / e enter", shows: []string{"/age"}},
		"scaling works from the members too": {keys: "enter S 7 enter",
			asks: []string{"scale pool/gpu-warm 7"}},
		"but not on a claim": {keys: "tab S", shows: []string{"no pool is selected"}},
		"a claim is made from a pool": {keys: "j a n e w enter",
			asks: []string{"create pool/python-warm new"}},
		"or a template": {keys: "t a end backspace backspace backspace backspace backspace x enter",
			asks: []string{"create template/node node-x"}},
		"a shell is for one": {keys: "tab space space s",
			shows: []string{"works on one object at a time"}},
		"a command is asked for": {keys: "tab x l s enter", asks: []string{"exec sandbox/batch ls"}},
		"ports are asked for": {keys: "tab p 9 0 enter",
			asks: []string{"read Pod sandbox/batch", "port-forward sandbox/batch 90"}},
		"those that the Pod declares are proposed": {keys: "tab p enter", shows: []string{"port-forward done"},
			asks: []string{"read Pod sandbox/batch", "port-forward sandbox/batch 8888 :80"}},
		"and named": {keys: "tab p", shows: []string{"declared: 8888 (http), 80", "8888 :80"},
			asks: []string{"read Pod sandbox/batch"}},
		"a container is chosen": {keys: "tab C j enter s",
			asks: []string{"read Pod sandbox/batch", "shell sandbox/batch in web"}},
		"for logs too": {keys: "tab C j enter l", asks: []string{"read Pod sandbox/batch", "logs sandbox/batch in web"}},
		"and for commands": {keys: "tab C j enter x l s enter",
			asks: []string{"read Pod sandbox/batch", "exec sandbox/batch ls in web"}},
		"a shell in it opens at once": {keys: "tab C j s",
			asks: []string{"read Pod sandbox/batch", "shell sandbox/batch in web"}},
		"the choice is remembered": {keys: "tab C j enter C", shows: []string{"▶ web"},
			asks: []string{"read Pod sandbox/batch", "read Pod sandbox/batch"}},
		"for this sandbox only": {keys: "tab C j enter j s",
			asks: []string{"read Pod sandbox/batch", "shell claim/trainer"}},
		"a pool has no containers": {keys: "C", shows: []string{"one sandbox at a time"}},
		"only for one at a time":   {keys: "tab space space C", shows: []string{"one sandbox at a time"}},
		"o sorts":                  {keys: "tab o j enter", shows: []string{"▶  agent-1"}},
		"and turns around":         {keys: "tab o j enter o enter", shows: []string{"▶  trainer"}},
		"n offers namespaces":      {keys: "n", shows: []string{"(all namespaces)", "▶ research", "web"}},
		"f lists port-forwards":    {keys: "f", shows: []string{"none: press p on a sandbox"}},
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
