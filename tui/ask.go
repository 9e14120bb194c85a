// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// nameSuffixLength is the number of random characters at the end of a proposed name.
const nameSuffixLength = 5

// singleTarget reports whether a verb works on one object only.
func singleTarget(verb action.Verb) bool {
	switch verb {
	case action.Shell, action.Exec, action.Logs, action.Forward, action.Copy, action.Create:
		return true
	default:
		return false
	}
}

// promptFor returns the prompt for the argument of a verb and the proposed value. Verbs without an argument have no
// prompt.
func (m *Model) promptFor(verb action.Verb, t action.Target) (question, proposal string) {
	switch verb {
	case action.Exec:
		return "Command to run in " + t.Ref().String(), ""
	case action.Forward:
		return "Ports to forward to " + t.Ref().String() + " ([LOCAL:]REMOTE...)", ""
	case action.Extend:
		return "Extend by", "1h"
	case action.Scale:
		if p := m.pool(t); p != nil {
			proposal = strconv.Itoa(p.Desired)
		}
		return "Desired number of members", proposal
	case action.Create:
		return "Name of the new claim from " + t.Ref().String(), t.Name + "-" + rand.String(nameSuffixLength)
	default:
		return "", ""
	}
}

// pool returns the row of a pool in the snapshot, or nil.
func (m *Model) pool(t action.Target) *rows.Pool {
	if m.snapshot == nil {
		return nil
	}
	for _, p := range m.snapshot.Pools {
		if p.UID == t.UID {
			return p
		}
	}
	return nil
}

// sizes returns the desired sizes of the pools among the targets.
func (m *Model) sizes(targets []action.Target) []int {
	var sizes []int
	for _, t := range targets {
		if p := m.pool(t); p != nil {
			sizes = append(sizes, p.Desired)
		}
	}
	return sizes
}

// askSources starts an action on pools or templates.
func askSources(verb action.Verb) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.askFor(verb, m.sources(verb)) }
}

// sources returns the selected pools or templates that the verb works on. On the screen of a pool's members it is the
// pool.
func (m *Model) sources(verb action.Verb) []action.Target {
	kinds := []resolve.Kind{resolve.KindPool}
	if verb == action.Create {
		kinds = append(kinds, resolve.KindTemplate)
	}
	targets := m.targets()
	if at := m.current(); at.screen == screenMembers {
		targets = []action.Target{at.target}
	}
	return ofKinds(targets, kinds)
}

func ofKinds(targets []action.Target, kinds []resolve.Kind) []action.Target {
	return slices.DeleteFunc(targets, func(t action.Target) bool { return !slices.Contains(kinds, t.Kind) })
}

// noSelection returns the error message for a verb that finds nothing to work on.
func noSelection(verb action.Verb) string {
	switch verb {
	case action.Scale:
		return "no pool is selected: S scales the pool under the cursor, or the pool whose members are shown"
	case action.Create:
		return "no pool or template is selected: a creates a claim from the one under the cursor"
	default:
		return "nothing is selected"
	}
}
