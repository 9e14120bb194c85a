// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// none is the text of an empty cell.
const none = "-"

// Widths of bars and sparklines.
const (
	barWidth     = 8
	readyWidth   = store.Samples
	minutesWidth = store.Minutes
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
		{Width: 14, Grow: 2, Whole: true},
		{Title: "READY", Width: 7, Right: true},
		{Title: "FILL", Width: barWidth, Rank: 3},
		{Title: "PENDING", Width: 7, Right: true, Rank: 5},
		{Title: "CLAIMED", Width: 7, Right: true, Rank: 2},
		{Title: "WARM", Width: 5, Right: true, Rank: 6},
		{Title: "STALE", Width: 5, Right: true, Rank: 7},
		{Title: "TREND", Width: readyWidth, Rank: 8},
		{Title: "CLAIMS/MIN", Width: minutesWidth, Rank: 9},
		reasonColumn("WHY SHORT", 4),
	}, wide)
}

// reasonColumn is the last column of a table. It shrinks before columns of a lower rank are hidden.
func reasonColumn(title string, shrinkRank int) view.Column {
	return view.Column{
		Title: title, Width: reasonWidth, Grow: 4, Rank: 1, MinWidth: reasonMinWidth, ShrinkRank: shrinkRank,
	}
}

func (m *Model) poolTexts(p *rows.Pool) [growing]string {
	return [growing]string{m.theme.Ready + " " + p.Name, orNone(p.Short)}
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
		{Text: orNone(p.Short), Tone: tone},
	}
}

func formatCount(n int) string {
	if n == pool.Unknown {
		return "?"
	}
	return strconv.Itoa(n)
}

func (m *Model) rowColumns(wide bool) []view.Column {
	return withNamespace(slices.Concat([]view.Column{
		{Width: 16, Grow: 2, Whole: true},
		{Title: "STATE", Width: 12},
		{Title: "FROM", Width: 6, Rank: 3},
		{Title: "AGE", Width: 5, Right: true, Rank: 4},
		{Title: "ENDS IN", Width: 7, Right: true, Rank: 6},
	}, m.usageColumns(), placeColumns()), wide)
}

func (m *Model) memberColumns(wide bool) []view.Column {
	return withNamespace(slices.Concat([]view.Column{
		{Width: 16, Grow: 2, Whole: true},
		{Title: "STATE", Width: 12},
		{Title: "VERSION", Width: 7, Rank: 3},
		{Title: "AGE", Width: 5, Right: true, Rank: 4},
	}, m.usageColumns(), placeColumns()), wide)
}

// placeColumns are the last columns of claims, Sandboxes and members.
func placeColumns() []view.Column {
	return []view.Column{
		{Title: "RESTARTS", Width: 8, Right: true, Rank: 11},
		{Title: "NODE", Width: 10, Grow: 1, Rank: 9},
		{Title: "IP", Width: 15, Rank: 10},
		reasonColumn("REASON", 5),
	}
}

func placeCells(r *rows.Row, tone view.Tone) []view.Cell {
	return []view.Cell{
		restarts(r),
		{Text: orNone(r.Node), Tone: view.Dim},
		{Text: orNone(r.IP), Tone: view.Dim},
		{Text: orNone(r.Reason), Tone: reasonTone(r, tone)},
	}
}

// rowTexts returns the texts of the columns that grow, of a claim, a Sandbox or a member.
func rowTexts(r *rows.Row) [growing]string {
	return [growing]string{r.Name, orNone(r.Node), orNone(r.Reason)}
}

func (m *Model) rowCells(r *rows.Row) []view.Cell {
	sign, tone := m.theme.State(r.State)
	return slices.Concat([]view.Cell{
		{Text: r.Name},
		{Text: sign + " " + string(r.State), Tone: tone},
		{Text: orNone(string(r.Source))},
		{Text: m.age(r.Created)},
		{Text: m.endsIn(r)},
	}, m.usageCells(r), placeCells(r, tone))
}

func (m *Model) memberCells(r *rows.Row) []view.Cell {
	sign, tone := m.theme.State(r.State)
	version := view.Cell{Text: "current"}
	if r.Stale {
		version = view.Cell{Text: "stale", Tone: view.Warn}
	}
	return slices.Concat([]view.Cell{
		{Text: r.Name},
		{Text: sign + " " + string(r.State), Tone: tone},
		version,
		{Text: m.age(r.Created)},
	}, m.usageCells(r), placeCells(r, tone))
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
