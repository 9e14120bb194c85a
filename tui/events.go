// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// shownEvents is the maximum number of events on the page of a claim or Sandbox.
const shownEvents = 15

// openEvents shows all events about the selected object.
func (m *Model) openEvents() tea.Cmd { return m.openPage(screenEvents) }

func (m *Model) openYAML() tea.Cmd { return m.openPage(screenYAML) }

// openPage shows a page of the selected object.
func (m *Model) openPage(s screen) tea.Cmd {
	targets := m.targets()
	if len(targets) == 0 {
		return nil
	}
	return m.show(location{s, targets[0]})
}

// allEvents returns the lines of the page with all events.
func (m *Model) allEvents(p *action.Page) []string {
	w, title := &writer{m: m}, "Events of "+p.Target.Ref().String()
	if p.Found != nil {
		title += ", its Pod and volumes"
	}
	w.section(title)
	m.events(w, p.Snapshot.Events, len(p.Snapshot.Events))
	return w.lines
}

// events writes events, the latest first.
func (m *Model) events(w *writer, events []corev1.Event, limit int) {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b corev1.Event) int {
		return diagnose.EventTime(&b).Compare(diagnose.EventTime(&a).Time)
	})
	if len(events) == 0 {
		w.pair("", "none, or you may not read them")
	}
	for i := range events[:min(len(events), limit)] {
		e := &events[i]
		tone := view.Dim
		if e.Type == corev1.EventTypeWarning {
			tone = view.Warn
		}
		text := e.Reason + ": " + e.Message
		if about := e.InvolvedObject; about.Name != "" {
			text = e.Reason + " (" + strings.ToLower(about.Kind) + "/" + about.Name + "): " + e.Message
		}
		if e.Count > 1 {
			text = fmt.Sprintf("%s (%d times)", text, e.Count)
		}
		w.line(tone, m.theme.Fit(m.age(diagnose.EventTime(e).Time), 5, true)+" "+m.theme.Fit(e.Type, 7, false), text)
	}
	if more := len(events) - limit; more > 0 {
		w.pair("", fmt.Sprintf("%d earlier ones: press E", more))
	}
}
