// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"io"
	"time"

	"k8s.io/utils/clock"
)

const (
	// unread is how much input fits into the pipes on the way to a command that does not read.
	unread = 64 * 1024
	// settling is how long we then wait: a command that wants no input has ended by then.
	settling = 250 * time.Millisecond
)

// paced reads input and pauses once before there is too much of it for the pipes on the way. containerd reports the end of
// a command only when it has got rid of what it read for it: a command that ends while they are full never ends for us.
type paced struct {
	ctx   context.Context // of one session, which is as long as this lives
	clock clock.Clock
	in    io.Reader
	left  int
}

func pace(ctx context.Context, clock clock.Clock, in io.Reader) io.Reader {
	return &paced{ctx: ctx, clock: clock, in: in, left: unread}
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	if p.left == 0 {
		timer := p.clock.NewTimer(settling)
		select {
		case <-timer.C():
		case <-p.ctx.Done():
			timer.Stop()
			return 0, p.ctx.Err()
		}
		p.left = -1
	}
	if p.left > 0 && len(b) > p.left {
		b = b[:p.left]
	}
	n, err := p.in.Read(b)
	if p.left > 0 {
		p.left -= n
	}
	return n, err
}
