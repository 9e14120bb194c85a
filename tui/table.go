// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// table is a list of objects with a cursor. The cursor and the marks follow objects, not lines.
type table[T rows.Item] struct {
	title   string
	columns func(wide bool) []view.Column
	cells   func(T) []view.Cell
	// texts returns the texts of the columns that grow, from left to right, without the namespace.
	texts  func(T) [growing]string
	sort   func([]T, rows.Order, bool)
	orders []rows.Order

	// all are all objects, items those that match the filter, sorted.
	all     []T
	items   []T
	index   int
	offset  int
	cursor  types.UID
	marks   map[types.UID]struct{}
	filter  rows.Filter
	order   rows.Order
	reverse bool
	// widest are the widths of the widest texts, widestNamespace that of the widest namespace.
	widest          [growing]int
	widestNamespace int
}

// growing is the largest number of columns of a table that grow.
const growing = 4

// pane is a table of any type of object.
type pane interface {
	move(by int)
	moveTo(index int)
	size() (shown, all int)
	position() (index, offset int)
	scrollToCursor(height int)
	mark()
	markAll()
	unmark() bool
	marked() int
	setFilter(rows.Filter)
	currentFilter() rows.Filter
	sorting() (orders []rows.Order, now rows.Order, reverse bool)
	setOrder(rows.Order, bool)
	refilter()
	draw(theme *view.Theme, width, height int, focused, wide bool) []string
}

// setObjects replaces the objects of the table and drops marks of objects that are gone.
func (t *table[T]) setObjects(all []T, selector rows.Filter) {
	t.all = rows.Select(all, selector)
	t.refilter()
	if len(t.marks) == 0 {
		return
	}
	alive := make(map[types.UID]struct{}, len(t.marks))
	for _, item := range t.all {
		if _, has := t.marks[item.ID()]; has {
			alive[item.ID()] = struct{}{}
		}
	}
	t.marks = alive
}

// refilter filters and sorts the objects, and moves the cursor with its object.
func (t *table[T]) refilter() {
	t.items = rows.Select(t.all, t.filter)
	t.sort(t.items, t.order, t.reverse)
	t.measure()
	for i, item := range t.items {
		if item.ID() == t.cursor {
			t.index = i
			return
		}
	}
	t.moveTo(t.index) // the object is gone: the cursor stays on its line
}

// measure finds the widest texts of the columns that grow.
func (t *table[T]) measure() {
	t.widest, t.widestNamespace = [growing]int{}, 0
	for _, item := range t.items {
		for i, text := range t.texts(item) {
			t.widest[i] = wider(t.widest[i], text)
		}
		t.widestNamespace = wider(t.widestNamespace, namespaceOf(item))
	}
}

// wider returns the larger one of a width and that of a text.
func wider(width int, text string) int {
	if len(text) <= width { // no text takes more cells than bytes
		return width
	}
	return max(width, view.Width(text))
}

// fitColumns tells the columns that grow how wide their texts are.
func (t *table[T]) fitColumns(columns []view.Column, wide bool) {
	next := 0
	for i := range columns {
		switch {
		case columns[i].Grow == 0:
		case wide && i == 1:
			columns[i].Content = t.widestNamespace
		default:
			columns[i].Content = t.widest[next]
			next++
		}
	}
}

func (t *table[T]) moveTo(index int) {
	t.index = max(0, min(index, len(t.items)-1))
	t.cursor = ""
	if len(t.items) > 0 {
		t.cursor = t.items[t.index].ID()
	}
}

func (t *table[T]) move(by int)                   { t.moveTo(t.index + by) }
func (t *table[T]) size() (shown, all int)        { return len(t.items), len(t.all) }
func (t *table[T]) position() (index, offset int) { return t.index, t.offset }
func (t *table[T]) marked() int                   { return len(t.marks) }
func (t *table[T]) currentFilter() rows.Filter    { return t.filter }

func (t *table[T]) sorting() (orders []rows.Order, now rows.Order, reverse bool) {
	return t.orders, t.order, t.reverse
}

func (t *table[T]) setFilter(f rows.Filter) {
	t.filter = f
	t.refilter()
}

func (t *table[T]) setOrder(o rows.Order, reverse bool) {
	t.order, t.reverse = o, reverse
	t.refilter()
}

// scrollToCursor scrolls so that the cursor is within the given number of lines.
func (t *table[T]) scrollToCursor(height int) {
	height = max(1, height)
	t.offset = max(0, min(t.offset, len(t.items)-height))
	t.offset = min(t.offset, t.index)
	if t.index >= t.offset+height {
		t.offset = t.index - height + 1
	}
}

func (t *table[T]) current() (item T, has bool) {
	if len(t.items) == 0 {
		return item, false
	}
	return t.items[t.index], true
}

// mark toggles the mark of the current object and moves to the next one.
func (t *table[T]) mark() {
	item, has := t.current()
	if !has {
		return
	}
	if t.marks == nil {
		t.marks = map[types.UID]struct{}{}
	}
	if _, marked := t.marks[item.ID()]; marked {
		delete(t.marks, item.ID())
	} else {
		t.marks[item.ID()] = struct{}{}
	}
	t.move(1)
}

// markAll marks all objects that match the filter.
func (t *table[T]) markAll() {
	t.marks = make(map[types.UID]struct{}, len(t.items))
	for _, item := range t.items {
		t.marks[item.ID()] = struct{}{}
	}
}

func (t *table[T]) unmark() bool {
	had := len(t.marks) > 0
	t.marks = nil
	return had
}

// selection returns the visible marked objects or, if there are none, the object under the cursor.
func (t *table[T]) selection() []T {
	var all []T
	for _, item := range t.items {
		if _, marked := t.marks[item.ID()]; marked {
			all = append(all, item)
		}
	}
	if len(all) > 0 {
		return all
	}
	if item, has := t.current(); has {
		return []T{item}
	}
	return nil
}

// draw returns the header and the rows, padded to exactly the given height.
func (t *table[T]) draw(theme *view.Theme, width, height int, focused, wide bool) []string {
	columns := t.columns(wide)
	t.fitColumns(columns, wide)
	columns[0].Title = t.heading()
	lines := []string{theme.Header(columns, width, focused)}
	for i := t.offset; i < len(t.items) && len(lines) < height; i++ {
		item := t.items[i]
		_, marked := t.marks[item.ID()]
		cells := t.cells(item)
		if wide {
			cells = append([]view.Cell{{Text: namespaceOf(item), Tone: view.Dim}}, cells...)
			cells[0], cells[1] = cells[1], cells[0]
		}
		lines = append(lines, theme.Row(columns, view.Line{Cells: cells, Selected: i == t.index, Marked: marked}, width,
			focused))
	}
	if len(t.items) == 0 && len(t.all) > 0 && len(lines) < height {
		lines = append(lines, theme.Paint(view.Dim, theme.Fit("   nothing matches the filter", width, false)))
	}
	for len(lines) < height {
		lines = append(lines, theme.Fit("", width, false))
	}
	return lines
}

func namespaceOf(item any) string {
	switch o := item.(type) {
	case *rows.Row:
		return o.Namespace
	case *rows.Pool:
		return o.Namespace
	case *rows.Template:
		return o.Namespace
	}
	return ""
}
