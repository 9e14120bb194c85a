// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tunnel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// closeTimeout is how long a connection that was closed may take to deliver what was written to it.
const closeTimeout = 2 * time.Second

// Conn is a connection to a port of a sandbox.
type Conn struct {
	incoming, outgoing net.Conn // this side of two pipes, which have the deadlines
	remote             uint16
	session            *session
	closing            sync.Once
	closed             atomic.Bool
	ended              chan struct{} // closed when nothing is carried any more
	err                error         // why it ended, if that is an error; set before incoming ends
}

var _ net.Conn = (*Conn)(nil)

// DialPort connects to a port. The context limits only the dialing. The protocol does not say whether something listens
// on the port: if nothing does, the first read returns that.
func DialPort(ctx context.Context, dial Dial, remote uint16) (*Conn, error) {
	s, err := open(ctx, dial, remote)
	if err != nil {
		return nil, err
	}
	c := &Conn{remote: remote, session: s, ended: make(chan struct{})}
	var inner pipes
	c.incoming, inner.incoming = net.Pipe()
	c.outgoing, inner.outgoing = net.Pipe()
	go func() {
		c.err = s.carry(inner)
		close(c.ended)
		inner.close()
		_ = s.connection.Close() // it may be closed already
	}()
	return c, nil
}

// pipes is the other side of the pipes of a Conn.
type pipes struct{ incoming, outgoing net.Conn }

// Read implements io.Reader: what the user of the Conn writes.
func (p pipes) Read(b []byte) (int, error) { return p.outgoing.Read(b) }

// Write implements io.Writer: what the user of the Conn reads.
func (p pipes) Write(b []byte) (int, error) { return p.incoming.Write(b) }

// close closes both pipes. It never fails.
func (p pipes) close() { _, _ = p.incoming.Close(), p.outgoing.Close() }

// Read implements net.Conn.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.incoming.Read(b)
	switch {
	case errors.Is(err, io.ErrClosedPipe): // this side closed it
		return n, net.ErrClosed
	case errors.Is(err, io.EOF) && c.err != nil:
		return n, c.err
	}
	return n, err
}

// Write implements net.Conn.
func (c *Conn) Write(b []byte) (int, error) {
	n, err := c.outgoing.Write(b)
	if !errors.Is(err, io.ErrClosedPipe) {
		return n, err
	}
	if c.closed.Load() {
		return n, net.ErrClosed
	}
	select {
	case <-c.ended:
	default:
		return n, net.ErrClosed // after CloseWrite
	}
	if c.err != nil {
		return n, c.err
	}
	return n, errRemoteClosed
}

// errRemoteClosed is returned by writes after the remote end closed the connection.
var errRemoteClosed = errors.New("the sandbox closed the connection")

// CloseWrite tells the remote end that nothing more is sent. Its answer can still be read.
func (c *Conn) CloseWrite() error { return c.outgoing.Close() }

// Close implements net.Conn. What was written before is still delivered, but nobody waits for that.
func (c *Conn) Close() error {
	c.closing.Do(func() {
		c.closed.Store(true)
		_, _ = c.incoming.Close(), c.outgoing.Close() // pipes never fail
		// The remote end closes its side when it has got everything, and that ends the session.
		late := time.AfterFunc(closeTimeout, func() { _ = c.session.connection.Close() })
		go func() {
			<-c.ended
			late.Stop()
		}()
	})
	return nil
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.incoming.SetReadDeadline(t) }

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.outgoing.SetWriteDeadline(t) }

// LocalAddr implements net.Conn. A connection through the API server has no address of this machine.
func (c *Conn) LocalAddr() net.Addr { return Addr{} }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return Addr{Port: c.remote} }

// Addr is a port of a sandbox.
type Addr struct{ Port uint16 }

// Network implements net.Addr.
func (Addr) Network() string { return "port-forward" }

// String implements net.Addr.
func (a Addr) String() string { return fmt.Sprintf("sandbox:%d", a.Port) }
