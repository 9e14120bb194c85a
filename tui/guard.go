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

// panicError is a panic in a goroutine of the dashboard.
type panicError struct {
	Value any
	Stack []byte
}

// Error implements error.
func (e *panicError) Error() string {
	return fmt.Sprintf("the dashboard crashed: %v\n\n%s", e.Value, e.Stack)
}

// guard starts goroutines. A panic in one of them ends the dashboard regularly, so that the terminal is restored; Run
// then returns it as an error.
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

// wait waits until all goroutines have ended, but at most shutdownTimeout: a reflector whose API server refuses
// connections finishes its backoff before it notices that its context has ended.
func (g *guard) wait(c clock.Clock) {
	ended := make(chan struct{})
	go func() {
		g.wg.Wait()
		close(ended)
	}()
	late := c.NewTimer(shutdownTimeout)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C():
	}
}

// shutdownTimeout is how long goroutines may take to end when the user quits.
const shutdownTimeout = 200 * time.Millisecond

// recover turns a panic into the cause of the context's end. It has to be deferred.
func (g *guard) recover() {
	if value := recover(); value != nil {
		g.cancel(&panicError{Value: value, Stack: debug.Stack()})
	}
}

// guarded wraps the model's commands to catch their panics. Bubble Tea runs them in its own goroutines and would print
// a panic before it restores the terminal.
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
