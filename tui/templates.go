// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"strconv"
	"strings"

	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

func templateColumns(wide bool) []view.Column {
	return withNamespace([]view.Column{
		{Width: 16, Grow: 2, Whole: true},
		{Title: "IMAGES", Width: 28, Grow: 3},
		{Title: "REQUESTS", Width: 20, Rank: 5},
		{Title: "VOLUMES", Width: 7, Right: true, Rank: 6},
		{Title: "POLICY", Width: 16, Grow: 2, Rank: 4},
		{Title: "POOLS", Width: 12, Grow: 1, Rank: 2},
		{Title: "CLAIMS", Width: 6, Right: true, Rank: 1},
		{Title: "AGE", Width: 5, Right: true, Rank: 3},
	}, wide)
}

func (m *Model) templateTexts(t *rows.Template) [growing]string {
	return [growing]string{m.templateName(t), t.Images, t.Policy, orNone(strings.Join(t.Pools, ","))}
}

// templateName returns the name with a sign if members cannot start because of the template.
func (m *Model) templateName(t *rows.Template) string {
	if t.Fault != "" {
		return m.theme.Problem + " " + t.Name
	}
	return t.Name
}

func (m *Model) templateCells(t *rows.Template) []view.Cell {
	tone := view.Plain
	if t.Fault != "" {
		tone = view.Bad
	}
	return []view.Cell{
		{Text: m.templateName(t), Tone: tone},
		{Text: t.Images, Tone: tone},
		{Text: orNone(t.Requests)},
		{Text: strconv.Itoa(t.Volumes)},
		{Text: t.Policy, Tone: view.Dim},
		{Text: orNone(strings.Join(t.Pools, ","))},
		{Text: strconv.Itoa(t.Claims)},
		{Text: m.age(t.Created)},
	}
}
