// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// entry is a sandbox that the session may reach.
type entry struct {
	ref resolve.Ref
	// own reports that the session created it.
	own  bool
	from string // what it was created from

	mu   sync.Mutex
	box  *sdk.Sandbox // nil until a sandbox of the user is attached
	ends time.Time    // of an own one
}

// shutdown returns when the cluster deletes the sandbox; the zero time for one of the user.
func (e *entry) shutdown() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ends
}

func (e *entry) setShutdown(end time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ends = end
}

// disconnect releases the handle, so that the end of the session does not delete the sandbox.
func (e *entry) disconnect() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.box != nil {
		e.box.Disconnect()
	}
}

// table has the sandboxes that the session may reach.
type table struct {
	max int

	mu      sync.Mutex
	entries map[string]*entry
	pending int // creations that have a place but no name yet
}

func newTable(limit int, use map[string]resolve.Ref) *table {
	t := &table{max: limit, entries: map[string]*entry{}}
	for name, ref := range use {
		t.entries[name] = &entry{ref: ref}
	}
	return t
}

// find returns the entry of that name, or the only one if the name is empty.
func (t *table) find(name string) (*entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if found := t.entries[name]; found != nil {
		return found, nil
	}
	switch names := slices.Sorted(maps.Keys(t.entries)); {
	case len(names) == 0:
		return nil, errors.New("this session has no sandbox: create one with create_sandbox")
	case name != "":
		return nil, fmt.Errorf("this session has no sandbox %s; it has: %s", quote(name), strings.Join(names, ", "))
	case len(names) > 1:
		return nil, fmt.Errorf("say which sandbox: this session has %s", strings.Join(names, ", "))
	default:
		return t.entries[names[0]], nil
	}
}

// named is find for a name that must be given.
func (t *table) named(name string) (*entry, error) {
	if name == "" {
		return nil, errors.New("the name of the sandbox is missing")
	}
	return t.find(name)
}

// all returns the entries, sorted by name.
func (t *table) all() []*entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*entry
	for _, name := range slices.Sorted(maps.Keys(t.entries)) {
		all = append(all, t.entries[name])
	}
	return all
}

// reserve takes a place for a sandbox that is about to be created. If all are taken, it drops the entries of sandboxes
// that are gone, for instance because their time was over.
func (t *table) reserve(ctx context.Context, client *sdk.Client, name string) error {
	if t.reserveFree() {
		return t.checkName(name)
	}
	before, active := t.all(), client.Active(ctx)
	for _, e := range before {
		if e.own && !slices.Contains(active, e.box) {
			t.remove(e)
		}
	}
	if !t.reserveFree() {
		return fmt.Errorf("this session may have %d sandboxes at once, and has them: delete one first", t.max)
	}
	return t.checkName(name)
}

func (t *table) reserveFree() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.pending
	for _, e := range t.entries {
		if e.own {
			own++
		}
	}
	if own >= t.max {
		return false
	}
	t.pending++
	return true
}

// checkName gives the place back if the name is taken.
func (t *table) checkName(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries[name] == nil {
		return nil
	}
	t.pending--
	return fmt.Errorf("this session already has a sandbox %s: use it, or choose another name", quote(name))
}

// release gives a place back.
func (t *table) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending--
}

// add makes a place the entry of a sandbox.
func (t *table) add(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending--
	t.entries[e.ref.Name] = e
}

func (t *table) remove(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries[e.ref.Name] == e {
		delete(t.entries, e.ref.Name)
	}
}

// maxQuoted is how much of a wrong argument an error repeats.
const maxQuoted = 100

// quote returns an argument for an error message.
func quote(argument string) string {
	if len(argument) > maxQuoted {
		argument = argument[:maxQuoted] + "..."
	}
	return fmt.Sprintf("%q", printable.Line(argument))
}
