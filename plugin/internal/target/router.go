// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
)

const (
	// schemeTimeout is how long a router may take to answer which scheme it speaks.
	schemeTimeout = 30 * time.Second
	// maxRefusal is how much of that answer is read.
	maxRefusal = 4 << 10

	schemeHTTP  = "http"
	schemeHTTPS = "https"
)

// TunnelTransport returns a transport for requests to Pods of a router that are dialed through the API server. It
// accepts any certificate: the API server and the kubelet vouch for the Pod, as they do without TLS.
func TunnelTransport(dial func(ctx context.Context) (net.Conn, error)) *http.Transport {
	return &http.Transport{
		DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // as the comment says
	}
}

// WantsTLS reports whether an answer to a request without TLS says that the server speaks nothing else.
func WantsTLS(status int, answer string) bool {
	return status == http.StatusBadRequest && strings.Contains(answer, "HTTPS server")
}

// RouterScheme returns how a router is spoken to over a tunnel: https if it has a certificate. A router that does not
// answer, which the first request will tell, counts as one without.
func RouterScheme(ctx context.Context, router connect.Endpoint) string {
	transport := TunnelTransport(router.Dial)
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, schemeTimeout)
	defer cancel()
	asked := *router.URL
	asked.Scheme = schemeHTTP
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, asked.JoinPath("healthz").String(), http.NoBody)
	if err != nil {
		return schemeHTTP
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return schemeHTTP
	}
	defer response.Body.Close()
	if answer, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal)); err == nil &&
		WantsTLS(response.StatusCode, string(answer)) {
		return schemeHTTPS
	}
	return schemeHTTP
}
