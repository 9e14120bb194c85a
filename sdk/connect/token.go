// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"k8s.io/client-go/rest"
)

// TokenSource returns the token that the router gets. It is called for each request, possibly concurrently.
type TokenSource func(ctx context.Context) (string, error)

// Token is the source of a token that does not change.
func Token(token string) TokenSource {
	return func(context.Context) (string, error) { return token, nil }
}

// TokenFile is the source of a token in a file that may change, such as a projected ServiceAccount token.
func TokenFile(path string) TokenSource {
	return func(context.Context) (string, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("read the token for the router: %w", err)
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			return "", fmt.Errorf("the file %s with the token for the router is empty", path)
		}
		return string(text), nil
	}
}

// ErrNoToken is the error if a configuration has no token: it may authenticate with a certificate, which the router
// cannot check.
var ErrNoToken = errors.New("the configuration of the client has no token for the router")

// ConfigToken is the source of the token with which a configuration authenticates to the API server, also one from a
// file or a credential plugin. The router gets a token that is good for the API server: use it only for a router of the
// same cluster, through a Tunnel or with TLS.
func ConfigToken(config *rest.Config) (TokenSource, error) {
	wrapped, err := rest.HTTPWrappersForConfig(config, captor{})
	if err != nil {
		return nil, fmt.Errorf("read the credentials of the client: %w", err)
	}
	return func(ctx context.Context) (string, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://captor/", http.NoBody)
		if err != nil {
			return "", err
		}
		response, err := wrapped.RoundTrip(request)
		if err != nil {
			return "", fmt.Errorf("read the credentials of the client: %w", err)
		}
		_ = response.Body.Close() // it has none
		token, ok := strings.CutPrefix(response.Request.Header.Get("Authorization"), "Bearer ")
		if !ok {
			return "", ErrNoToken
		}
		return token, nil
	}, nil
}

// captor sends nothing, and returns the request that it gets.
type captor struct{}

// RoundTrip implements http.RoundTripper.
func (captor) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody, Request: request,
	}, nil
}
