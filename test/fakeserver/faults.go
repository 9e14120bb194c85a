// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package fakeserver

import (
	"net"
	"sync"
	"time"
)

// Faults are what a network may do to data.
type Faults struct {
	// Delay is added to each piece that the API server sends.
	Delay time.Duration
	// Split is the maximal number of bytes in one piece; 0 means no limit.
	Split int
	// Merge collects what is sent within a millisecond.
	Merge bool
	// CutAfter closes each connection once the API server has sent that many bytes; 0 means never.
	CutAfter int
}

// listener records its connections, because an http.Server forgets upgraded ones.
type listener struct {
	net.Listener
	faults *Faults
	mu     sync.Mutex
	conns  []net.Conn
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.conns = append(l.conns, conn)
		conn = &faulty{Conn: conn, faults: l.faults}
	}
	return conn, err
}

func (l *listener) cut(reset bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		if tcp, ok := conn.(*net.TCPConn); ok && reset {
			_ = tcp.SetLinger(0) // then closing it is a reset
		}
		_ = conn.Close() // it may be closed already
	}
	l.conns = nil
}

// faulty is one connection on the API server's side.
type faulty struct {
	net.Conn
	faults *Faults

	mu      sync.Mutex
	sent    int
	waiting []byte
	err     error
}

// Write implements net.Conn.
func (f *faulty) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.faults.Merge {
		return len(p), f.send(p)
	}
	if len(f.waiting) == 0 {
		time.AfterFunc(time.Millisecond, f.flush)
	}
	f.waiting = append(f.waiting, p...)
	return len(p), f.err
}

func (f *faulty) flush() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = f.send(f.waiting)
	f.waiting = nil
}

// Close implements net.Conn. It sends merged data first.
func (f *faulty) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.send(f.waiting) // the connection may be broken
	f.waiting = nil
	return f.Conn.Close()
}

func (f *faulty) send(p []byte) error {
	for len(p) > 0 {
		if f.faults.Delay > 0 {
			<-time.After(f.faults.Delay)
		}
		piece := p
		if f.faults.Split > 0 {
			piece = p[:min(f.faults.Split, len(p))]
		}
		if left := f.faults.CutAfter - f.sent; f.faults.CutAfter > 0 && left < len(piece) {
			_, _ = f.Conn.Write(piece[:max(left, 0)])
			_ = f.Conn.Close()
			return net.ErrClosed
		}
		n, err := f.Conn.Write(piece)
		f.sent += n
		if err != nil {
			return err
		}
		p = p[len(piece):]
	}
	return nil
}
