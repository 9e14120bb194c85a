// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"

	"k8s.io/streaming/pkg/httpstream"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/follow"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

// Dial connects to a TCP port of the sandbox, through the API server. The context limits only the dialing. If nothing
// listens on the port, the first read says so. The connection ends when the handle is closed, and when the Pod is
// replaced; Dial again then connects to the new one.
func (s *Sandbox) Dial(ctx context.Context, port int) (conn net.Conn, err error) {
	err = s.do(ctx, "dial", func(ctx context.Context) error {
		note(ctx, AttrPort.Int(port))
		conn, err = s.dial(ctx, port)
		return err
	})
	return conn, err
}

func (s *Sandbox) dial(ctx context.Context, port int) (net.Conn, error) {
	if port < 1 || port > maxPort {
		return nil, fmt.Errorf("%d is not a port: use 1 to %d", port, maxPort)
	}
	var opened *tunnel.Conn
	err := s.retry(ctx, func() error {
		t, err := s.runningTarget(ctx)
		if err != nil {
			return err
		}
		limited, cancel := s.limit(ctx)
		defer cancel()
		opened, err = tunnel.DialPort(limited, func(ctx context.Context) (httpstream.Connection, error) {
			return s.client.clients.Network.Forward(ctx, t.Namespace, t.Pod.Name)
		}, uint16(port))
		if err != nil && ctx.Err() == nil && limited.Err() != nil {
			return fmt.Errorf("%w: dial port %d: %w", errAttempt, port, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &connection{opened, context.AfterFunc(s.connections(), func() { _ = opened.Close() })}, nil
}

const maxPort = 65535

// connection is a connection that ends with its handle.
type connection struct {
	*tunnel.Conn
	release func() bool
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.release()
	return c.Conn.Close()
}

// Forwarding is a local address whose connections are forwarded to a port of a sandbox.
type Forwarding struct {
	addr  net.Addr
	stop  context.CancelFunc
	ended chan struct{}
	err   error // set before ended is closed
}

// Addr returns the local address.
func (f *Forwarding) Addr() net.Addr { return f.addr }

// Wait returns when nothing is forwarded any more: nil after Close or the end of the context, otherwise why.
func (f *Forwarding) Wait() error {
	<-f.ended
	return f.err
}

// Close ends the forwarding and its connections.
func (f *Forwarding) Close() error {
	f.stop()
	return f.Wait()
}

// Forward listens on a local address and forwards each connection to a port of the sandbox, until the context ends, the
// handle is closed or the sandbox is deleted. The address is HOST:PORT: HOST is an IP address, or localhost (also if it
// is empty), and PORT 0 is any free port. The address stays while the sandbox is suspended and while its Pod is
// replaced: open connections end, and new ones wait, for half a minute.
func (s *Sandbox) Forward(ctx context.Context, local string, remote int) (*Forwarding, error) {
	host, port, err := net.SplitHostPort(local)
	if err != nil {
		return nil, s.wrap("forward", err)
	}
	if host == "" {
		host = "localhost"
	}
	ctx, stop := context.WithCancel(ctx)
	f := &Forwarding{stop: stop, ended: make(chan struct{})}
	listening := make(chan net.Addr, 1)
	go func() {
		defer close(f.ended)
		defer stop()
		f.err = s.ForwardPorts(ctx, &PortForward{
			Ports: []tunnel.PortSpec{{Local: port, Remote: strconv.Itoa(remote)}}, Addresses: []string{host},
			Report: func(e tunnel.Event) {
				select {
				case listening <- e.Listener:
				default:
				}
			},
		})
	}()
	select {
	case f.addr = <-listening:
		return f, nil
	case <-f.ended:
		if f.err == nil {
			f.err = s.wrap("forward", context.Cause(ctx))
		}
		return nil, f.err
	}
}

// PortForward says what ForwardPorts forwards.
type PortForward struct {
	// Ports to forward. A remote one may be the name of a container's port.
	Ports []tunnel.PortSpec
	// Addresses of this machine to listen on; nil means localhost.
	Addresses []string
	// Conn is carried to the only port, if it is set: nothing listens then.
	Conn io.ReadWriteCloser
	// Report receives each listener and each connection, and State each state of the sandbox; nil receives nothing.
	Report func(tunnel.Event)
	State  func(follow.State)
}

// ForwardPorts forwards several ports until the context ends, which is not an error, the handle is closed or the
// sandbox is deleted.
func (s *Sandbox) ForwardPorts(ctx context.Context, f *PortForward) (err error) {
	ended, span, err := s.connect()
	if err != nil {
		return s.wrap("forward", err)
	}
	ctx, done := s.client.tracer.startOperation(ctx, span, s, "forward")
	defer func() { done(err) }()
	ctx, release := withEnd(ctx, ended)
	defer release()
	err = s.forwardPorts(ctx, f)
	if ended.Err() != nil {
		err = context.Cause(ended) // also if the deletion was noticed first
	}
	return s.wrap("forward", err)
}

func (s *Sandbox) forwardPorts(ctx context.Context, f *PortForward) error {
	t, err := s.runningTarget(ctx)
	if err != nil {
		return err
	}
	ports := make([]tunnel.Port, len(f.Ports))
	for i, spec := range f.Ports {
		ports[i], err = spec.Resolve(func(name string) (int32, bool) { return resolve.Port(t.Pod, name) })
		if err != nil {
			return err
		}
	}
	follower := follow.New(s.client.resolver, s.client.waiter, s.client.clock, t)
	ctx, end := context.WithCancelCause(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer end(nil)
	all.Go(func() {
		if err := follower.Run(ctx, or(f.State)); err != nil {
			end(err)
		}
	})
	dial := func(ctx context.Context) (httpstream.Connection, error) {
		return follower.Dial(ctx, s.client.clients.Network)
	}
	if f.Conn != nil {
		if len(ports) != 1 {
			return errors.New("a connection is carried to one port")
		}
		return tunnel.Carry(ctx, dial, f.Conn, ports[0].Remote)
	}
	through := &tunnel.Tunnel{Dial: dial, Addresses: f.Addresses, Ports: ports, Report: or(f.Report)}
	if through.Addresses == nil {
		through.Addresses = []string{"localhost"}
	}
	return through.Run(ctx)
}

// or returns a function that does nothing instead of none.
func or[T any](f func(T)) func(T) {
	if f == nil {
		return func(T) {}
	}
	return f
}
