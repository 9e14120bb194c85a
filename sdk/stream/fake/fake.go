// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fake is an API server and a kubelet in this process, for tests of what goes through package stream. Both are the
// real code of Kubernetes: only what would run in a container is a function.
package fake

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/proxy"
	apiproxy "k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/client-go/rest"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	"k8s.io/streaming/pkg/httpstream/wsstream"
)

// Process is one command, as a container runtime gets it.
type Process struct {
	Container string
	Command   []string
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
	TTY       bool
	Sizes     <-chan remotecommand.TerminalSize
}

// Server plays the cluster. Its fields may be changed until the first request.
type Server struct {
	// Exec runs a command. An error of k8s.io/utils/exec's CodeExitError is an exit code, any other one a failure to start.
	Exec func(ctx context.Context, process Process) error
	// Forward serves a connection to a port.
	Forward func(ctx context.Context, port int32, connection io.ReadWriteCloser) error
	// OnlySPDY refuses WebSocket, as an old API server or a proxy does.
	OnlySPDY bool
	// Refuse answers a request itself when it returns true, for instance with a failure.
	Refuse func(w http.ResponseWriter, r *http.Request) bool

	api, kubelet *httptest.Server
	listener     *listener
}

// New starts a server. Close ends it.
func New() *Server {
	s := &Server{}
	s.kubelet = httptest.NewServer(http.HandlerFunc(s.serveKubelet))
	s.api = httptest.NewUnstartedServer(http.HandlerFunc(s.serveAPI))
	s.listener = &listener{Listener: s.api.Listener}
	s.api.Listener = s.listener
	s.api.Start()
	return s
}

// Config is a client's configuration for the server.
func (s *Server) Config() *rest.Config { return &rest.Config{Host: s.api.URL} }

// Cut breaks all connections between client and API server.
func (s *Server) Cut() { s.listener.cut() }

// Close ends the server.
func (s *Server) Close() {
	s.Cut()
	s.kubelet.CloseClientConnections()
	s.api.Close()
	s.kubelet.Close()
}

func (s *Server) serveAPI(w http.ResponseWriter, r *http.Request) {
	if s.Refuse != nil && s.Refuse(w, r) {
		return
	}
	if s.OnlySPDY && wsstream.IsWebSocketRequest(r) {
		http.Error(w, "no WebSocket here", http.StatusBadRequest)
		return
	}
	location, err := url.Parse(s.kubelet.URL)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	location.Path, location.RawQuery = r.URL.Path, r.URL.RawQuery
	var handler http.Handler = proxy.NewUpgradeAwareHandler(location, http.DefaultTransport, false, true, responder{})
	switch {
	case wsstream.IsWebSocketRequest(r) && strings.HasSuffix(r.URL.Path, "/portforward"):
		handler = apiproxy.NewTunnelingHandler(handler)
	case wsstream.IsWebSocketRequest(r):
		options := optionsOf(r)
		handler = apiproxy.NewStreamTranslatorHandler(location, http.DefaultTransport, 0, apiproxy.Options{
			Stdin: options.Stdin, Stdout: options.Stdout, Stderr: options.Stderr, Tty: options.TTY,
		})
	}
	handler.ServeHTTP(w, r)
}

type responder struct{}

// Error implements proxy.ErrorResponder.
func (responder) Error(w http.ResponseWriter, _ *http.Request, err error) {
	http.Error(w, err.Error(), http.StatusInternalServerError)
}

func optionsOf(r *http.Request) *remotecommand.Options {
	query := r.URL.Query()
	return &remotecommand.Options{
		Stdin: query.Get("stdin") == "true", Stdout: query.Get("stdout") == "true",
		Stderr: query.Get("stderr") == "true", TTY: query.Get("tty") == "true",
	}
}

func (s *Server) serveKubelet(w http.ResponseWriter, r *http.Request) {
	const idle, creation = time.Hour, 10 * time.Second
	if strings.HasSuffix(r.URL.Path, "/portforward") {
		portforward.ServePortForward(w, r, s, "pod", "", &portforward.V4Options{}, idle, creation, portforward.SupportedProtocols)
		return
	}
	query := r.URL.Query()
	remotecommand.ServeExec(w, r, s, "pod", "", query.Get("container"), query["command"], optionsOf(r), idle, creation,
		remotecommand.SupportedStreamingProtocols)
}

// ExecInContainer implements remotecommand.Executor.
func (s *Server) ExecInContainer(
	ctx context.Context, _, _, container string, command []string, in io.Reader, out, errOut io.WriteCloser, tty bool,
	resize <-chan remotecommand.TerminalSize, _ time.Duration,
) error {
	process := Process{Container: container, Command: command, TTY: tty, Sizes: resize}
	process.Stdin, process.Stdout, process.Stderr = strings.NewReader(""), io.Discard, io.Discard
	if in != nil {
		process.Stdin = in
	}
	if out != nil {
		process.Stdout = out
		defer out.Close()
	}
	if errOut != nil {
		process.Stderr = errOut
		defer errOut.Close()
	}
	return s.Exec(ctx, process)
}

// PortForward implements portforward.PortForwarder.
func (s *Server) PortForward(ctx context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	return s.Forward(ctx, port, stream)
}

// listener remembers its connections: an http.Server forgets those that were upgraded.
type listener struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.conns = append(l.conns, conn)
	}
	return conn, err
}

func (l *listener) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		_ = conn.Close() // it may be closed already
	}
	l.conns = nil
}
