// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import "sync"

// errorGroup runs functions in parallel, up to parallelFiles, and keeps the first error. Unlike errgroup.Group it can
// be asked for the error before all have ended.
type errorGroup struct {
	all   sync.WaitGroup
	turns chan struct{}
	mu    sync.Mutex
	err   error
}

func (g *errorGroup) run(do func() error) {
	if g.turns == nil {
		g.turns = make(chan struct{}, parallelFiles)
	}
	g.turns <- struct{}{}
	g.all.Go(func() {
		defer func() { <-g.turns }()
		if err := do(); err != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.err == nil {
				g.err = err
			}
		}
	})
}

func (g *errorGroup) failed() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

func (g *errorGroup) wait() error {
	g.all.Wait()
	return g.failed()
}
