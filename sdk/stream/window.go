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
	// maxWindow and maxUnansweredPings together fit into the 50 frames that a SPDY server queues.
	maxWindow = 20
	// serverQueues is how many queues a SPDY server has: of that many consecutive pings, each is in a different queue.
	serverQueues = 5
	// maxOpenRounds limits how many pings a dead connection leaves unanswered.
	maxOpenRounds = 3
	// A round of pings that returns within fastRoundTrip enlarges the window; one that takes longer than slowRoundTrip
	// shrinks it.
	fastRoundTrip, slowRoundTrip = time.Second, 4 * time.Second
)

// window holds data back until the server has taken what was sent before. A SPDY server distributes pings over five
// queues, one of which has the data: five consecutive answers mean that all data before them has left its queue. While
// that queue is not full, the server reads on and answers pings, although the command reads no input.
type window struct {
	size           int
	admitted       uint64 // frames that may be sent
	written        uint64
	marked         uint64 // frames before the last round
	accepted       uint64
	roundRequested bool // the next pings form a round
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

// roundSent records that pings were sent, up to the sequence number last.
func (w *window) roundSent(last uint32, now time.Time) {
	if w.roundRequested {
		w.roundRequested, w.marked = false, w.written
		w.rounds = append(w.rounds, round{last: last, frames: w.written, since: now})
	}
}

// roundsAnswered records that all pings before a sequence number were answered.
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

// roundDue reports whether a round of pings should be sent.
func (w *window) roundDue() bool {
	if w.roundRequested || w.written == w.marked || len(w.rounds) >= maxOpenRounds || (!w.full() || len(w.rounds) > 0) &&
		w.written-w.marked < uint64(w.size)/3 {
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

// frameWritten records that a frame of data was sent.
func (p *keepaliveConn) frameWritten() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.window.written++
	p.requestRound()
}

// requestRound requests a round of pings if one is due. The caller holds the lock, so that no other ping comes in
// between.
func (p *keepaliveConn) requestRound() {
	if p.window.roundDue() {
		p.requestPings(serverQueues)
	}
}

// smallFrame and largeFrame limit the bytes in one frame of data. Few frames are on the way at a time, so large ones
// make copies faster; on a slow connection pings would wait behind them for too long.
const smallFrame, largeFrame = 32 << 10, 128 << 10

// frameSize returns the limit for the next frame.
func (p *keepaliveConn) frameSize() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.window.size < maxWindow {
		return smallFrame
	}
	return largeFrame
}

// flowControlledStream is a stream whose data waits for the window.
type flowControlledStream struct {
	httpstream.Stream
	conn *keepaliveConn
}

// ReadFrom implements io.ReaderFrom, which io.Copy uses.
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
