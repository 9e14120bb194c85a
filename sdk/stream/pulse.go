// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"net"
	"sync"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/liveness"
)

// most is how many pings may be unanswered before no more are sent: a server that cannot take in what we sent keeps them in the queue
// of 50 frames that the data is in, and reads nothing more when that is full. Of a connection that is dead fewer are unanswered.
const most = 28

// pulse is a connection that carries SPDY frames. It puts pings of its own between them, which end it when nothing comes back, and tells
// from their answers how much of what was sent has been taken (docs/adr/0008).
type pulse struct {
	net.Conn
	clock    clock.WithTicker
	patience Patience
	silence  liveness.Silence
	in       frames // of the one who reads
	wanted   chan struct{}

	writing sync.Mutex // while bytes are written, so that a ping comes between two frames
	out     frames

	mu     sync.Mutex
	owed   int                 // pings that are to be sent at the next border
	asked  uint32              // the last ping's place among all
	open   map[uint32]struct{} // those that were not answered
	window window

	once  sync.Once
	over  chan struct{}
	cause error // why we ended it; set before over is closed
}

func newPulse(conn net.Conn, clock clock.WithTicker, patience Patience) *pulse {
	p := &pulse{
		Conn: conn, clock: clock, patience: patience, wanted: make(chan struct{}, 1), open: map[uint32]struct{}{},
		window: window{size: firstWindow, changed: make(chan struct{})}, over: make(chan struct{}),
	}
	go p.beat()
	go p.send()
	return p
}

// end closes the connection, whoever may be reading or writing.
func (p *pulse) end(cause error) {
	p.once.Do(func() {
		p.cause = cause
		close(p.over)
		go p.Conn.Close() // it may say goodbye, and wait for its turn to
	})
}

// Close implements net.Conn.
func (p *pulse) Close() error {
	p.end(nil)
	return nil
}

// Lost is why the connection was ended, if it was silent for too long.
func (p *pulse) Lost() error {
	select {
	case <-p.over:
		return p.cause
	default:
		return nil
	}
}

// Read implements net.Conn.
func (p *pulse) Read(b []byte) (int, error) {
	p.silence.Reading(true)
	n, err := p.Conn.Read(b)
	p.silence.Reading(false)
	if n > 0 {
		p.silence.Heard()
		p.in.pass(b[:n], p.answered)
	}
	return n, err
}

// Write implements net.Conn.
func (p *pulse) Write(b []byte) (int, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	n, err := p.Conn.Write(b)
	p.out.pass(b[:n], nil)
	if err == nil {
		err = p.pay()
	}
	return n, err
}

// pay sends the pings that are owed, if the last frame is whole. The caller writes.
func (p *pulse) pay() error {
	if !p.out.between() {
		return nil
	}
	var pings []byte
	p.mu.Lock()
	for ; p.owed > 0; p.owed-- {
		p.asked++
		p.open[p.asked] = struct{}{}
		pings = append(pings, pingFrame(2*p.asked-1)...) // clients have the odd numbers
	}
	p.window.mark(p.asked, p.clock.Now())
	p.mu.Unlock()
	if len(pings) == 0 {
		return nil
	}
	_, err := p.Conn.Write(pings)
	return err
}

// owe has pings sent as soon as that is possible. The caller holds the lock.
func (p *pulse) owe(pings int) {
	p.owed = max(p.owed, pings)
	select {
	case p.wanted <- struct{}{}:
	default: // somebody is about to
	}
}

// send sends what is owed while nobody else writes.
func (p *pulse) send() {
	for {
		select {
		case <-p.over:
			return
		case <-p.wanted:
		}
		p.writing.Lock()
		err := p.pay()
		p.writing.Unlock()
		if err != nil {
			return // the one who reads sees the same connection end
		}
	}
}

// answered notes the answer to a ping.
func (p *pulse) answered(number uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, (number+1)/2)
	first := p.asked + 1
	for place := range p.open {
		first = min(first, place)
	}
	p.window.taken(first, p.clock.Now())
}

// beat asks for signs of life and ends the connection when there are none.
func (p *pulse) beat() {
	ticker := p.clock.NewTicker(p.patience.Ping)
	defer ticker.Stop()
	for {
		select {
		case <-p.over:
			return
		case <-ticker.C():
		}
		p.mu.Lock()
		stuck := len(p.open) >= most
		p.mu.Unlock()
		if stuck {
			p.silence.Heard() // it is not asked any more, so it need not answer
		}
		quiet := p.silence.Look(p.clock.Now(), p.patience.Ping)
		if quiet >= p.patience.Silence {
			p.end(silent(p.patience.Silence))
			return
		}
		// What comes needs no question. While nobody takes it, one could meet an end that has said all and gone, and what it said last
		// would be lost. And one of five answers may wait behind data that is not taken: fewer pings last longer.
		if quiet >= p.patience.ask() {
			p.mu.Lock()
			p.owe(1)
			p.mu.Unlock()
		}
	}
}
