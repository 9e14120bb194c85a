// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"
	"math"
	"slices"
)

// Widths distributes the width over the columns; a column of width 0 is hidden.
func Widths(columns []Column, width int) []int {
	widths, used := make([]int, len(columns)), gutter-1
	for i := range columns {
		widths[i] = columns[i].usual(width)
		used += widths[i] + 1
	}
	for used > width {
		i := first(columns, widths)
		if i < 0 {
			break
		}
		if spare := columns[i].spare(widths[i]); spare > 0 {
			spare = min(spare, used-width)
			widths[i], used = widths[i]-spare, used-spare
			continue
		}
		widths[i], used = 0, used-widths[i]-1
	}
	grow(columns, widths, show(columns, widths, width-used, width))
	return widths
}

// show shows hidden columns again for which the rest of the width suffices, the lowest rank first, and returns what
// then remains.
func show(columns []Column, widths []int, rest, table int) int {
	order := make([]int, 0, len(columns))
	for i := range columns {
		if widths[i] == 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(columns[a].Rank, columns[b].Rank) })
	for _, i := range order {
		usual := columns[i].usual(table)
		if needs := usual - columns[i].spare(usual); needs > 0 && needs+1 <= rest {
			widths[i] = min(usual, rest-1)
			rest -= widths[i] + 1
		}
	}
	return rest
}

// usual returns the width of the column if there is room for all columns of the table.
func (c *Column) usual(table int) int {
	switch {
	case c.Content == 0:
		return c.Width
	case c.Whole:
		return max(c.Width, min(c.Content, table/2))
	default:
		return min(c.Width, max(c.Content, Width(c.Title)))
	}
}

// spare returns by how much a column of the given width can shrink.
func (c *Column) spare(width int) int {
	if c.MinWidth == 0 {
		return 0
	}
	return max(0, width-c.MinWidth)
}

// first returns the visible column that shrinks or is hidden first, or -1.
func first(columns []Column, widths []int) int {
	worst, highest := -1, 0
	for i := range columns {
		c := &columns[i]
		rank := c.Rank
		if c.ShrinkRank > 0 && c.spare(widths[i]) > 0 {
			rank = c.ShrinkRank
		}
		if widths[i] > 0 && rank > highest {
			worst, highest = i, rank
		}
	}
	return worst
}

// grow shares the rest of the width among the visible columns whose texts need more.
func grow(columns []Column, widths []int, rest int) {
	for rest > 0 {
		shares := 0
		for i := range columns {
			if widths[i] > 0 && widths[i] < columns[i].limit() {
				shares += columns[i].Grow
			}
		}
		if shares == 0 {
			return
		}
		for i := range columns {
			limit := columns[i].limit()
			if widths[i] == 0 || widths[i] >= limit || columns[i].Grow == 0 {
				continue
			}
			more := min(rest*columns[i].Grow/shares, limit-widths[i])
			shares -= columns[i].Grow
			widths[i], rest = widths[i]+more, rest-more
		}
	}
}

// limit returns the width beyond which the column does not grow.
func (c *Column) limit() int {
	switch {
	case c.Grow == 0:
		return 0
	case c.Content == 0:
		return math.MaxInt
	}
	return c.Content
}
