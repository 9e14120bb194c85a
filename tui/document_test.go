// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"os"
	"strings"
	"testing"
)

func TestThePageOfTheDashboardNamesEveryKeyAndCommand(t *testing.T) {
	page, err := os.ReadFile("../docs/dashboard.md")
	if err != nil {
		t.Fatal(err)
	}
	all := string(page)
	arrows := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}
	for _, c := range commands() {
		for _, key := range c.Keys() {
			name, text := key, all
			if arrow, is := arrows[key]; is {
				name = arrow
			}
			if len(name) > 1 { // g and G are two keys, Esc is one
				text = strings.ToLower(all)
			}
			if !strings.Contains(text, "`"+name+"`") {
				t.Errorf("the key %q (%s) is not on the page", key, c.Help().Desc)
			}
		}
	}
	for _, c := range typedCommands() {
		if !strings.Contains(all, "`"+c.names[0]) {
			t.Errorf("the command %q is not on the page", c.names[0])
		}
	}
}
