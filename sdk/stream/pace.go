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
	// pipeCapacity is how many bytes of input fit into the pipes to a command that does not read.
	pipeCapacity = 64 * 1024
	// minPause is the minimal pause before more is sent: a command that takes no input has ended by then.
	minPause = 250 * time.Millisecond
	// pauseFactor multiplies the time that the connection took: if that is slow, commands start slowly too.
	pauseFactor = 4
	// maxPause is the maximal pause.
	maxPause = 3 * time.Second
)

// pacedReader reads input for a connection, and pauses once before the input exceeds pipeCapacity. containerd reports
// the end of a command only after it has delivered the input that it read: a command that ends while the pipes are full
// would never end for the client.
type pacedReader struct {
	ctx        context.Context // of the session, which ends with this reader
	clock      clock.Clock
	in         io.Reader
	untilPause int
	started    time.Time
	pause      time.Duration // set by the first read, when the connection exists
}

func pace(ctx context.Context, clock clock.Clock, in io.Reader) io.Reader {
	return &pacedReader{ctx: ctx, clock: clock, in: in, untilPause: pipeCapacity, started: clock.Now()}
}

// fitsInPipe reports whether an input certainly fits into the pipes.
func fitsInPipe(in io.Reader) bool {
	switch in := in.(type) {
	case interface{ Len() int }: // bytes in memory
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
