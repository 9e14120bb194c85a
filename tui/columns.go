// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// none is the text of an empty cell.
const none = "-"

// Widths of bars and sparklines.
const (
	barWidth     = 8
	readyWidth   = 10
	minutesWidth = 10
	// reasonWidth is the usual width of a reason.
	reasonWidth = 30
	// reasonMinWidth is its width on a narrow terminal.
	reasonMinWidth = 20
)

// heading returns the title of the first column: the kind of the objects, their number, the filter and the marks.
func (t *table[T]) heading() string {
	shown, all := t.size()
	text := fmt.Sprintf("%s %d", t.title, all)
	if shown != all {
		text = fmt.Sprintf("%s %d of %d", t.title, shown, all)
	}
	if !t.filter.Empty() {
		text += " /" + t.filter.String()
	}
	if n := t.marked(); n > 0 {
		text += fmt.Sprintf(" (%d marked)", n)
	}
	return text
}

// withNamespace inserts the namespace as the second column.
func withNamespace(columns []view.Column, wide bool) []view.Column {
	if !wide {
		return columns
	}
	return append([]view.Column{columns[0], {Title: "NAMESPACE", Width: 12, Grow: 1}}, columns[1:]...)
}

func poolColumns(wide bool) []view.Column {
	return withNamespace([]view.Column{
		{Width: 14, Grow: 2},
		{Title: "READY", Width: 7, Right: true},
		{Title: "FILL", Width: barWidth, Rank: 3},
		{Title: "PENDING", Width: 7, Right: true, Rank: 4},
		{Title: "CLAIMED", Width: 7, Right: true, Rank: 2},
		{Title: "WARM", Width: 5, Right: true, Rank: 5},
		{Title: "STALE", Width: 5, Right: true, Rank: 6},
		{Title: "TREND", Width: readyWidth, Rank: 8},
		{Title: "CLAIMS/MIN", Width: minutesWidth, Rank: 9},
		{Title: "WHY SHORT", Width: reasonWidth, Grow: 3, Rank: 1, MinWidth: reasonMinWidth},
	}, wide)
}

func (m *Model) poolCells(p *rows.Pool) []view.Cell {
	tone, sign := view.Good, m.theme.Ready
	switch {
	case p.Desired == 0:
		tone, sign = view.Dim, m.theme.Off
	case p.Ready == 0 || p.Broken:
		tone, sign = view.Bad, m.theme.Problem
	case p.Ready < p.Desired:
		tone, sign = view.Warn, m.theme.Waiting
	}
	warm := none
	if ratio, known := p.HitRatio(); known {
		warm = fmt.Sprintf("%d%%", int(ratio*100+0.5))
	}
	staleTone := view.Plain
	if p.Stale > 0 {
		staleTone = view.Warn
	}
	short := p.Short
	if short == "" {
		short = none
	}
	return []view.Cell{
		{Text: sign + " " + p.Name, Tone: tone},
		{Text: fmt.Sprintf("%d/%d", p.Ready, p.Desired), Tone: tone},
		{Text: m.theme.Bar(p.Ready, p.Desired, barWidth), Tone: tone},
		{Text: formatCount(p.Pending)},
		{Text: formatCount(p.Claimed)},
		{Text: warm},
		{Text: formatCount(p.Stale), Tone: staleTone},
		{Text: m.theme.Sparkline(p.ReadyHistory, readyWidth), Tone: view.Dim},
		{Text: m.theme.Sparkline(p.ClaimHistory, minutesWidth), Tone: view.Dim},
		{Text: short, Tone: tone},
	}
}

func formatCount(n int) string {
	if n == pool.Unknown {
		return "?"
	}
	return strconv.Itoa(n)
}

func rowColumns(wide bool) []view.Column {
	return withNamespace([]view.Column{
		{Width: 16, Grow: 2},
		{Title: "STATE", Width: 12},
		{Title: "FROM", Width: 6, Rank: 3},
		{Title: "AGE", Width: 5, Right: true, Rank: 4},
		{Title: "ENDS IN", Width: 7, Right: true, Rank: 5},
		{Title: "RESTARTS", Width: 8, Right: true, Rank: 9},
		{Title: "NODE", Width: 10, Grow: 1, Rank: 7},
		{Title: "IP", Width: 15, Rank: 8},
		{Title: "REASON", Width: reasonWidth, Grow: 4, Rank: 1, MinWidth: reasonMinWidth},
	}, wide)
}

