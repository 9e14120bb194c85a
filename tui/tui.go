// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tui is the dashboard of pools, claims and Sandboxes.
//
// Invariants:
//   - there is one tea.Model; Update decides and never waits, View only reads;
//   - a frame shows exactly one snapshot;
//   - every terminal size renders, and no line is longer than the terminal is wide;
//   - the dashboard never exits by itself: a failed read is shown and retried;
//   - however the dashboard ends, even by a panic in any goroutine, the terminal is restored.
package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/restore"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
)

// Options are what the dashboard needs.
type Options struct {
	Sandboxes  versioned.Interface
	Kubernetes kubernetes.Interface
	// Dynamic, if set, reads what sandboxes use, where metrics are served.
	Dynamic dynamic.Interface
	Network stream.Network
	Clock   clock.WithTicker
	// Cluster is the name of the cluster in the title.
	Cluster string
	// Namespace is the namespace to show, empty for all. Home is the namespace of the user's context.
	Namespace, Home string
	// Selector is a label selector that everything shown must match.
	Selector string
	ReadOnly bool
	// ASCII restricts the output to ASCII; Color permits colours.
	ASCII, Color bool
	// RestoreArgs, if set, are the arguments with which this program calls restore.Wait. TTY is the terminal to restore.
	RestoreArgs []string
	TTY         *os.File
	// Refresh is the minimum time between two frames that events cause, at least store.MinInterval.
	Refresh time.Duration

	selector rows.Filter
	guard    *guard
}

func (o *Options) validate() error {
	selector, err := rows.ParseFilter("-l " + o.Selector)
	o.selector = selector
	return err
}

func (o *Options) store() *store.Store {
	return store.New(store.Options{
		Sandboxes: o.Sandboxes, Kubernetes: o.Kubernetes, Dynamic: o.Dynamic, Clock: o.Clock, Namespace: o.Namespace,
		Home: o.Home, Interval: o.Refresh, Go: o.guard.run,
	})
}

// Run shows the dashboard on the terminal until the user quits or the context ends, which is not an error.
func Run(ctx context.Context, o Options) error {
	if err := o.validate(); err != nil {
		return err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o.guard = &guard{cancel: cancel}
	if len(o.RestoreArgs) > 0 {
		end, err := restore.Watch(o.TTY, o.RestoreArgs...)
		if err != nil {
			return err
		}
		defer end()
	}
	feed := o.store()
	actor := action.New(action.Options{
		Sandboxes: o.Sandboxes, Kubernetes: o.Kubernetes, Network: o.Network, Clock: o.Clock, ReadOnly: o.ReadOnly,
		Go: o.guard.run,
	})
	o.guard.run(func() { feed.Run(inner) })
	options := []tea.ProgramOption{tea.WithContext(inner)}
	if !o.Color {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	model := newModel(inner, &o, feed, actor)
	_, err := tea.NewProgram(guarded{model, o.guard}, options...).Run()
	cancel(nil)
	model.closeLog()
	actor.Close()
	o.guard.wait(o.Clock)
	var fault *panicError
	switch {
	case errors.As(context.Cause(inner), &fault):
		return fault
	case ctx.Err() != nil, errors.Is(err, tea.ErrInterrupted):
		return nil
	}
	return err
}

// onceTimeout is the maximum time for which Once waits for data.
const onceTimeout = 10 * time.Second

// Once writes one frame without colours. It has the given width and as many lines as its content needs. If nothing
// could be read from the API server, Once writes a frame that says so and returns an error.
func Once(ctx context.Context, o Options, out io.Writer, width int) error {
	if err := o.validate(); err != nil {
		return err
	}
	inner, cancel := context.WithCancelCause(ctx)
	o.guard, o.Color = &guard{cancel: cancel}, false
	defer o.guard.wait(o.Clock)
	defer cancel(nil)
	feed := o.store()
	o.guard.run(func() { feed.Run(inner) })
	m := newModel(inner, &o, feed, noActor{})
	late := o.Clock.NewTimer(onceTimeout)
	defer late.Stop()
	for waiting := true; waiting; {
		select {
		case s := <-feed.Snapshots():
			m.receive(s)
			waiting = s.Health.Loading() || !s.UsageRead || !s.CausesRead ||
				(s.Health.Disconnected() != nil && m.unavailable() != nil)
		case <-late.C():
			waiting = false
		case <-inner.Done():
			return context.Cause(inner)
		}
	}
	if cmd := m.checkOperator(0); cmd != nil && m.unavailable() == nil {
		if found, ok := cmd().(operatorMsg); ok {
			m.handleOperatorCheck(found)
		}
	}
	for _, line := range m.plain(width) {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	if s := m.snapshot; s != nil && m.unavailable() != nil {
		if down := s.Health.Disconnected(); down != nil {
			return fmt.Errorf("cannot reach the API server: %s", down.Message)
		}
	}
	return nil
}

// plain returns a frame as high as its content, without hints and cursor.
func (m *Model) plain(width int) []string {
	m.width, m.height = max(width, minWidth), minHeight
	if message := m.unavailable(); message != nil {
		return append([]string{m.title()}, message...)
	}
	lines := []string{m.title(), ""}
	wide := m.snapshot.Namespace == ""
	m.pools.index, m.claims.index = -1, -1 // no cursor
	lines = append(lines, m.withEmptyMessage(m.pools.draw(&m.theme, m.width, max(2, len(m.pools.items)+1), false, wide),
		len(m.pools.all), m.emptyPools())...)
	lines = append(lines, "")
	lines = append(lines, m.withEmptyMessage(m.claims.draw(&m.theme, m.width, max(2, len(m.claims.items)+1), false, wide),
		len(m.claims.all), m.emptyClaims())...)
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return lines
}

// noActor is an Actor that does nothing, for Once.
type noActor struct{}

func (noActor) Dispatch(context.Context, action.Request) action.Result { return action.Result{} }
func (noActor) Forwards() []action.Forwarding                          { return nil }
