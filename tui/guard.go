// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/utils/clock"
)

// PanicError is a panic of some goroutine of the dashboard.
type PanicError struct {
	Value any
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string {
	return fmt.Sprintf("the dashboard has a fault: %v\n\n%s", e.Value, e.Stack)
}

// guard starts goroutines. A panic in one ends the dashboard in good order, so that the terminal is restored, and is told
// afterwards.
type guard struct {
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

// run starts a goroutine.
func (g *guard) run(f func()) {
	g.wg.Go(func() {
		defer g.recover()
		f()
	})
}

// wait waits until all have ended, but not for long: what reads from an API server that refuses connections sleeps on after its
// context has ended, up to its longest pause, and the user has left.
func (g *guard) wait(c clock.Clock) {
	ended := make(chan struct{})
	go func() {
		g.wg.Wait()
		close(ended)
	}()
	late := c.NewTimer(farewell)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C():
	}
}

// farewell is how long goroutines have to end when the user leaves.
const farewell = 200 * time.Millisecond

// recover is deferred by whoever may panic.
func (g *guard) recover() {
	if value := recover(); value != nil {
		g.cancel(&PanicError{Value: value, Stack: debug.Stack()})
	}
}

// guarded is the model, with commands whose panics are looked after: they run in goroutines of the framework, which would
// write about a panic before it restores the terminal.
type guarded struct {
	*Model
	guard *guard
}

// Init implements tea.Model.
func (g guarded) Init() tea.Cmd { return g.watch(g.Model.Init()) }

// Update implements tea.Model.
func (g guarded) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := g.Model.Update(msg)
	return g, g.watch(cmd)
}

func (g guarded) watch(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		defer g.guard.recover()
		msg := cmd()
		if batch, is := msg.(tea.BatchMsg); is {
			for i := range batch {
				batch[i] = g.watch(batch[i])
			}
		}
		return msg
	}
}
