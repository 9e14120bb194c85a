// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
)

// states returns a set-up function for each state of the dashboard that has a golden frame.
func states() map[string]func(*testing.T, *world) {
	snapshot := func(change func(*store.Snapshot)) func(*testing.T, *world) {
		return func(_ *testing.T, w *world) {
			s := demo()
			change(s)
			w.Update(snapshotMsg{s})
		}
	}
	nothing := func(h store.Health) func(*testing.T, *world) {
		return snapshot(func(s *store.Snapshot) {
			s.Pools, s.Claims, s.Members, s.Templates, s.Health = nil, nil, nil, nil,
				h
		})
	}
	after := func(keys string) func(*testing.T, *world) {
		return func(t *testing.T, w *world) {
			w.Update(snapshotMsg{demo()})
			typed(t, w, keys)
		}
	}
	return map[string]func(*testing.T, *world){
		"before":  func(*testing.T, *world) {},
		"home":    after(""),
		"claims":  after("tab"),
		"empty":   nothing(healthy()),
		"loading": nothing(unwell(store.Loading, false, "")),
		"forbidden": nothing(unwell(store.Forbidden, false,
			`pods is forbidden: User "jane" cannot list resource "pods" in the namespace "research"`)),
		"absent":       nothing(unwell(store.NotServed, false, "the server could not find the requested resource")),
		"disconnected": nothing(unwell(store.Disconnected, false, "dial tcp 10.0.0.1:6443: connect: connection refused")),
		"stale": snapshot(func(s *store.Snapshot) {
			s.Health = unwell(store.Disconnected, true,
				"connection refused")
		}),
		"partly": snapshot(func(s *store.Snapshot) {
			s.Pools, s.Health.Readings[2].Phase, s.Health.Readings[2].Once = nil, store.Forbidden, false
		}),
		"operatordown": func(_ *testing.T, w *world) {
			w.Update(snapshotMsg{demo()})
			w.Update(operatorMsg{problem: operator.Problem{Short: "operator scaled to zero", Message: "it is scaled to zero"}})
		},
		"broken":          brokenImage(""),
		"brokentemplates": brokenImage("t"),
		"brokendetail":    brokenImage("j enter enter"),

		"longnames": longNames,

		"members":   after("j enter"),
		"templates": after("t"),
		"reading":   after("tab enter"),
		"detail": func(t *testing.T, w *world) {
			w.actor.answer = stuck
			w.Update(snapshotMsg{demo()})
			typed(t, w, "tab j enter")
		},
		"events": func(t *testing.T, w *world) {
			w.actor.answer = stuck
			w.Update(snapshotMsg{demo()})
			typed(t, w, "tab j E")
		},
		"search": func(t *testing.T, w *world) {
			w.actor.answer = stuck
			w.Update(snapshotMsg{demo()})
			typed(t, w, "tab j enter / g p u enter n")
		},
		"log":         withLog("tab l"),
		"logsearch":   withLog("tab l T / e r r o r"),
		"logprevious": withLog("tab l P w"),
		"ports":       after("tab p"),
		"usage":       func(_ *testing.T, w *world) { w.Update(snapshotMsg{withUsage()}) },
		"containers":  after("tab C j"),
		"help":        after("?"),
		"filter":      after("tab / a g e n t"),
		"leftout":     after("tab ! a g e n t enter"),
		"sort":        after("tab o"),
		"command":     after(": n s space"),
		"confirm":     after("tab space space d"),
		"prompt":      after("S"),
		"forwards":    after("f"),
		"marked":      after("tab space space"),
		"error": func(t *testing.T, w *world) {
			w.actor.answer = func(r action.Request) action.Result {
				return action.Result{Verb: r.Verb, Err: fmt.Errorf("%s: it was deleted and created again: check it and try again",
					r.Targets[0].Ref())}
			}
			w.Update(snapshotMsg{demo()})
			typed(t, w, "tab z y")
		},
		"toast": after("tab z y"),
	}
}

// longNames shows pools and claims with long names and without problems.
func longNames(_ *testing.T, w *world) {
	s := demo()
	s.Claims, s.Pools = s.Claims[:7], s.Pools[:1]
	for i, r := range s.Claims {
		long := *r
		long.Name = "code-interpreter-session-" + r.Name
		s.Claims[i] = &long
	}
	w.Update(snapshotMsg{s})
}
