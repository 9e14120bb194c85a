// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tui is the dashboard of pools, claims and Sandboxes.
//
// Invariants:
//   - there is one tea.Model; Update decides and never waits, View only reads;
//   - a frame shows one snapshot: nothing in it is of another time;
//   - every size renders, and no line is longer than the terminal is wide;
//   - it never ends by itself: what cannot be read is shown as such and tried again;
//   - however it ends, a panic in any goroutine included, the terminal is as it was before.
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
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/tui/action"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rescue"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
	"github.com/agent-sandbox/kubectl-sandbox/tui/store"
)

// Options are what the dashboard needs.
type Options struct {
	Sandboxes  versioned.Interface
	Kubernetes kubernetes.Interface
	Network    stream.Network
	Clock      clock.WithTicker
	// Cluster is how the cluster is called in the title.
	Cluster string
	// Namespace to show, empty for all; Home is the user's own.
	Namespace, Home string
	// Selector is a label selector that everything shown must match.
	Selector string
	ReadOnly bool
	// ASCII keeps to characters that every terminal has; Color allows colours.
	ASCII, Color bool
	// Rescue, if set, are the arguments that lead this program to rescue.Wait, and TTY is the terminal that it watches.
	Rescue []string
	TTY    *os.File
	// Refresh is the least time between two frames that events cause; less than store.Fastest means that.
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
		Sandboxes: o.Sandboxes, Kubernetes: o.Kubernetes, Clock: o.Clock, Namespace: o.Namespace, Home: o.Home,
		Interval: o.Refresh, Go: o.guard.run,
	})
}

// Run shows the dashboard on the terminal until the user leaves it or the context ends, which is no error.
func Run(ctx context.Context, o Options) error {
	if err := o.validate(); err != nil {
		return err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o.guard = &guard{cancel: cancel}
	if len(o.Rescue) > 0 {
		end, err := rescue.Watch(o.TTY, o.Rescue...)
		if err != nil {
			return err
		}
		defer end()
	}
	feed := o.store()
	actor := action.New(action.Options{
		Sandboxes: o.Sandboxes, Kubernetes: o.Kubernetes, Network: o.Network, Clock: o.Clock, ReadOnly: o.ReadOnly, Go: o.guard.run,
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
	var fault *PanicError
	switch {
	case errors.As(context.Cause(inner), &fault):
		return fault
	case ctx.Err() != nil, errors.Is(err, tea.ErrInterrupted):
		return nil
	}
	return err
}

// patience is how long Once waits for what cannot be read.
const patience = 10 * time.Second

// Once writes one frame without colours, as wide as is asked for and as high as there is something to show. That nothing could
// be read from the API server is an error, after the frame that says so.
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
	m := newModel(inner, &o, feed, idle{})
	late := o.Clock.NewTimer(patience)
	defer late.Stop()
	for waiting := true; waiting; {
		select {
		case s := <-feed.Snapshots():
			m.receive(s)
			waiting = s.Health.Loading() || (s.Health.Disconnected() != nil && m.blocked() != nil)
		case <-late.C():
			waiting = false
		case <-inner.Done():
			return context.Cause(inner)
		}
	}
	if cmd := m.attend(0); cmd != nil && m.blocked() == nil {
		if found, ok := cmd().(attendedMsg); ok {
			m.attended(found)
		}
	}
	for _, line := range m.plain(width) {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	if s := m.snapshot; s != nil && m.blocked() != nil {
		if down := s.Health.Disconnected(); down != nil {
			return fmt.Errorf("the API server cannot be read: %s", down.Message)
		}
	}
	return nil
}

// plain is a frame that is as high as its contents, without hints and a cursor.
func (m *Model) plain(width int) []string {
	m.width, m.height = max(width, leastWidth), leastHeight
	if message := m.blocked(); message != nil {
		return append([]string{m.title()}, message...)
	}
	lines := []string{m.title(), ""}
	wide := m.snapshot.Namespace == ""
	m.pools.index, m.work.index = -1, -1 // no cursor
	lines = append(lines, m.orNothing(m.pools.draw(&m.theme, m.width, max(2, len(m.pools.items)+1), false, wide), len(m.pools.all), m.emptyPools())...)
	lines = append(lines, "")
	lines = append(lines, m.orNothing(m.work.draw(&m.theme, m.width, max(2, len(m.work.items)+1), false, wide), len(m.work.all), m.emptyWork())...)
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return lines
}

// idle is an Actor that does nothing, for a frame that nobody can act on.
type idle struct{}

func (idle) Dispatch(context.Context, action.Request) action.Result { return action.Result{} }
func (idle) Forwards() []action.Forwarding                          { return nil }
