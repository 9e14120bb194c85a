// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package files

import "sync/atomic"

// Progress says how far a copy is, in bytes. It may be read at any time by any goroutine.
type Progress struct{ done, total atomic.Int64 }

// Done is how much was copied, what an earlier copy had left included.
func (p *Progress) Done() int64 { return p.done.Load() }

// Total is how much there is to copy: 0 if it is not known, and an estimate for a directory of the sandbox.
func (p *Progress) Total() int64 { return p.total.Load() }

// start adds a part of the copy. A negative total is not known.
func (p *Progress) start(total, done int64) {
	p.total.Add(max(total, 0))
	p.done.Add(done)
}

// set puts it back to where it was.
func (p *Progress) set(done, total int64) {
	p.done.Store(done)
	p.total.Store(total)
}

func (p *Progress) add(n int) {
	p.done.Add(int64(n))
}

// Write implements io.Writer: it counts.
func (p *Progress) Write(b []byte) (int, error) {
	p.add(len(b))
	return len(b), nil
}
