// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-logr/logr"
	constants "k8s.io/apimachinery/pkg/util/portforward"
	"k8s.io/client-go/tools/portforward"
	restspdy "k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// Forward implements Network. It tries SPDY first, which is a quarter faster because the API server passes it through
// (docs/adr/0005), and remembers if SPDY is refused.
func (c *Client) Forward(ctx context.Context, namespace, pod string) (httpstream.Connection, error) {
	target := c.core.Get().Resource("pods").Namespace(namespace).Name(pod).SubResource("portforward").URL()
	var first error
	if !c.spdyRefused.Load() {
		soon, cancel := context.WithTimeoutCause(ctx, spdyResponseTimeout, errNoSPDYResponse)
		connection, err := c.forwardOverSPDY(soon, target)
		cancel()
		if err == nil || ctx.Err() != nil {
			return connection, err
		}
		first = err
	}
	conn, err := c.dialWebSocket(
		ctx, target, constants.WebsocketsSPDYTunnelingPrefix+portforward.PortForwardProtocolV1Name,
	)
	if err != nil {
		return nil, preferredError(err, first)
	}
	c.spdyRefused.Store(true)
	return newConnection(
		newKeepaliveConn(portforward.NewTunnelingConnectionWithLogger(logr.Discard(), conn), c.clock, c.timeouts),
	)
}

func (c *Client) forwardOverSPDY(ctx context.Context, target *url.URL) (httpstream.Connection, error) {
	transport, upgrade, err := c.spdyTransport(ctx)
	if err != nil {
		return nil, err
	}
	dialer := restspdy.NewDialerForStreaming(
		restspdy.NewUpgraderForStreaming(upgrade), &http.Client{Transport: transport}, http.MethodPost, target)
	connection, protocol, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	if ctx.Err() != nil {
		upgrade.end()
		return nil, context.Cause(ctx)
	}
	if upgrade.timedOut.Load() {
		return nil, noResponseError(c.timeouts.Response)
	}
	if err != nil {
		return nil, err
	}
	if protocol != portforward.PortForwardProtocolV1Name {
		return nil, errors.Join(
			fmt.Errorf("the server speaks %q, we %q", protocol, portforward.PortForwardProtocolV1Name), connection.Close())
	}
	return forwardConnection{connection, upgrade.session}, nil
}

// forwardConnection restores a method that client-go's wrapper hides.
type forwardConnection struct {
	httpstream.Connection
	conn *keepaliveConn
}

// Lost returns why the connection ended if it was idle for too long, and nil otherwise.
func (f forwardConnection) Lost() error { return f.conn.Lost() }