func memberColumns(wide bool) []view.Column {
	return withNamespace([]view.Column{
		{Width: 16, Grow: 2},
		{Title: "STATE", Width: 12},
		{Title: "VERSION", Width: 7, Rank: 3},
		{Title: "AGE", Width: 5, Right: true, Rank: 4},
		{Title: "RESTARTS", Width: 8, Right: true, Rank: 9},
		{Title: "NODE", Width: 10, Grow: 1, Rank: 7},
		{Title: "IP", Width: 15, Rank: 8},
		{Title: "REASON", Width: reasonWidth, Grow: 4, Rank: 1, MinWidth: reasonMinWidth},
	}, wide)
}

func (m *Model) rowCells(r *rows.Row) []view.Cell {
	sign, tone := m.theme.State(r.State)
	return []view.Cell{
		{Text: r.Name},
		{Text: sign + " " + string(r.State), Tone: tone},
		{Text: orNone(string(r.Source))},
		{Text: m.age(r.Created)},
		{Text: m.endsIn(r)},
		restarts(r),
		{Text: orNone(r.Node), Tone: view.Dim},
		{Text: orNone(r.IP), Tone: view.Dim},
		{Text: orNone(r.Reason), Tone: reasonTone(r, tone)},
	}
}

func (m *Model) memberCells(r *rows.Row) []view.Cell {
	sign, tone := m.theme.State(r.State)
	version := view.Cell{Text: "current"}
	if r.Stale {
		version = view.Cell{Text: "stale", Tone: view.Warn}
	}
	return []view.Cell{
		{Text: r.Name},
		{Text: sign + " " + string(r.State), Tone: tone},
		version,
		{Text: m.age(r.Created)},
		restarts(r),
		{Text: orNone(r.Node), Tone: view.Dim},
		{Text: orNone(r.IP), Tone: view.Dim},
		{Text: orNone(r.Reason), Tone: reasonTone(r, tone)},
	}
}

func restarts(r *rows.Row) view.Cell {
	cell := view.Cell{Text: strconv.Itoa(int(r.Restarts))}
	if r.Restarts > 0 {
		cell.Tone = view.Warn
	}
	return cell
}

func reasonTone(r *rows.Row, tone view.Tone) view.Tone {
	if r.State == diagnose.Ready {
		return view.Dim
	}
	return tone
}

func orNone(text string) string {
	if text == "" {
		return none
	}
	return text
}

func (m *Model) age(since time.Time) string {
	if since.IsZero() {
		return none
	}
	return duration.ShortHumanDuration(m.now().Sub(since))
}

func (m *Model) endsIn(r *rows.Row) string {
	switch now := m.now(); {
	case !r.Deadline.IsSet():
		return none
	case r.Deadline.Reached(now):
		return "over"
	default:
		return duration.ShortHumanDuration(r.Deadline.Remaining(now))
	}
}

func templateColumns(wide bool) []view.Column {
	return withNamespace([]view.Column{
		{Width: 16, Grow: 2},
		{Title: "IMAGES", Width: 28, Grow: 3},
		{Title: "REQUESTS", Width: 20, Rank: 5},
		{Title: "VOLUMES", Width: 7, Right: true, Rank: 6},
		{Title: "POLICY", Width: 16, Grow: 2, Rank: 4},
		{Title: "POOLS", Width: 12, Grow: 1, Rank: 2},
		{Title: "CLAIMS", Width: 6, Right: true, Rank: 1},
		{Title: "AGE", Width: 5, Right: true, Rank: 3},
	}, wide)
}

func (m *Model) templateCells(t *rows.Template) []view.Cell {
	name, tone := t.Name, view.Plain
	if t.Fault != "" {
		name, tone = m.theme.Problem+" "+t.Name, view.Bad
	}
	return []view.Cell{
		{Text: name, Tone: tone},
		{Text: t.Images, Tone: tone},
		{Text: orNone(t.Requests)},
		{Text: strconv.Itoa(t.Volumes)},
		{Text: t.Policy, Tone: view.Dim},
		{Text: orNone(strings.Join(t.Pools, ","))},
		{Text: strconv.Itoa(t.Claims)},
		{Text: m.age(t.Created)},
	}
}
