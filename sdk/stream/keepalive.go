// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"net"
	"sync"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/liveness"
)

// maxUnansweredPings is how many pings may be unanswered before no more are sent: a server that cannot take in what we sent keeps them in the queue
// of 50 frames that the data is in, and reads nothing more when that is full. Of a connection that is dead fewer are unanswered.
const maxUnansweredPings = 28

// keepaliveConn is a connection that carries SPDY frames. It puts pings of its own between them, which end it when nothing comes back, and tells
// from their answers how much of what was sent has been taken (docs/adr/0008).
type keepaliveConn struct {
	net.Conn
	clock    clock.WithTicker
	timeouts Timeouts
	idle     liveness.IdleTimer
	received frameParser // of the one who reads
	pingsDue chan struct{}

	writing sync.Mutex // while bytes are written, so that a ping comes between two frames
	sent    frameParser

	mu         sync.Mutex
	duePings   int                 // pings that are to be sent at the next border
	lastPing   uint32              // the last ping's place among all
	unanswered map[uint32]struct{} // those that were not answered
	window     window

	once  sync.Once
	done  chan struct{}
	cause error // why we ended it; set before over is closed
}

func newKeepaliveConn(conn net.Conn, clock clock.WithTicker, patience Timeouts) *keepaliveConn {
	p := &keepaliveConn{
		Conn: conn, clock: clock, timeouts: patience, pingsDue: make(chan struct{}, 1), unanswered: map[uint32]struct{}{},
		window: window{size: initialWindow, changed: make(chan struct{})}, done: make(chan struct{}),
	}
	go p.monitor()
	go p.sendPings()
	return p
}

// end closes the connection, whoever may be reading or writing.
func (p *keepaliveConn) end(cause error) {
	p.once.Do(func() {
		p.cause = cause
		close(p.done)
		go p.Conn.Close() // it may say goodbye, and wait for its turn to
	})
}

// Close implements net.Conn.
func (p *keepaliveConn) Close() error {
	p.end(nil)
	return nil
}

// Lost is why the connection was ended, if it was silent for too long.
func (p *keepaliveConn) Lost() error {
	select {
	case <-p.done:
		return p.cause
	default:
		return nil
	}
}

// Read implements net.Conn.
func (p *keepaliveConn) Read(b []byte) (int, error) {
	p.idle.SetReading(true)
	n, err := p.Conn.Read(b)
	p.idle.SetReading(false)
	if n > 0 {
		p.idle.Reset()
		p.received.parse(b[:n], p.pingAnswered)
	}
	return n, err
}

// Write implements net.Conn.
func (p *keepaliveConn) Write(b []byte) (int, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	n, err := p.Conn.Write(b)
	p.sent.parse(b[:n], nil)
	if err == nil {
		err = p.writeDuePings()
	}
	return n, err
}

// writeDuePings sends the pings that are owed, if the last frame is whole. The caller writes.
func (p *keepaliveConn) writeDuePings() error {
	if !p.sent.atBoundary() {
		return nil
	}
	var pings []byte
	p.mu.Lock()
	for ; p.duePings > 0; p.duePings-- {
		p.lastPing++
		p.unanswered[p.lastPing] = struct{}{}
		pings = append(pings, pingFrame(2*p.lastPing-1)...) // clients have the odd numbers
	}
	p.window.roundSent(p.lastPing, p.clock.Now())
	p.mu.Unlock()
	if len(pings) == 0 {
		return nil
	}
	_, err := p.Conn.Write(pings)
	return err
}

// requestPings has pings sent as soon as that is possible. The caller holds the lock.
func (p *keepaliveConn) requestPings(pings int) {
	p.duePings = max(p.duePings, pings)
	select {
	case p.pingsDue <- struct{}{}:
	default: // somebody is about to
	}
}

// sendPings sends what is owed while nobody else writes.
func (p *keepaliveConn) sendPings() {
	for {
		select {
		case <-p.done:
			return
		case <-p.pingsDue:
		}
		p.writing.Lock()
		err := p.writeDuePings()
		p.writing.Unlock()
		if err != nil {
			return // the one who reads sees the same connection end
		}
	}
}

// pingAnswered notes the answer to a ping.
func (p *keepaliveConn) pingAnswered(number uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.unanswered, (number+1)/2)
	first := p.lastPing + 1
	for place := range p.unanswered {
		first = min(first, place)
	}
	p.window.roundsAnswered(first, p.clock.Now())
}

// monitor asks for signs of life and ends the connection when there are none.
func (p *keepaliveConn) monitor() {
	ticker := p.clock.NewTicker(p.timeouts.PingInterval)
	defer ticker.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-ticker.C():
		}
		p.mu.Lock()
		stuck := len(p.unanswered) >= maxUnansweredPings
		p.mu.Unlock()
		if stuck {
			p.idle.Reset() // it is not asked any more, so it need not answer
		}
		quiet := p.idle.Check(p.clock.Now(), p.timeouts.PingInterval)
		if quiet >= p.timeouts.Idle {
			p.end(idleError(p.timeouts.Idle))
			return
		}
		// What comes needs no question. While nobody takes it, one could meet an end that has said all and gone, and what it said last
		// would be lost. And one of five answers may wait behind data that is not taken: fewer pings last longer.
		if quiet >= p.timeouts.pingAfter() {
			p.mu.Lock()
			p.requestPings(1)
			p.mu.Unlock()
		}
	}
}
