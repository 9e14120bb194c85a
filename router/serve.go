// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/proxy"
)

// Limits for clients.
const (
	readHeaderTimeout = 10 * time.Second // for the header of a request
	idleTimeout       = 2 * time.Minute  // for a connection without requests
	maxHeader         = 64 << 10
	maxStreams        = 250 // requests at once on one HTTP/2 connection
	pingAfter         = 30 * time.Second
	pingTimeout       = 15 * time.Second
	// maxUnread and maxUnreadOfAll limit what an HTTP/2 client may send before a Pod reads it: in one request, and in all
	// of a connection. By default they are equal, so that one upload that stalls holds up all others.
	maxUnread      = 256 << 10
	maxUnreadOfAll = 16 << 20
)

// front is the server for the clients of the router.
type front struct {
	server   *http.Server
	draining atomic.Bool
	running  sync.WaitGroup
	stop     context.CancelCauseFunc // of all requests
}

// newFront returns a server for the handler. With certificates, it speaks TLS.
func newFront(
	h http.Handler, certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error), log logr.Logger,
) *front {
	f := &front{}
	requests, stop := context.WithCancelCause(context.Background())
	f.stop = stop
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(certificate != nil)
	protocols.SetUnencryptedHTTP2(certificate == nil)
	f.server = &http.Server{
		Handler: f.track(h), Protocols: protocols, ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, SendPingTimeout: pingAfter, PingTimeout: pingTimeout,
			MaxReceiveBufferPerStream: maxUnread, MaxReceiveBufferPerConnection: maxUnreadOfAll,
		},
		BaseContext: func(net.Listener) context.Context { return requests },
		ErrorLog:    slog.NewLogLogger(logr.ToSlogHandler(log.V(1)), slog.LevelInfo),
	}
	if certificate != nil {
		f.server.TLSConfig = &tls.Config{GetCertificate: certificate, MinVersion: tls.VersionTLS12}
	}
	return f
}

// track counts the requests, WebSocket connections included. A router that drains asks each client to connect anew,
// which leads it to another router.
func (f *front) track(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.running.Add(1)
		defer f.running.Done()
		if f.draining.Load() && r.Header.Get("Upgrade") == "" {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

// serve serves the listener until the context ends, and then drains: for the delay it goes on as before, because others
// learn with a delay that it ends; then it accepts no more and lets the running requests end, for the timeout. The
// function drain is called when draining begins.
func (f *front) serve(ctx context.Context, listener net.Listener, config Config, drain func()) error {
	failed := make(chan error, 1)
	go func() {
		if f.server.TLSConfig != nil {
			failed <- f.server.ServeTLS(listener, "", "")
		} else {
			failed <- f.server.Serve(listener)
		}
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	drain()
	f.draining.Store(true)
	select {
	case err := <-failed:
		return fmt.Errorf("serve while draining: %w", err)
	case <-time.After(config.DrainDelay):
	}
	return f.shutdown(config.DrainTimeout)
}

func (f *front) shutdown(timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	err := f.server.Shutdown(ctx)
	if err == nil { // nothing but connections that were taken over
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			f.running.Wait()
		}()
		select {
		case <-ended:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	f.stop(proxy.ErrStopping)
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return f.cut()
}

// cutTimeout is for requests that were stopped, to answer their clients.
const cutTimeout = time.Second

// cut ends what is left.
func (f *front) cut() error {
	ctx, cancel := context.WithTimeout(context.Background(), cutTimeout)
	defer cancel()
	if err := f.server.Shutdown(ctx); err != nil {
		return errors.Join(errors.New("not all requests ended in time"), f.server.Close())
	}
	return nil
}
