// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"io"
	"net"
	"time"

	"k8s.io/streaming/pkg/httpstream"
)

const (
	initialWindow = 8
	minWindow     = 6
	// maxWindow and the pings that may be unanswered fit into the 50 frames that a SPDY server queues.
	maxWindow = 20
	// serverQueues is how many queues a SPDY server has: of so many pings one after another, one is in each of them.
	serverQueues = 5
	// maxOpenRounds bounds how many pings a connection that is dead leaves unanswered.
	maxOpenRounds = 3
	// fastRoundTrip and slowly are how fast a round of pings comes back over a connection that can take more, or less.
	fastRoundTrip, slowRoundTrip = time.Second, 4 * time.Second
)

// window holds data back until what was sent before has been taken. A SPDY server puts frames into five queues, one of them for the
// data, and pings into each in turn: when five pings in a row are answered, all data before them is out of its queue. As long as that
// never is full, the server goes on reading and answers pings, although the command reads no input.
type window struct {
	size           int
	admitted       uint64 // frames that may be sent
	written        uint64
	marked         uint64 // frames before the last round of pings
	accepted       uint64
	roundRequested bool // the pings that are sent next are a round
	rounds         []round
	changed        chan struct{} // closed when more may be sent
}

// round is a row of pings that follows frames.
type round struct {
	last   uint32
	frames uint64
	since  time.Time
}

func (w *window) full() bool { return w.admitted-w.accepted >= uint64(max(w.size, minWindow)) }

// roundSent notes that pings were sent, the last of which is at this place.
func (w *window) roundSent(last uint32, now time.Time) {
	if w.roundRequested {
		w.roundRequested, w.marked = false, w.written
		w.rounds = append(w.rounds, round{last: last, frames: w.written, since: now})
	}
}

// roundsAnswered notes that all pings before a place were answered.
func (w *window) roundsAnswered(place uint32, now time.Time) {
	more := false
	for len(w.rounds) > 0 && w.rounds[0].last < place {
		took := now.Sub(w.rounds[0].since)
		w.accepted = w.rounds[0].frames
		w.rounds, more = w.rounds[1:], true
		switch {
		case took < fastRoundTrip:
			w.size = min(w.size+initialWindow/2, maxWindow)
		case took > slowRoundTrip:
			w.size = max(w.size/2, minWindow)
		}
	}
	if more {
		close(w.changed)
		w.changed = make(chan struct{})
	}
}

// roundDue says whether a round of pings is to be sent.
func (w *window) roundDue() bool {
	if w.roundRequested || w.written == w.marked || len(w.rounds) >= maxOpenRounds || (!w.full() || len(w.rounds) > 0) && w.written-w.marked < uint64(w.size)/3 {
		return false
	}
	w.roundRequested = true
	return true
}

// acquire waits until a frame of data may be sent.
func (p *keepaliveConn) acquire() error {
	for {
		p.mu.Lock()
		if !p.window.full() {
			p.window.admitted++
			p.mu.Unlock()
			return nil
		}
		changed := p.window.changed
		p.requestRound()
		p.mu.Unlock()
		select {
		case <-changed:
		case <-p.done:
			return net.ErrClosed
		}
	}
}

// frameWritten notes that a frame of data was sent.
func (p *keepaliveConn) frameWritten() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.window.written++
	p.requestRound()
}

// requestRound has a round of pings sent if it is time for one. The caller holds the lock: no ping may come between.
func (p *keepaliveConn) requestRound() {
	if p.window.roundDue() {
		p.requestPings(serverQueues)
	}
}

// smallFrame and largeFrame are how much one frame of data carries at most, in bytes. Few frames are on the way at a time, so large ones
// make copies faster; they are for connections that answer quickly: on a slow one pings would wait behind them for too long.
const smallFrame, largeFrame = 32 << 10, 128 << 10

// frameSize is the size of the next frame.
func (p *keepaliveConn) frameSize() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.window.size < maxWindow {
		return smallFrame
	}
	return largeFrame
}

// flowControlledStream is a stream whose data waits for its turn.
type flowControlledStream struct {
	httpstream.Stream
	conn *keepaliveConn
}

// ReadFrom implements io.ReaderFrom, which io.Copy asks for.
func (h flowControlledStream) ReadFrom(r io.Reader) (total int64, err error) {
	buffer := make([]byte, largeFrame)
	for {
		n, end := r.Read(buffer[:h.conn.frameSize()])
		if n > 0 {
			written, err := h.Write(buffer[:n])
			total += int64(written)
			if err != nil {
				return total, err
			}
		}
		switch {
		case end == io.EOF:
			return total, nil
		case end != nil:
			return total, end
		}
	}
}

// Write implements io.Writer.
func (h flowControlledStream) Write(b []byte) (int, error) {
	if err := h.conn.acquire(); err != nil {
		return 0, err
	}
	n, err := h.Stream.Write(b)
	h.conn.frameWritten()
	return n, err
}
