// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package connect finds the router, which HTTP requests to sandboxes go through, and the token that it asks for.
//
// Invariants:
//   - an address that the cluster gives is only ever a host: nothing in it can change where a request goes;
//   - a strategy that cannot work says so when it is asked, and names what is missing.
package connect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"

	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// ErrNoRouter is in the chain of the error if there is no router to connect to.
var ErrNoRouter = errors.New("no router")

// Cluster is what strategies use to find the router.
type Cluster struct {
	Kubernetes kubernetes.Interface
	Network    stream.Network
	Clock      clock.WithTicker
}

// Endpoint is where a router is.
type Endpoint struct {
	// URL is put before the paths of requests.
	URL *url.URL
	// Dial connects to the router. Nil dials the host of the URL, or the proxy that the environment names for it.
	Dial func(ctx context.Context) (net.Conn, error)
}

// Strategy finds the router. If it has a method Validate() error, that is called when a Client is made.
type Strategy interface {
	// Connect returns where the router is. It may wait until there is one, for as long as the context permits. It is
	// called again when the endpoint cannot be dialed.
	Connect(ctx context.Context, cluster Cluster) (Endpoint, error)
}

// URL is the Strategy for a router whose URL is known, for instance https://sandboxes.example.com, or
// http://sandbox-router-svc.agent-sandbox-system:8080 in the cluster.
type URL string

// Validate returns an error if it is not the URL of a server.
func (u URL) Validate() error {
	_, err := u.parse()
	return err
}

// Connect implements Strategy.
func (u URL) Connect(context.Context, Cluster) (Endpoint, error) {
	parsed, err := u.parse()
	return Endpoint{URL: parsed}, err
}

func (u URL) parse() (*url.URL, error) {
	parsed, err := url.Parse(string(u))
	if err != nil {
		return nil, fmt.Errorf("the URL of the router: %w", err)
	}
	switch {
	case parsed.Scheme != schemeHTTP && parsed.Scheme != schemeHTTPS, parsed.Host == "":
		err = errors.New("it must begin with http:// or https:// and a host")
	case parsed.User != nil, parsed.RawQuery != "", parsed.Fragment != "":
		err = errors.New("it must have neither a user, a query nor a fragment")
	}
	if err != nil {
		return nil, fmt.Errorf("the URL of the router, %s: %w", parsed.Redacted(), err)
	}
	return parsed, nil
}

// checkScheme returns an error for a scheme that routers do not speak; none at all is right.
func checkScheme(scheme string) error {
	if scheme != "" && scheme != schemeHTTP && scheme != schemeHTTPS {
		return fmt.Errorf("the scheme %q of the router: use %s or %s", scheme, schemeHTTP, schemeHTTPS)
	}
	return nil
}

const (
	schemeHTTP  = "http"
	schemeHTTPS = "https"
)
