// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"cmp"
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

// Source provides snapshots. store.Store implements it.
type Source interface {
	Snapshots() <-chan *store.Snapshot
	Switch(namespace string)
	Reconnect()
	Namespaces(ctx context.Context) []string
}

// Actor executes the user's requests. action.Dispatcher implements it.
type Actor interface {
	Dispatch(ctx context.Context, r action.Request) action.Result
	Forwards() []action.Forwarding
}

// screen is one of the dashboard's screens.
type screen int

const (
	screenHome screen = iota
	screenMembers
	screenDetail
	screenYAML
	screenEvents
	screenTemplates
	screenLogs
)

// location is one entry of the stack of screens: a screen and the object that it shows.
type location struct {
	screen screen
	target action.Target
}

// toast is a message that disappears by itself.
type toast struct {
	text  string
	bad   bool
	until time.Time
}

// Model is the state of the dashboard. Only Update changes it; View only reads it.
type Model struct {
	ctx            context.Context
	source         Source
	actor          Actor
	startGoroutine func(func())
	sleep          func(time.Duration)
	findProblem    func(context.Context, string) (operator.Problem, bool, error)
	cluster        string
	// namespace is the namespace that is shown first.
	namespace string
	readOnly  bool
	ascii     bool
	colored   bool
	dark      bool
	selector  rows.Filter
	theme     view.Theme
	commands  []command

	width, height      int
	snapshot           *store.Snapshot
	stack              []location
	claimsFocused      bool // the lower table of the first screen has the focus
	poolClaimsFocused  bool // the lower table of a pool's screen has the focus
	oriented           bool // a complete snapshot has been shown
	pools              table[*rows.Pool]
	claims             table[*rows.Row]
	members            table[*rows.Row] // of the pool that is open
	poolClaims         table[*rows.Row] // its claims
	templates          table[*rows.Template]
	overlay            overlay
	toast              toast
	busy               int
	operatorProblem    string // why no operator manages the shown objects, in short
	unconfirmedProblem operator.Problem
	forwards           []action.Forwarding
	// containers are the containers that the user has chosen.
	containers map[action.Target]string

	page        *action.Page
	pageErr     error
	pageReading bool
	pageVersion string
	pageAt      time.Time
	scroll      int
	search      search

	log       *logReader
	logLines  []logLine
	logText   []string // the lines as they are shown
	logErr    error
	logFollow bool
	logTimes  bool // timestamps are shown
	// logContainer is the container that the log is of, logPrevious says that it is of its previous run.
	logContainer string
	logPrevious  bool
}

// newModel returns the dashboard before its first snapshot.
func newModel(ctx context.Context, o *Options, source Source, actor Actor) *Model {
	m := &Model{
		ctx: ctx, source: source, actor: actor, cluster: o.Cluster, readOnly: o.ReadOnly,
		ascii: o.ASCII, colored: o.Color, findProblem: o.operatorCheck(), namespace: o.Namespace, dark: true,
		selector: o.selector, stack: []location{{screen: screenHome}},
		startGoroutine: o.guard.run, sleep: func(d time.Duration) { <-o.Clock.After(d) },
	}
	m.restyle()
	m.commands = commands()
	m.pools = table[*rows.Pool]{
		title: "POOLS", columns: poolColumns, cells: m.poolCells, texts: m.poolTexts, sort: rows.SortPools,
		orders: rows.PoolOrders(),
		order:  rows.OrderTrouble,
	}
	m.claims = table[*rows.Row]{
		title: "CLAIMS", columns: m.rowColumns, cells: m.rowCells, texts: rowTexts, sort: rows.SortRows,
		orders: rows.RowOrders(),
		order:  rows.OrderTrouble,
	}
	m.resetPoolTables()
	m.templates = table[*rows.Template]{
		title: "TEMPLATES", columns: templateColumns, cells: m.templateCells, texts: m.templateTexts,
		sort:   rows.SortTemplates,
		orders: rows.TemplateOrders(),
		order:  rows.OrderName,
	}
	return m
}

// resetPoolTables makes the tables of a pool's screen empty. They keep their order.
func (m *Model) resetPoolTables() {
	anew := func(before table[*rows.Row], title string, columns func(bool) []view.Column,
		cells func(*rows.Row) []view.Cell) table[*rows.Row] {
		return table[*rows.Row]{
			title: title, columns: columns, cells: cells, texts: rowTexts, sort: rows.SortRows, orders: rows.RowOrders(),
			order: cmp.Or(before.order, rows.OrderTrouble),
		}
	}
	m.members = anew(m.members, "MEMBERS", m.memberColumns, m.memberCells)
	m.poolClaims = anew(m.poolClaims, "CLAIMS", m.rowColumns, m.rowCells)
	m.poolClaimsFocused = false
}

func (m *Model) restyle() { m.theme = view.NewTheme(m.dark, m.colored, m.ascii) }

// now returns the time of the snapshot, so that all ages in a frame refer to the same time.
func (m *Model) now() time.Time {
	if m.snapshot == nil {
		return time.Time{}
	}
	return m.snapshot.At
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.nextSnapshot(), tea.RequestBackgroundColor, m.checkOperator(0))
}

// current returns the top of the stack.
func (m *Model) current() location { return m.stack[len(m.stack)-1] }

// push opens a screen on top of the stack.
func (m *Model) push(p location) {
	m.stack = append(slices.Clip(m.stack), p)
	m.scroll, m.search = 0, search{}
}

// focusedTable returns the table that has the focus, or nil if the screen has none.
func (m *Model) focusedTable() pane {
	switch m.current().screen {
	case screenHome:
		if m.claimsFocused {
			return &m.claims
		}
		return &m.pools
	case screenMembers:
		if m.poolClaimsFocused {
			return &m.poolClaims
		}
		return &m.members
	case screenTemplates:
		return &m.templates
	default:
		return nil
	}
}

// targets returns the objects that an action applies to: the marked ones, else the one under the cursor or the one
// shown.
func (m *Model) targets() []action.Target {
	switch at := m.current(); at.screen {
	case screenTemplates:
		return targetsOf(m.templates.selection(), func(t *rows.Template) action.Target {
			return action.Target{Kind: resolve.KindTemplate, Namespace: t.Namespace, Name: t.Name, UID: t.UID}
		})
	case screenMembers:
		if m.poolClaimsFocused {
			return targetsOf(m.poolClaims.selection(), targetOfRow)
		}
		return targetsOf(m.members.selection(), targetOfRow)
	case screenHome:
		if m.claimsFocused {
			return targetsOf(m.claims.selection(), targetOfRow)
		}
		return targetsOf(m.pools.selection(), targetOfPool)
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

// row returns the row of a target in the snapshot, or nil.
func (m *Model) row(t action.Target) *rows.Row {
	if m.snapshot == nil {
		return nil
	}
	for _, r := range m.snapshot.Claims {
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

func (m *Model) showToast(text string, bad bool) {
	m.toast = toast{text: text, bad: bad, until: m.now().Add(toastDuration(bad))}
}

// expireSoon shortens the remaining time of a message to a second, because the user has moved on.
func (t *toast) expireSoon(now time.Time) {
	if soon := now.Add(time.Second); t.until.After(soon) {
		t.until = soon
	}
}

// toastDuration returns how long a message is shown: errors take longer to read.
func toastDuration(bad bool) time.Duration {
	if bad {
		return 12 * time.Second
	}
	return 5 * time.Second
}
