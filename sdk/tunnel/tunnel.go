// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"

	"k8s.io/streaming/pkg/httpstream"
)

// ErrGone in the chain of a dial error ends the tunnel: the sandbox no longer exists.
var ErrGone = errors.New("gone")

// Event reports what the tunnel does.
type Event struct {
	// Listener is the local address.
	Listener net.Addr
	// Remote is the port in the sandbox.
	Remote uint16
	// Connected is true for a new connection, and false for a new listener.
	Connected bool
	// Err is why a connection failed, if it did.
	Err error
}

// ListenError reports that this machine cannot listen.
type ListenError struct {
	Remote uint16
	Cause  error
}

// Error implements error.
func (e *ListenError) Error() string {
	return fmt.Sprintf("cannot listen on this machine for port %d of the sandbox: %v", e.Remote, e.Cause)
}

// Unwrap gives errors.Is and errors.As the cause.
func (e *ListenError) Unwrap() error { return e.Cause }

// Dial connects to the current Pod. It may wait for one.
type Dial func(ctx context.Context) (httpstream.Connection, error)

// Tunnel forwards connections to ports.
type Tunnel struct {
	Dial Dial
	// Addresses to listen on: IP addresses, or localhost for 127.0.0.1 and ::1, of which one must work.
	Addresses []string
	Ports     []Port
	// Report receives each event, from several goroutines but never concurrently.
	Report func(Event)

	reporting sync.Mutex
}

// Run forwards connections until the context ends, which is not an error, or the sandbox no longer exists.
func (t *Tunnel) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// Dial once before listening, so that errors are reported now.
	first, err := t.Dial(ctx)
	if err != nil {
		return err
	}
	_ = first.Close() // it carried nothing

	listeners, err := t.listen(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer func() {
		for _, l := range listeners {
			_ = l.Close() // it is closed afterwards, whatever it says
		}
	}()
	if err != nil {
		return err
	}
	for _, l := range listeners {
		t.report(Event{Listener: l.Addr(), Remote: l.remote})
		all.Go(func() { t.accept(ctx, l, cancel, &all) })
	}
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

func (t *Tunnel) report(event Event) {
	t.reporting.Lock()
	defer t.reporting.Unlock()
	t.Report(event)
}

type listener struct {
	net.Listener
	remote uint16
}

// listen opens all listeners. With an error it returns those that were opened.
func (t *Tunnel) listen(ctx context.Context) ([]listener, error) {
	var all []listener
	for _, port := range t.Ports {
		local := port.Local
		for _, address := range t.Addresses {
			opened, err := listenOn(ctx, address, local)
			for _, l := range opened {
				all = append(all, listener{l, port.Remote})
			}
			if err != nil {
				return all, &ListenError{Remote: port.Remote, Cause: err}
			}
			if tcp, ok := opened[0].Addr().(*net.TCPAddr); ok {
				local = uint16(tcp.Port) // a port is no larger
			}
		}
	}
	return all, nil
}

func listenOn(ctx context.Context, address string, port uint16) ([]net.Listener, error) {
	hosts := []string{address}
	if address == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	var opened []net.Listener
	var problem error
	for _, host := range hosts {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(port))))
		switch {
		case err != nil && problem != nil:
			problem = fmt.Errorf("%w; %v", problem, err) //nolint:errorlint // one error with one cause, not several
			continue
		case err != nil:
			problem = err
			continue
		}
		opened = append(opened, l)
		if tcp, ok := l.Addr().(*net.TCPAddr); ok {
			port = uint16(tcp.Port) // a port is no larger
		}
	}
	if len(opened) == 0 {
		return nil, problem
	}
	return opened, nil
}

// CheckAddress returns an error for an address that this machine cannot listen on.
func CheckAddress(address string) error {
	if address == "localhost" || net.ParseIP(strings.TrimSpace(address)) != nil {
		return nil
	}
	return fmt.Errorf("%q is neither an IP address nor localhost", address)
}

func (t *Tunnel) accept(ctx context.Context, l listener, end context.CancelCauseFunc, all *sync.WaitGroup) {
	for {
		conn, err := l.Accept()
		if err != nil {
			if ctx.Err() == nil {
				end(fmt.Errorf("accept on %s: %w", l.Addr(), err))
			}
			return
		}
		all.Go(func() {
			t.report(Event{Listener: l.Addr(), Remote: l.remote, Connected: true})
			err := Carry(ctx, t.Dial, conn, l.remote)
			if errors.Is(err, ErrGone) {
				end(err)
			} else if err != nil && ctx.Err() == nil {
				t.report(Event{Listener: l.Addr(), Remote: l.remote, Connected: true, Err: err})
			}
		})
	}
}
