// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import "sync/atomic"

// Progress is the progress of a copy in bytes. It may be read concurrently.
type Progress struct{ done, total atomic.Int64 }

// Done returns how much was copied, including what an earlier copy has left.
func (p *Progress) Done() int64 { return p.done.Load() }

// Total returns how much there is to copy: 0 if that is unknown, and an estimate for a directory of the sandbox.
func (p *Progress) Total() int64 { return p.total.Load() }

// start adds a part of the copy. A negative total is unknown.
func (p *Progress) start(total, done int64) {
	p.total.Add(max(total, 0))
	p.done.Add(done)
}

// set restores an earlier state.
func (p *Progress) set(done, total int64) {
	p.done.Store(done)
	p.total.Store(total)
}

func (p *Progress) add(n int) {
	p.done.Add(int64(n))
}

// Write implements io.Writer and counts.
func (p *Progress) Write(b []byte) (int, error) {
	p.add(len(b))
	return len(b), nil
}
