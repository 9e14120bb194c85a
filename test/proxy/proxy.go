// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package proxy is a TCP proxy between a client and a server that breaks connections at chosen bytes and times: it ends them, resets
// them, or stalls them, so that both ends see a connection that is open and hear nothing more.
package proxy

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"

	"k8s.io/client-go/rest"
)

// Action is what happens to a connection.
type Action int

// The actions.
const (
	// Pass carries on.
	Pass Action = iota
	// End closes the connection in order, as a server does that shuts down.
	End
	// Reset breaks it off, as a machine does that knows nothing of it.
	Reset
	// Stall takes nothing more from either end and closes nothing, as a proxy does whose other side has gone.
	Stall
	// Swallow takes everything and delivers nothing, as a machine does that lost its way to the other end.
	Swallow
)

// Fault happens to one connection once so many bytes have passed in one direction.
type Fault struct {
	Action Action
	// Sent counts the bytes from the client, Received those from the server. Zero of both means at once.
	Sent, Received int64
}

// Proxy carries connections to one server.
type Proxy struct {
	target   string
	listener net.Listener
	stop     context.CancelFunc
	ctx      context.Context
	all      sync.WaitGroup

	mu     sync.Mutex
	plan   func(number int) Fault
	number int
	conns  map[*pair]struct{}
}

// New starts a proxy to a server's address, host and port. Close ends it.
func New(target string) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{target: target, listener: listener, conns: map[*pair]struct{}{}, plan: func(int) Fault { return Fault{} }}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.all.Go(p.accept)
	return p, nil
}

// For starts a proxy to the API server of a client's configuration, and returns a configuration that goes through it.
func For(config *rest.Config) (*Proxy, *rest.Config, error) {
	server, err := url.Parse(config.Host)
	if err != nil {
		return nil, nil, err
	}
	p, err := New(server.Host)
	if err != nil {
		return nil, nil, err
	}
	through := rest.CopyConfig(config)
	if server.Scheme == "https" && through.ServerName == "" {
		through.ServerName = server.Hostname()
	}
	server.Host = p.Address()
	through.Host = server.String()
	return p, through, nil
}

// Address is where clients connect.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Plan decides what happens to the connections that come from now on; they are numbered from 0 since the proxy began.
func (p *Proxy) Plan(plan func(number int) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan = plan
}

// Always makes one fault happen to each connection that comes from now on.
func (p *Proxy) Always(fault Fault) { p.Plan(func(int) Fault { return fault }) }

// Connections says how many there have been.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.number
}

// Now does something to all connections that there are. Pass lets stalled ones go on.
func (p *Proxy) Now(action Action) {
	p.mu.Lock()
	conns := make([]*pair, 0, len(p.conns))
	for c := range p.conns {
		conns = append(conns, c)
	}
	p.mu.Unlock()
	for _, c := range conns {
		c.act(action)
	}
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() {
	p.stop()
	_ = p.listener.Close() // it may be closed already
	p.Now(Reset)
	p.all.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		fault := p.plan(p.number)
		p.number++
		p.mu.Unlock()
		p.all.Go(func() { p.carry(client, fault) })
	}
}

func (p *Proxy) carry(client net.Conn, fault Fault) {
	server, err := (&net.Dialer{}).DialContext(p.ctx, "tcp", p.target)
	if err != nil {
		_ = client.Close() // there is nobody to carry it to
		return
	}
	c := &pair{client: client, server: server, fault: fault, over: make(chan struct{})}
	c.changed = sync.NewCond(&c.mu)
	p.mu.Lock()
	p.conns[c] = struct{}{}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.conns, c)
		p.mu.Unlock()
	}()
	if p.ctx.Err() != nil {
		c.act(Reset)
	}
	c.pass(0, 0)
	var both sync.WaitGroup
	both.Go(func() { c.copy(server, client, func(n int64) (int64, int64) { return n, 0 }) })
	both.Go(func() { c.copy(client, server, func(n int64) (int64, int64) { return 0, n }) })
	both.Wait()
	c.hold()
	c.act(End)
}

// pair is one connection through the proxy.
type pair struct {
	client, server net.Conn
	over           chan struct{}

	mu             sync.Mutex
	changed        *sync.Cond
	fault          Fault
	sent, received int64
	state          Action
}

// act changes the state. Who is over stays so.
func (c *pair) act(action Action) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == End || c.state == Reset {
		return
	}
	c.state = action
	c.changed.Broadcast()
	if action != End && action != Reset {
		return
	}
	close(c.over)
	for _, conn := range []net.Conn{c.client, c.server} {
		if tcp, ok := conn.(*net.TCPConn); ok && action == Reset {
			_ = tcp.SetLinger(0) // then closing it is a reset
		}
		_ = conn.Close() // the other end may have closed it
	}
}

// hold returns when the ends may be told that all is over: who hears nothing hears no end either.
func (c *pair) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.state == Swallow {
		c.changed.Wait()
	}
}

// left says how many bytes may still pass before the fault, at most n.
func (c *pair) left(n int64, sending bool) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit, passed := c.fault.Received, c.received
	if sending {
		limit, passed = c.fault.Sent, c.sent
	}
	if c.fault.Action == Pass || limit == 0 {
		return n
	}
	return min(n, max(limit-passed, 0))
}

// pass counts bytes and lets the fault happen at its place.
func (c *pair) pass(sent, received int64) {
	c.mu.Lock()
	c.sent, c.received = c.sent+sent, c.received+received
	fault := c.fault
	due := fault.Action != Pass && ((fault.Sent > 0 && c.sent >= fault.Sent) || (fault.Received > 0 && c.received >= fault.Received) ||
		fault.Sent == 0 && fault.Received == 0)
	if due {
		c.fault = Fault{}
	}
	c.mu.Unlock()
	if due {
		c.act(fault.Action)
	}
}

// wait returns what to do with bytes, once they may be taken.
func (c *pair) wait() Action {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.state == Stall {
		c.changed.Wait()
	}
	return c.state
}

func (c *pair) copy(to, from net.Conn, counted func(int64) (sent, received int64)) {
	buffer := make([]byte, 32*1024)
	for {
		state := c.wait()
		if state == End || state == Reset {
			return
		}
		n, err := from.Read(buffer)
		if !c.deliver(to, buffer[:n], counted) {
			return
		}
		if err == nil {
			continue
		}
		if state = c.wait(); err != io.EOF { //nolint:errorlint // a connection returns it bare
			c.act(Reset)
		} else if tcp, ok := to.(*net.TCPConn); ok && state == Pass {
			_ = tcp.CloseWrite() // the other direction may go on
		}
		return
	}
}

// deliver passes bytes on, up to where the fault is and after it as the fault leaves it.
func (c *pair) deliver(to net.Conn, bytes []byte, counted func(int64) (sent, received int64)) bool {
	for len(bytes) > 0 {
		switch c.wait() {
		case End, Reset:
			return false
		case Swallow:
			return true
		case Pass, Stall: // one that stalled goes on
		}
		one, _ := counted(1)
		n := c.left(int64(len(bytes)), one == 1)
		if n > 0 {
			if _, err := to.Write(bytes[:n]); err != nil {
				c.act(Reset)
				return false
			}
			bytes = bytes[n:]
		}
		c.pass(counted(n))
	}
	return true
}
