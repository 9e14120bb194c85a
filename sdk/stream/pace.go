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
	// pipeCapacity is how much input fits into the pipes on the way to a command that does not read.
	pipeCapacity = 64 * 1024
	// minPause is how long we then wait at least: a command that wants no input has ended by then.
	minPause = 250 * time.Millisecond
	// pauseFactor is how many times as long as the connection took we wait: where everything is slow, commands start late too.
	pauseFactor = 4
	// maxPause is how long we wait at most.
	maxPause = 3 * time.Second
)

// pacedReader reads input for a connection that is opened meanwhile, and pauses once before there is too much of it for the pipes on the way. containerd reports the end of
// a command only when it has got rid of what it read for it: a command that ends while they are full never ends for us.
type pacedReader struct {
	ctx        context.Context // of one session, which is as long as this lives
	clock      clock.Clock
	in         io.Reader
	untilPause int
	started    time.Time
	pause      time.Duration // known at the first read, when the connection is there
}

func pace(ctx context.Context, clock clock.Clock, in io.Reader) io.Reader {
	return &pacedReader{ctx: ctx, clock: clock, in: in, untilPause: pipeCapacity, started: clock.Now()}
}

// fitsInPipe says whether an input certainly fits into the pipes on the way.
func fitsInPipe(in io.Reader) bool {
	switch in := in.(type) {
	case interface{ Len() int }: // of bytes in memory
		return in.Len() <= pipeCapacity
	case *os.File:
		info, err := in.Stat()
		return err == nil && (info.Mode().IsRegular() && info.Size() <= pipeCapacity || info.Mode()&os.ModeCharDevice != 0)
	}
	return false
}

// Read implements io.Reader.
func (p *pacedReader) Read(b []byte) (int, error) {
	if p.pause == 0 {
		p.pause = min(max(minPause, pauseFactor*p.clock.Since(p.started)), maxPause)
	}
	if p.untilPause == 0 {
		timer := p.clock.NewTimer(p.pause)
		select {
		case <-timer.C():
		case <-p.ctx.Done():
			timer.Stop()
			return 0, p.ctx.Err()
		}
		p.untilPause = -1
	}
	if p.untilPause > 0 && len(b) > p.untilPause {
		b = b[:p.untilPause]
	}
	n, err := p.in.Read(b)
	if p.untilPause > 0 {
		p.untilPause -= n
	}
	return n, err
}
