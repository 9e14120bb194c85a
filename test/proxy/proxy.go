// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package proxy is a TCP proxy that injects faults into connections at chosen bytes and times: it closes or resets
// them, or makes them silent while they stay open.
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
	// Pass forwards bytes.
	Pass Action = iota
	// End closes the connection gracefully, as a server does when it shuts down.
	End
	// Reset resets the connection, as a machine does for a connection that it does not know.
	Reset
	// Stall reads nothing more from either end and leaves the connection open.
	Stall
	// Swallow reads everything, forwards nothing and leaves the connection open, as a lost route does.
	Swallow
)

// Fault is an action on a connection after a number of bytes in one direction.
type Fault struct {
	Action Action
	// Sent counts bytes from the client, and Received bytes from the server. If both are zero, the fault happens at once.
	Sent, Received int64
}

// Proxy forwards connections to one server. It is safe for concurrent use.
type Proxy struct {
	target   string
	listener net.Listener
	stop     context.CancelFunc
	ctx      context.Context
	all      sync.WaitGroup

	mu     sync.Mutex
	plan   func(number int) Fault
	number int
	conns  map[*connection]struct{}
}

// New starts a proxy to a server's address, which is a host and a port. Close stops it.
func New(target string) (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{target: target, listener: listener, conns: map[*connection]struct{}{}}
	p.Always(Fault{})
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.all.Go(p.accept)
	return p, nil
}

// For starts a proxy to the API server of a client's configuration, and returns a configuration that uses the proxy.
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

// Address returns the address at which clients connect.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Plan sets the function that returns the fault of each new connection. Connections are numbered from 0 since the start
// of the proxy.
func (p *Proxy) Plan(plan func(number int) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plan = plan
}

// Always sets the fault of all new connections.
func (p *Proxy) Always(fault Fault) { p.Plan(func(int) Fault { return fault }) }

// Connections returns the number of connections so far.
func (p *Proxy) Connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.number
}

// Now applies an action to all open connections. Pass resumes stalled ones.
func (p *Proxy) Now(action Action) {
	p.mu.Lock()
	conns := make([]*connection, 0, len(p.conns))
	for c := range p.conns {
		conns = append(conns, c)
	}
	p.mu.Unlock()
	for _, c := range conns {
		c.act(action)
	}
}

// Close stops the proxy and resets its connections.
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
		p.all.Go(func() { p.forward(client, fault) })
	}
}

func (p *Proxy) forward(client net.Conn, fault Fault) {
	server, err := (&net.Dialer{}).DialContext(p.ctx, "tcp", p.target)
	if err != nil {
		_ = client.Close() // the server is not reachable
		return
	}
	c := &connection{client: client, server: server, fault: fault, ended: make(chan struct{})}
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
	c.count(0, 0)
	var both sync.WaitGroup
	both.Go(func() { c.copy(server, client, func(n int64) (int64, int64) { return n, 0 }) })
	both.Go(func() { c.copy(client, server, func(n int64) (int64, int64) { return 0, n }) })
	both.Wait()
	c.waitWhileSwallowing()
	c.act(End)
}

// connection is one connection through the proxy.
type connection struct {
	client, server net.Conn
	ended          chan struct{}

	mu             sync.Mutex
	changed        *sync.Cond
	fault          Fault
	sent, received int64
	state          Action
}

// act changes the state, unless the connection has ended.
func (c *connection) act(action Action) {
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
	close(c.ended)
	for _, conn := range []net.Conn{c.client, c.server} {
		if tcp, ok := conn.(*net.TCPConn); ok && action == Reset {
			_ = tcp.SetLinger(0) // makes Close reset the connection
		}
		_ = conn.Close() // the other end may have closed it
	}
}

// waitWhileSwallowing waits while the connection swallows bytes, because then it must not show its end either.
func (c *connection) waitWhileSwallowing() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.state == Swallow {
		c.changed.Wait()
	}
}

// remaining returns how many bytes may pass before the fault, at most n.
func (c *connection) remaining(n int64, sending bool) int64 {
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

// count counts bytes and triggers the fault when it is due.
func (c *connection) count(sent, received int64) {
	c.mu.Lock()
	c.sent, c.received = c.sent+sent, c.received+received
	fault := c.fault
	due := fault.Action != Pass && ((fault.Sent > 0 && c.sent >= fault.Sent) ||
		(fault.Received > 0 && c.received >= fault.Received) || fault.Sent == 0 && fault.Received == 0)
	if due {
		c.fault = Fault{}
	}
	c.mu.Unlock()
	if due {
		c.act(fault.Action)
	}
}

// waitWhileStalled waits while the connection is stalled, and returns its state.
func (c *connection) waitWhileStalled() Action {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.state == Stall {
		c.changed.Wait()
	}
	return c.state
}

func (c *connection) copy(to, from net.Conn, counted func(int64) (sent, received int64)) {
	buffer := make([]byte, 32*1024)
	for {
		state := c.waitWhileStalled()
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
		if state = c.waitWhileStalled(); err != io.EOF { //nolint:errorlint // a connection returns io.EOF unwrapped
			c.act(Reset)
		} else if tcp, ok := to.(*net.TCPConn); ok && state == Pass {
			_ = tcp.CloseWrite() // the other direction may go on
		}
		return
	}
}

// deliver forwards bytes up to the fault, and handles the rest according to the state after the fault.
func (c *connection) deliver(to net.Conn, bytes []byte, counted func(int64) (sent, received int64)) bool {
	for len(bytes) > 0 {
		switch c.waitWhileStalled() {
		case End, Reset:
			return false
		case Swallow:
			return true
		case Pass, Stall: // a stalled connection has resumed
		}
		one, _ := counted(1)
		n := c.remaining(int64(len(bytes)), one == 1)
		if n > 0 {
			if _, err := to.Write(bytes[:n]); err != nil {
				c.act(Reset)
				return false
			}
			bytes = bytes[n:]
		}
		c.count(counted(n))
	}
	return true
}
