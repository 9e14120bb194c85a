// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package token

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/installer"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// overTunnel returns the way to a Pod of a router through the API server. Unless the user names another namespace, it
// is the operator's: whoever may create a Service elsewhere must not get the user's credentials.
func (o *Options) overTunnel(
	ctx context.Context, f factory.Factory, config *rest.Config, client *http.Client,
) (*router, error) {
	objects, err := f.Kubernetes()
	if err != nil {
		return nil, err
	}
	namespace := o.Router
	if namespace == "" {
		if namespace, err = installer.FindNamespace(ctx, objects); err != nil {
			return nil, err
		}
	}
	network, err := stream.New(config, f.Clock())
	if err != nil {
		return nil, err
	}
	found, err := connect.Tunnel{Namespace: namespace}.Connect(ctx, connect.Cluster{
		Kubernetes: objects, Network: network, Clock: f.Clock(),
	})
	if errors.Is(err, connect.ErrNoRouter) {
		return nil, fmt.Errorf("%w: install one (install --router), or give --router with its URL or namespace", err)
	}
	if err != nil {
		return nil, err
	}
	transport := target.TunnelTransport(func(ctx context.Context) (net.Conn, error) {
		conn, err := found.Dial(ctx)
		if err != nil {
			return nil, &dialError{err}
		}
		return conn, nil
	})
	client.Transport = transport
	r := &router{
		client: client, base: found.URL, name: "the router in namespace " + namespace, close: transport.CloseIdleConnections,
	}
	if err := r.checkHealth(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// checkHealth checks that it is a router, before it gets to see credentials, and whether it speaks TLS.
func (r *router) checkHealth(ctx context.Context) error {
	status, answer, err := r.ask(ctx, http.MethodGet, "healthz", "", nil)
	if err == nil && target.WantsTLS(status, string(answer)) {
		r.base.Scheme = "https"
		status, answer, err = r.ask(ctx, http.MethodGet, "healthz", "", nil)
	}
	if err == nil && (status != http.StatusOK || strings.TrimSpace(string(answer)) != `{"status":"ok"}`) {
		err = fmt.Errorf("what answers for %s is not a router", r.name)
	}
	return err
}

// dialError is an error of the connection to the API server.
type dialError struct{ error }

// Unwrap returns the cause.
func (e *dialError) Unwrap() error { return e.error }
