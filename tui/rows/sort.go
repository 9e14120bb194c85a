// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package rows

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// Order is the sort order of a table.
type Order string

// The orders. OrderTrouble puts objects that need attention first.
const (
	OrderTrouble Order = "trouble"
	OrderName    Order = "name"
	OrderState   Order = "state"
	OrderAge     Order = "age"
	OrderEnds    Order = "ends"
	OrderNode    Order = "node"
	OrderFill    Order = "fill"
)

// RowOrders returns the orders of claims and Sandboxes. The first order of each table is its default.
func RowOrders() []Order {
	return []Order{OrderTrouble, OrderName, OrderState, OrderAge, OrderEnds, OrderNode}
}

// PoolOrders returns the orders of pools.
func PoolOrders() []Order { return []Order{OrderTrouble, OrderName, OrderFill, OrderAge} }

// TemplateOrders returns the orders of templates.
func TemplateOrders() []Order { return []Order{OrderName, OrderAge} }

// urgency ranks states by how urgently they need attention; 0 is the most urgent.
func urgency(v diagnose.Verdict) int {
	switch v {
	case diagnose.Blocked, diagnose.Failed:
		return 0
	case diagnose.Starting:
		return 1
	case diagnose.Suspending, diagnose.Deleting, diagnose.Expired:
		return 2
	case diagnose.Ready:
		return 3
	default:
		return 4
	}
}

// SortRows sorts in place, optionally in reverse. Rows that compare equal are sorted by name.
func SortRows(all []*Row, by Order, reverse bool) {
	sortBy(all, reverse, func(a, b *Row) int {
		switch by {
		case OrderTrouble:
			return cmp.Compare(urgency(a.State), urgency(b.State))
		case OrderState:
			return strings.Compare(string(a.State), string(b.State))
		case OrderAge:
			return b.Created.Compare(a.Created)
		case OrderEnds:
			return ends(a).Compare(ends(b))
		case OrderNode:
			return strings.Compare(a.Node, b.Node)
		default:
			return 0
		}
	})
}

// ends returns the deadline, or a time in the far future for rows without one, which puts them last.
func ends(r *Row) time.Time {
	if !r.Deadline.IsSet() {
		return time.Unix(1<<40, 0)
	}
	return r.Deadline.At()
}

// SortPools sorts in place.
func SortPools(all []*Pool, by Order, reverse bool) {
	sortBy(all, reverse, func(a, b *Pool) int {
		switch by {
		case OrderTrouble:
			return cmp.Compare(poolUrgency(a), poolUrgency(b))
		case OrderFill:
			return cmp.Compare(fill(a), fill(b))
		case OrderAge:
			return b.Created.Compare(a.Created)
		default:
			return 0
		}
	})
}

// poolUrgency ranks pools: empty or broken ones, short ones, full ones, and those whose desired size is 0.
func poolUrgency(p *Pool) int {
	switch {
	case p.Desired == 0:
		return 3
	case p.Ready == 0 || p.Broken:
		return 0
	case p.Ready < p.Desired:
		return 1
	}
	return 2
}

func fill(p *Pool) float64 {
	if p.Desired == 0 {
		return 1
	}
	return float64(p.Ready) / float64(p.Desired)
}

// SortTemplates sorts in place.
func SortTemplates(all []*Template, by Order, reverse bool) {
	sortBy(all, reverse, func(a, b *Template) int {
		if by == OrderAge {
			return b.Created.Compare(a.Created)
		}
		return 0
	})
}

// sortBy sorts by a comparison, then by name; reverse applies to both.
func sortBy[T Item](all []T, reverse bool, compare func(a, b T) int) {
	slices.SortFunc(all, func(a, b T) int {
		c := compare(a, b)
		if c == 0 {
			c = strings.Compare(a.key(), b.key())
		}
		if reverse {
			return -c
		}
		return c
	})
}
