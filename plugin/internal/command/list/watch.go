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

const (
	// batchDelay is how long to wait after a change before listing again, so that one listing covers several changes.
	batchDelay = 500 * time.Millisecond
	// resyncPeriod is how often to list again without a change: no watch reports every change of a state.
	resyncPeriod = 5 * time.Second
)

// gone is the status of an object that is no longer in the list.
const gone = "Deleted"

// statusColumn is the index of the STATUS column.
const statusColumn = 2

// watch prints the items, then those that change. It returns when the context ends or the output cannot be written.
func (l *lister) watch(
	ctx context.Context, clock clock.WithTicker, items []printing.Item, targets []*resolve.Target,
) error {
	follow := l.access.Waiter.Watch(ctx)
	tick := clock.NewTicker(resyncPeriod)
	defer tick.Stop()
	if err := l.options.printing.Stream(items, columns(), l.options.AllNamespaces, l.streams.Out); err != nil {
		return err
	}
	seen := statesOf(items)
	lastError := ""
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
			if lastError != err.Error() {
				lastError = err.Error()
				_, _ = printable.Fprintf(l.streams.ErrOut, "Retrying: %s\n", printable.Line(lastError)) // best effort
			}
			continue
		}
		lastError, targets = "", found
		changed, states := changes(seen, now)
		seen = states
		if err := l.options.printing.StreamMore(changed, columns(), l.options.AllNamespaces, l.streams.Out); err != nil {
			return err
		}
	}
}

// pause waits for a tick, or for a change and then batchDelay. It returns an error when the context ends.
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
	timer := clock.NewTimer(batchDelay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return &cli.ExitError{Code: cli.ExitInterrupted}
	case <-timer.C():
		return nil
	}
}

// state is what decides whether a row is printed again. The age of an object is not part of it.
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

// changes returns the items that are new or changed, then those that are gone, sorted; and the states of now.
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
