// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

// suffix is how many random characters a proposed name ends with.
const suffix = 5

// single says whether a verb is for one object only.
func single(verb action.Verb) bool {
	switch verb {
	case action.Shell, action.Exec, action.Logs, action.Forward, action.Copy, action.Create:
		return true
	default:
		return false
	}
}

// needs is what to ask the user before a verb, and what to propose. An empty question means nothing.
func (m *Model) needs(verb action.Verb, t action.Target) (question, proposal string) {
	switch verb {
	case action.Exec:
		return "Command to run in " + t.Ref().String(), ""
	case action.Forward:
		return "Ports of " + t.Ref().String() + " ([LOCAL:]REMOTE...)", ""
	case action.Extend:
		return "Extend by", "1h"
	case action.Scale:
		if p := m.pool(t); p != nil {
			proposal = strconv.Itoa(p.Desired)
		}
		return "Members to keep warm", proposal
	case action.Create:
		return "Name of the claim from " + t.Ref().String(), t.Name + "-" + rand.String(suffix)
	default:
		return "", ""
	}
}

// pool finds the row of a pool.
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

// lowers says whether one of the pools would keep fewer members.
func (m *Model) lowers(targets []action.Target, text string) bool {
	wanted, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return false // the dispatcher says what is wrong
	}
	for _, t := range targets {
		if p := m.pool(t); p != nil && wanted < p.Desired {
			return true
		}
	}
	return false
}

// askSources begins an action on pools or templates.
func askSources(verb action.Verb) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.askFor(verb, m.sources(verb)) }
}

// sources are the chosen pools, or templates, that the verb works on; on a pool's members that is the pool.
func (m *Model) sources(verb action.Verb) []action.Target {
	kinds := []resolve.Kind{resolve.KindPool}
	if verb == action.Create {
		kinds = append(kinds, resolve.KindTemplate)
	}
	targets := m.targets()
	if at := m.here(); at.screen == screenMembers {
		targets = []action.Target{at.target}
	}
	return ofKinds(targets, kinds)
}

func ofKinds(targets []action.Target, kinds []resolve.Kind) []action.Target {
	return slices.DeleteFunc(targets, func(t action.Target) bool { return !slices.Contains(kinds, t.Kind) })
}

// missing says what a verb needs that is not in sight.
func missing(verb action.Verb) string {
	switch verb {
	case action.Scale:
		return "no pool is selected: S scales the pool under the cursor, or the one whose members are shown"
	case action.Create:
		return "no pool or template is selected: a makes a claim from the one under the cursor"
	default:
		return "nothing is selected"
	}
}
