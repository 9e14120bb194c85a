// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"net"
	"sync"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/internal/liveness"
)

// maxUnansweredPings is how many pings may be unanswered before no more are sent. A server whose command takes no input
// queues them with the data, in a queue of 50 frames, and reads nothing more once it is full. A dead connection is
// detected with fewer.
const maxUnansweredPings = 28

// keepaliveConn is a connection that carries SPDY frames. It inserts its own pings between them. Without an answer it
// ends the connection, and the answers tell how much of the sent data the server has taken (docs/adr/0008).
type keepaliveConn struct {
	net.Conn
	clock    clock.WithTicker
	timeouts Timeouts
	idle     liveness.IdleTimer
	received frameParser // used only by Read
	pingsDue chan struct{}

	writing sync.Mutex // held during a write, so that pings are sent between two frames
	sent    frameParser

	mu         sync.Mutex
	duePings   int                 // pings to send at the next frame boundary
	lastPing   uint32              // the sequence number of the last ping
	unanswered map[uint32]struct{} // by sequence number
	window     window

	once  sync.Once
	done  chan struct{}
	cause error // why this side ended it; set before done is closed
}

func newKeepaliveConn(conn net.Conn, clock clock.WithTicker, timeouts Timeouts) *keepaliveConn {
	p := &keepaliveConn{
		Conn: conn, clock: clock, timeouts: timeouts, pingsDue: make(chan struct{}, 1), unanswered: map[uint32]struct{}{},
		window: window{size: initialWindow, changed: make(chan struct{})}, done: make(chan struct{}),
	}
	go p.monitor()
	go p.sendPings()
	return p
}

// end closes the connection, also while it is read or written.
func (p *keepaliveConn) end(cause error) {
	p.once.Do(func() {
		p.cause = cause
		close(p.done)
		go p.Conn.Close() // it may send a close message, and wait for its turn
	})
}

// Close implements net.Conn.
func (p *keepaliveConn) Close() error {
	p.end(nil)
	return nil
}

// Lost returns why this side ended the connection, if it was idle for too long.
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

// writeDuePings sends the due pings if the last frame is complete. The caller holds the write lock.
func (p *keepaliveConn) writeDuePings() error {
	if !p.sent.atBoundary() {
		return nil
	}
	var pings []byte
	p.mu.Lock()
	for ; p.duePings > 0; p.duePings-- {
		p.lastPing++
		p.unanswered[p.lastPing] = struct{}{}
		pings = append(pings, pingFrame(2*p.lastPing-1)...) // clients use odd numbers
	}
	p.window.roundSent(p.lastPing, p.clock.Now())
	p.mu.Unlock()
	if len(pings) == 0 {
		return nil
	}
	_, err := p.Conn.Write(pings)
	return err
}

// requestPings requests that pings be sent as soon as possible. The caller holds the lock.
func (p *keepaliveConn) requestPings(pings int) {
	p.duePings = max(p.duePings, pings)
	select {
	case p.pingsDue <- struct{}{}:
	default: // already requested
	}
}

// sendPings sends due pings while nothing else is written.
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
			return // Read returns the error of the same connection
		}
	}
}

// pingAnswered records the answer to a ping.
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

// monitor sends pings while nothing is received, and ends the connection when it is idle for too long.
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
			p.idle.Reset() // no more pings are sent, so no answer is expected
		}
		quiet := p.idle.Check(p.clock.Now(), p.timeouts.PingInterval)
		if quiet >= p.timeouts.Idle {
			p.end(idleError(p.timeouts.Idle))
			return
		}
		// No ping is sent while data arrives. While the caller does not read, a ping could meet a peer that has sent
		// everything and closed: its last data would be lost. And an answer may wait behind data that is not read, so
		// few pings last longer.
		if quiet >= p.timeouts.pingAfter() {
			p.mu.Lock()
			p.requestPings(1)
			p.mu.Unlock()
		}
	}
}
