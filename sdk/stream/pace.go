// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"io"
	"os"
	"time"

	"k8s.io/utils/clock"
)

const (
	// unread is how much input fits into the pipes on the way to a command that does not read.
	unread = 64 * 1024
	// settling is how long we then wait at least: a command that wants no input has ended by then.
	settling = 250 * time.Millisecond
	// slowness is how many times as long as the connection took we wait: where everything is slow, commands start late too.
	slowness = 4
	// longest is how long we wait at most.
	longest = 3 * time.Second
)

// paced reads input for a connection that is opened meanwhile, and pauses once before there is too much of it for the pipes on the way. containerd reports the end of
// a command only when it has got rid of what it read for it: a command that ends while they are full never ends for us.
type paced struct {
	ctx   context.Context // of one session, which is as long as this lives
	clock clock.Clock
	in    io.Reader
	left  int
	began time.Time
	wait  time.Duration // known at the first read, when the connection is there
}

func pace(ctx context.Context, clock clock.Clock, in io.Reader) io.Reader {
	return &paced{ctx: ctx, clock: clock, in: in, left: unread, began: clock.Now()}
}

// short says whether an input certainly fits into the pipes on the way.
func short(in io.Reader) bool {
	switch in := in.(type) {
	case interface{ Len() int }: // of bytes in memory
		return in.Len() <= unread
	case *os.File:
		info, err := in.Stat()
		return err == nil && (info.Mode().IsRegular() && info.Size() <= unread || info.Mode()&os.ModeCharDevice != 0)
	}
	return false
}

// Read implements io.Reader.
func (p *paced) Read(b []byte) (int, error) {
	if p.wait == 0 {
		p.wait = min(max(settling, slowness*p.clock.Since(p.began)), longest)
	}
	if p.left == 0 {
		timer := p.clock.NewTimer(p.wait)
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
