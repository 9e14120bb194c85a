// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/book"
)

const (
	// dialAttempts is how often a Pod is dialed for one connection: a server that was just started may not listen yet.
	dialAttempts = 4
	// dialPause is the time before the second attempt; it doubles.
	dialPause = 100 * time.Millisecond
	// dialTimeout limits one attempt at one address.
	dialTimeout = 3 * time.Second
	// domain makes the names in hostOf ones that no other resolver would answer.
	domain = ".sandbox.invalid"
)

// Locator says where the Pod of a Sandbox is now.
type Locator interface {
	Locate(ctx context.Context, sandbox *book.Sandbox) ([]netip.Addr, error)
}

// dialer dials the Pods of Sandboxes.
type dialer struct {
	locator Locator
	clock   clock.Clock
	net     net.Dialer
	dialed  func(error) // is told about each connection
}

// wanted is the Sandbox that a request is for. The context of the request carries it to the dialer.
type wanted struct {
	sandbox *book.Sandbox
	prefer  netip.Addr // may be invalid
}

type wantedKey struct{}

func withWanted(ctx context.Context, w wanted) context.Context {
	return context.WithValue(ctx, wantedKey{}, w)
}

// hostOf returns the host of the URL of a Sandbox. Idle connections are found by it, so it has to differ between
// Sandboxes, and should differ after the Sandbox moved to another Pod.
func hostOf(sandbox *book.Sandbox) string {
	labels := []string{string(sandbox.UID)}
	for _, ip := range sandbox.Addresses {
		labels = append(labels, strings.ReplaceAll(ip.String(), ":", "-"))
	}
	return strings.Join(labels, ".") + domain
}

// dial implements http.Transport.DialContext for the hosts of hostOf.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.connect(ctx, network, address)
	d.dialed(err)
	if err != nil {
		return nil, &dialError{err}
	}
	return conn, nil
}

// dialError says that no byte of the request was sent.
type dialError struct{ error }

func (e *dialError) Unwrap() error { return e.error }

func (d *dialer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	target, ok := ctx.Value(wantedKey{}).(wanted)
	_, text, err := net.SplitHostPort(address)
	if err != nil || !ok {
		return nil, fmt.Errorf("dial %s: not the address of a sandbox", address)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", address, err)
	}
	pause := dialPause
	for attempt := 1; ; attempt++ {
		conn, err := d.attempt(ctx, network, target, uint16(port))
		if err == nil || attempt == dialAttempts || errors.Is(err, book.ErrUnconfirmed) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, context.Cause(ctx))
		case <-d.clock.After(pause):
		}
		pause *= 2
	}
}

// attempt asks where the Pod is, and dials its addresses in turn.
func (d *dialer) attempt(ctx context.Context, network string, target wanted, port uint16) (net.Conn, error) {
	addresses, err := d.locator.Locate(ctx, target.sandbox)
	if err != nil {
		return nil, err
	}
	if at := slices.Index(addresses, target.prefer); at > 0 {
		addresses = slices.Concat(addresses[at:at+1], addresses[:at], addresses[at+1:])
	}
	var errs []error
	for _, ip := range addresses {
		conn, err := d.net.DialContext(ctx, network, netip.AddrPortFrom(ip, port).String())
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}
