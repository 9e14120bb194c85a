// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package factory

import (
	"io"
	"sync"
)

// heldProgress holds the progress of a wait until it is known whether an operator works, so that a warning about that
// comes first. Of what it held it reports the latest.
type heldProgress struct {
	mu       sync.Mutex
	report   func(string) // may be nil
	released bool
	held     string
}

// update reports an obstacle, now or when the progress is released.
func (p *heldProgress) update(obstacle string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.report == nil:
	case p.released:
		p.report(obstacle)
	default:
		p.held = obstacle
	}
}

// release reports what was held, and from now on everything.
func (p *heldProgress) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = true
	if p.held != "" {
		p.report(p.held)
		p.held = ""
	}
}

// heldWarning is the output of a warning that shares it with the progress.
type heldWarning struct {
	progress *heldProgress
	out      io.Writer
}

// Write implements io.Writer.
func (w heldWarning) Write(p []byte) (int, error) {
	w.progress.mu.Lock()
	defer w.progress.mu.Unlock()
	return w.out.Write(p)
}
