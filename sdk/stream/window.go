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
	firstWindow = 8
	leastWindow = 6
	// mostWindow and the pings that may be unanswered fit into the 50 frames that a SPDY server queues.
	mostWindow = 20
	// workers is how many queues a SPDY server has: of so many pings one after another, one is in each of them.
	workers = 5
	// mostRounds bounds how many pings a connection that is dead leaves unanswered.
	mostRounds = 3
	// soon and slowly are how fast a round of pings comes back over a connection that can take more, or less.
	soon, slowly = time.Second, 4 * time.Second
)

// window holds data back until what was sent before has been taken. A SPDY server puts frames into five queues, one of them for the
// data, and pings into each in turn: when five pings in a row are answered, all data before them is out of its queue. As long as that
// never is full, the server goes on reading and answers pings, although the command reads no input.
type window struct {
	size     int
	admitted uint64 // frames that may be sent
	written  uint64
	marked   uint64 // frames before the last round of pings
	accepted uint64
	due      bool // the pings that are sent next are a round
	rounds   []round
	changed  chan struct{} // closed when more may be sent
}

// round is a row of pings that follows frames.
type round struct {
	last   uint32
	frames uint64
	since  time.Time
}

func (w *window) full() bool { return w.admitted-w.accepted >= uint64(max(w.size, leastWindow)) }

// mark notes that pings were sent, the last of which is at this place.
func (w *window) mark(last uint32, now time.Time) {
	if w.due {
		w.due, w.marked = false, w.written
		w.rounds = append(w.rounds, round{last: last, frames: w.written, since: now})
	}
}

// taken notes that all pings before a place were answered.
func (w *window) taken(place uint32, now time.Time) {
	more := false
	for len(w.rounds) > 0 && w.rounds[0].last < place {
		took := now.Sub(w.rounds[0].since)
		w.accepted = w.rounds[0].frames
		w.rounds, more = w.rounds[1:], true
		switch {
		case took < soon:
			w.size = min(w.size+firstWindow/2, mostWindow)
		case took > slowly:
			w.size = max(w.size/2, leastWindow)
		}
	}
	if more {
		close(w.changed)
		w.changed = make(chan struct{})
	}
}

// wants says whether a round of pings is to be sent.
func (w *window) wants() bool {
	if w.due || w.written == w.marked || len(w.rounds) >= mostRounds || (!w.full() || len(w.rounds) > 0) && w.written-w.marked < uint64(w.size)/3 {
		return false
	}
	w.due = true
	return true
}

// admit waits until a frame of data may be sent.
func (p *pulse) admit() error {
	for {
		p.mu.Lock()
		if !p.window.full() {
			p.window.admitted++
			p.mu.Unlock()
			return nil
		}
		changed := p.window.changed
		p.round()
		p.mu.Unlock()
		select {
		case <-changed:
		case <-p.over:
			return net.ErrClosed
		}
	}
}

// wrote notes that a frame of data was sent.
func (p *pulse) wrote() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.window.written++
	p.round()
}

// round has a round of pings sent if it is time for one. The caller holds the lock: no ping may come between.
func (p *pulse) round() {
	if p.window.wants() {
		p.owe(workers)
	}
}

// smallFrame and largeFrame are how much one frame of data carries at most, in bytes. Few frames are on the way at a time, so large ones
// make copies faster; they are for connections that answer quickly: on a slow one pings would wait behind them for too long.
const smallFrame, largeFrame = 32 << 10, 128 << 10

// frame is the size of the next frame.
func (p *pulse) frame() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.window.size < mostWindow {
		return smallFrame
	}
	return largeFrame
}

// held is a stream whose data waits for its turn.
type held struct {
	httpstream.Stream
	pulse *pulse
}

// ReadFrom implements io.ReaderFrom, which io.Copy asks for.
func (h held) ReadFrom(r io.Reader) (total int64, err error) {
	buffer := make([]byte, largeFrame)
	for {
		n, end := r.Read(buffer[:h.pulse.frame()])
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
func (h held) Write(b []byte) (int, error) {
	if err := h.pulse.admit(); err != nil {
		return 0, err
	}
	n, err := h.Stream.Write(b)
	h.pulse.wrote()
	return n, err
}
