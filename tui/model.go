// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// Source is where snapshots come from: a store.Store.
type Source interface {
	Snapshots() <-chan *store.Snapshot
	Switch(namespace string)
	Reconnect()
	Namespaces(ctx context.Context) []string
}

// Actor does what the user asks for: an action.Dispatcher.
type Actor interface {
	Dispatch(ctx context.Context, r action.Request) action.Result
	Forwards() []action.Forwarding
}

// screen is what fills the frame.
type screen int

const (
	screenHome screen = iota
	screenMembers
	screenDetail
	screenYAML
	screenTemplates
	screenLogs
)

// place is a step of the way from the first screen to here.
type place struct {
	screen screen
	target action.Target
}

// toast is a message that goes away by itself.
type toast struct {
	text  string
	bad   bool
	until time.Time
}

// Model is the dashboard. Update is the only one that changes it, and View only reads it.
type Model struct {
	ctx     context.Context
	source  Source
	actor   Actor
	spawn   func(func())
	wait    func(time.Duration)
	look    func(context.Context, string) (operator.Problem, bool, error)
	cluster string
	// namespace is shown first.
	namespace string
	readOnly  bool
	ascii     bool
	colored   bool
	dark      bool
	selector  rows.Filter
	theme     view.Theme
	commands  []command

	width, height int
	snapshot      *store.Snapshot
	way           []place
	onWork        bool // the lower table of the first screen has the keyboard
	pools         table[*rows.Pool]
	work          table[*rows.Row]
	members       table[*rows.Row]
	templates     table[*rows.Template]
	overlay       overlay
	toast         toast
	busy          int
	unattended    string // why no operator looks after what is shown, in short
	suspected     operator.Problem
	forwards      []action.Forwarding

	page        *action.Page
	pageErr     error
	pageReading bool
	pageVersion string
	pageAt      time.Time
	scroll      int

	log       *logReader
	logLines  []string
	logErr    error
	logFollow bool
}

// newModel returns the dashboard before its first snapshot.
func newModel(ctx context.Context, o *Options, source Source, actor Actor) *Model {
	m := &Model{
		ctx: ctx, source: source, actor: actor, cluster: o.Cluster, readOnly: o.ReadOnly,
		ascii: o.ASCII, colored: o.Color, look: o.looker(), namespace: o.Namespace, dark: true, selector: o.selector, way: []place{{screen: screenHome}},
		spawn: o.guard.run, wait: func(d time.Duration) { <-o.Clock.After(d) },
	}
	m.restyle()
	m.commands = commands()
	m.pools = table[*rows.Pool]{
		title: "POOLS", columns: poolColumns, cells: m.poolCells, sort: rows.SortPools, orders: rows.PoolOrders(), order: rows.OrderTrouble,
	}
	m.work = table[*rows.Row]{
		title: "CLAIMS", columns: rowColumns, cells: m.rowCells, sort: rows.SortRows, orders: rows.RowOrders(), order: rows.OrderTrouble,
	}
	m.members = table[*rows.Row]{
		title: "MEMBERS", columns: memberColumns, cells: m.memberCells, sort: rows.SortRows, orders: rows.RowOrders(), order: rows.OrderTrouble,
	}
	m.templates = table[*rows.Template]{
		title: "TEMPLATES", columns: templateColumns, cells: m.templateCells, sort: rows.SortTemplates, orders: rows.TemplateOrders(),
		order: rows.OrderName,
	}
	return m
}

func (m *Model) restyle() { m.theme = view.NewTheme(m.dark, m.colored, m.ascii) }

// now is the time of the snapshot: everything in a frame is of one time.
func (m *Model) now() time.Time {
	if m.snapshot == nil {
		return time.Time{}
	}
	return m.snapshot.At
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.nextSnapshot(), tea.RequestBackgroundColor, m.attend(0))
}

// here is where the user is.
func (m *Model) here() place { return m.way[len(m.way)-1] }

// enter goes one step further.
func (m *Model) enter(p place) {
	m.way = append(slices.Clip(m.way), p)
	m.scroll = 0
}

// pane is the table that has the keyboard, nil where there is none.
func (m *Model) pane() pane {
	switch m.here().screen {
	case screenHome:
		if m.onWork {
			return &m.work
		}
		return &m.pools
	case screenMembers:
		return &m.members
	case screenTemplates:
		return &m.templates
	default:
		return nil
	}
}

// targets are the objects that an action is for: the marked ones, or the one under the cursor, or the one that is shown.
func (m *Model) targets() []action.Target {
	switch at := m.here(); at.screen {
	case screenTemplates:
		return targetsOf(m.templates.chosen(), func(t *rows.Template) action.Target {
			return action.Target{Kind: resolve.KindTemplate, Namespace: t.Namespace, Name: t.Name, UID: t.UID}
		})
	case screenMembers:
		return targetsOf(m.members.chosen(), targetOfRow)
	case screenHome:
		if m.onWork {
			return targetsOf(m.work.chosen(), targetOfRow)
		}
		return targetsOf(m.pools.chosen(), targetOfPool)
	default:
		return []action.Target{at.target}
	}
}

func targetsOf[T any](items []T, target func(T) action.Target) []action.Target {
	all := make([]action.Target, 0, len(items))
	for _, item := range items {
		all = append(all, target(item))
	}
	return all
}

func targetOfRow(r *rows.Row) action.Target {
	return action.Target{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, UID: r.UID}
}

func targetOfPool(p *rows.Pool) action.Target {
	return action.Target{Kind: resolve.KindPool, Namespace: p.Namespace, Name: p.Name, UID: p.UID}
}

// row finds the row of a target in the snapshot.
func (m *Model) row(t action.Target) *rows.Row {
	if m.snapshot == nil {
		return nil
	}
	for _, r := range m.snapshot.Work {
		if r.UID == t.UID {
			return r
		}
	}
	for _, members := range m.snapshot.Members {
		for _, r := range members {
			if r.UID == t.UID {
				return r
			}
		}
	}
	return nil
}

func (m *Model) say(text string, bad bool) {
	m.toast = toast{text: text, bad: bad, until: m.now().Add(toastTime(bad))}
}

// read lets a message go soon, because the user goes on.
func (t *toast) read(now time.Time) {
	if soon := now.Add(time.Second); t.until.After(soon) {
		t.until = soon
	}
}

// toastTime: what went wrong takes longer to read.
func toastTime(bad bool) time.Duration {
	if bad {
		return 12 * time.Second
	}
	return 5 * time.Second
}
