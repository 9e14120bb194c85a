// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
)

const (
	// idleTunnels is how many connections through the API server are kept for the next request, and idleTunnelTimeout is
	// for how long.
	idleTunnels       = 4
	idleTunnelTimeout = 30 * time.Second
	// idleToRouter is how many connections to the router are kept for the next request: all sandboxes share them.
	idleToRouter = 100
)

// router is the way to the router. All namespaces of a Client share it.
type router struct {
	strategy  connect.Strategy
	cluster   connect.Cluster
	token     connect.TokenSource
	timeout   time.Duration // to find the router
	dialing   time.Duration // to connect to it
	transport *http.Transport
	tracer    tracer

	turn chan struct{} // holds a value while the router is looked for

	mu    sync.Mutex
	known *connect.Endpoint
}

// newRouter returns nil without a strategy.
func newRouter(clients Clients, o *options, t tracer) *router {
	if o.strategy == nil {
		return nil
	}
	r := &router{
		strategy: o.strategy, token: o.token, tracer: t, timeout: o.readyTimeout, dialing: o.requestTimeout,
		turn:    make(chan struct{}, 1),
		cluster: connect.Cluster{Kubernetes: clients.Kubernetes, Network: clients.Network, Clock: o.clock},
	}
	r.transport = routerTransport(o.transport)
	viaProxy, dial := r.transport.Proxy, r.transport.DialContext
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	r.transport.Proxy = func(request *http.Request) (*url.URL, error) {
		endpoint, err := r.endpoint(request.Context())
		if err != nil || endpoint.Dial != nil || viaProxy == nil {
			return nil, err
		}
		return viaProxy(request)
	}
	r.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, r.dialing) // net/http dials on when nobody waits any more
		defer cancel()
		endpoint, err := r.endpoint(ctx)
		if err != nil {
			return nil, err
		}
		var conn net.Conn
		if endpoint.Dial != nil {
			conn, err = endpoint.Dial(ctx)
		} else {
			conn, err = dial(ctx, network, address)
		}
		if err != nil {
			r.forget(endpoint.URL)
		}
		return conn, err
	}
	return r
}

// routerTransport returns a copy of a transport, or of the default one.
func routerTransport(given *http.Transport) *http.Transport {
	if given != nil {
		return given.Clone()
	}
	own := &http.Transport{}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok { // unless the program has replaced it
		own = usual.Clone()
	}
	own.MaxIdleConns, own.MaxIdleConnsPerHost = idleToRouter, idleToRouter
	return own
}

// closeIdleConnections does nothing if there is no router.
func (r *router) closeIdleConnections() {
	if r != nil {
		r.transport.CloseIdleConnections()
	}
}

// endpoint returns where the router is. It looks for it once, until it cannot be dialed.
func (r *router) endpoint(ctx context.Context) (connect.Endpoint, error) {
	if known := r.current(); known != nil {
		return *known, nil
	}
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return connect.Endpoint{}, ctx.Err()
	}
	defer func() { <-r.turn }()
	if known := r.current(); known != nil {
		return *known, nil
	}
	limited, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	limited, span := r.tracer.start(limited, "connect", trace.WithAttributes(strategyAttributes(r.strategy)...))
	found, err := r.strategy.Connect(limited, r.cluster)
	if err == nil {
		note(limited, AttrServer.String(found.URL.Host))
	}
	endSpan(span, err)
	if err != nil {
		return connect.Endpoint{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = &found
	return found, nil
}

func (r *router) current() *connect.Endpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known
}

// forget makes the next request look for the router again, unless another one has done that already.
func (r *router) forget(failed *url.URL) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known != nil && r.known.URL == failed {
		r.known = nil
	}
}

// authorize adds the token for the router.
func (r *router) authorize(request *http.Request) error {
	if r.token == nil {
		return nil
	}
	token, err := r.token(request.Context())
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	return nil
}

// newDirectTransport returns the transport for requests to the Pod, through the API server.
func (s *Sandbox) newDirectTransport() *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			_, text, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			port, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("the port of %s: %w", address, err)
			}
			ctx, release := withEnd(ctx, s.connections()) // net/http dials on when nobody waits any more
			defer release()
			return s.dial(ctx, port)
		},
		MaxIdleConnsPerHost: idleTunnels, IdleConnTimeout: idleTunnelTimeout,
	}
}
