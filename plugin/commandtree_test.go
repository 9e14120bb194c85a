// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The ways to select objects and to print them that each command which takes objects has.
const (
	selectsByLabel   = "-l"
	allNamespaces    = "-A"
	severalNames     = "several names"
	printsNamesAlone = "-q"
)

// takesObjects matches the usage of a command that takes objects which exist.
var takesObjects = regexp.MustCompile(`\b(NAME|NODE|SRC|DST)\b`)

// createsObjects returns the commands whose NAME is that of something new.
func createsObjects() []string { return []string{"create", "pool create", "template create"} }

// exceptions returns what commands do not have, with the reason.
func exceptions() map[string]map[string]string {
	one := func(reason string) map[string]string {
		return map[string]string{
			selectsByLabel: reason, allNamespaces: reason, severalNames: reason, printsNamesAlone: reason,
		}
	}
	quiet := func(reason string) map[string]string { // it has -q, for its warnings
		return map[string]string{selectsByLabel: reason, allNamespaces: reason, severalNames: reason}
	}
	const (
		session = "one session has one set of standard streams and one exit code"
		paths   = "source and target are paths, of which at least one is in a sandbox"
		pages   = "it prints a page for each; list -q and status -q print names"
		named   = "NAME is one of all: what it prints is about one"
	)
	return map[string]map[string]string{
		"attach": quiet(session), "exec": quiet(session), "shell": quiet(session), "port-forward": one(session),
		"cp": quiet(paths), "sync": quiet(paths), "token": one(named), "ssh-config": one(named),
		"pool plan":         one("a plan is the arithmetic of one pool"),
		"template edit":     one("an editor shows one template"),
		"describe":          {printsNamesAlone: pages},
		"tree":              {printsNamesAlone: pages},
		"pool describe":     {printsNamesAlone: pages},
		"template describe": {printsNamesAlone: pages},
		"logs":              {printsNamesAlone: "its output is that of the sandboxes"},
	}
}

// capabilities returns which of the ways a command has.
func capabilities(command *cobra.Command) map[string]bool {
	has := func(flag, short string) bool {
		found := command.Flags().Lookup(flag)
		return found != nil && found.Shorthand == short
	}
	return map[string]bool{
		selectsByLabel: has("selector", "l"), allNamespaces: has("all-namespaces", "A"),
		severalNames:     strings.Contains(command.Use, "NAME...") || strings.Contains(command.Use, "NODE..."),
		printsNamesAlone: has("quiet", "q"),
	}
}

func TestEveryCommandThatTakesObjectsTakesThemTheSameWayOrSaysWhyNot(t *testing.T) {
	reasons, checked := exceptions(), map[string]bool{}
	for path, command := range commands(t) {
		if command.HasSubCommands() || !takesObjects.MatchString(command.Use) || slices.Contains(createsObjects(), path) {
			continue
		}
		checked[path] = true
		for way, has := range capabilities(command) {
			switch reason := reasons[path][way]; {
			case !has && reason == "":
				t.Errorf("%s has no %s: add it, or say why not", path, way)
			case has && reason != "":
				t.Errorf("%s has %s, although the exception says: %s", path, way, reason)
			}
		}
	}
	for path := range reasons {
		if !checked[path] {
			t.Errorf("the exception for %s is of no command that takes objects", path)
		}
	}
	for _, path := range []string{"delete", "list", "nodes", "pool scale", "pool rollout status", "wait"} {
		if !checked[path] {
			t.Errorf("%s does not count as a command that takes objects", path)
		}
	}
}
