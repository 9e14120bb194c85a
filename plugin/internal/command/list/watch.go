// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package list

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// How often a watched list is read again: at most, however much changes, and at least, for what no watch tells.
const (
	atMost  = 500 * time.Millisecond
	atLeast = 5 * time.Second
)

// gone is the state of an object that is in the list no more.
const gone = "Deleted"

// statusColumn is the column that says the state.
const statusColumn = 2

// watch prints the items, and then those that change. It ends with the context.
func (l *lister) watch(
	ctx context.Context, clock clock.WithTicker, items []printing.Item, targets []*resolve.Target,
) error {
	follow := l.access.Waiter.Watch(ctx)
	tick := clock.NewTicker(atLeast)
	defer tick.Stop()
	if err := l.options.printing.Stream(items, columns(), l.options.AllNamespaces, l.streams.Out); err != nil {
		return err
	}
	seen := statesOf(items)
	complained := ""
	for {
		if len(l.options.refs) > 0 {
			for _, target := range targets {
				follow.AddTarget(target)
			}
		} else {
			follow.AddNamespace(l.namespace, l.options.Selector)
		}
		if err := l.pause(ctx, clock, follow.Changed(), tick.C()); err != nil {
			return err
		}
		now, found, err := l.list(ctx)
		if ctx.Err() != nil {
			return &cli.ExitError{Code: cli.ExitInterrupted}
		}
		if err != nil && (len(l.options.refs) == 0 || !resolve.Is(err, resolve.NotFound)) {
			if complained != err.Error() {
				complained = err.Error()
				_, _ = printable.Fprintf(l.streams.ErrOut, "Trying again: %s\n", printable.Line(complained)) // a remark
			}
			continue
		}
		complained, targets = "", found
		changed, states := changes(seen, now)
		seen = states
		if err := l.options.printing.StreamMore(changed, columns(), l.options.AllNamespaces, l.streams.Out); err != nil {
			return err
		}
	}
}

// pause waits for a change, and a little longer for those that come with it. It returns an error when the context ends.
func (l *lister) pause(
	ctx context.Context, clock clock.WithTicker, changed <-chan struct{}, tick <-chan time.Time,
) error {
	select {
	case <-ctx.Done():
		return &cli.ExitError{Code: cli.ExitInterrupted}
	case <-changed:
	case <-tick:
		return nil
	}
	timer := clock.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return &cli.ExitError{Code: cli.ExitInterrupted}
	case <-timer.C():
		return nil
	}
}

// state is what makes a row worth printing again: not that time goes by.
type state struct {
	version string
	status  string
	item    printing.Item
}

func statesOf(items []printing.Item) map[types.UID]state {
	states := make(map[types.UID]state, len(items))
	for i := range items {
		object := items[i].Object()
		states[object.GetUID()] = state{version: object.GetResourceVersion(), status: statusOf(&items[i]), item: items[i]}
	}
	return states
}

func statusOf(item *printing.Item) string {
	if painted, ok := item.Cells()[statusColumn].(printing.ColoredCell); ok {
		return painted.Text
	}
	return ""
}

// changes are the items that are new or other than before, and those that are gone, in the order of their names.
func changes(before map[types.UID]state, now []printing.Item) (changed []printing.Item, states map[types.UID]state) {
	states = statesOf(now)
	for i := range now {
		uid := now[i].Object().GetUID()
		if old, known := before[uid]; !known || old.version != states[uid].version || old.status != states[uid].status {
			changed = append(changed, now[i])
		}
	}
	var lost []printing.Item
	for uid, old := range before {
		if _, still := states[uid]; !still {
			cells := slices.Clone(old.item.Cells())
			cells[statusColumn] = gone
			lost = append(lost, old.item.WithCells(cells))
		}
	}
	slices.SortFunc(lost, printing.Compare)
	return append(changed, lost...), states
}
