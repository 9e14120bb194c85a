// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fakeserver is an API server and a kubelet in this process, for tests of package stream. Both run the real
// code of Kubernetes; only the commands in containers are functions.
package fakeserver

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/proxy"
	apiproxy "k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/client-go/rest"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	"k8s.io/streaming/pkg/httpstream/wsstream"
)

// Process is one command, as a container runtime receives it.
type Process struct {
	Pod       string
	Container string
	Command   []string
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
	TTY       bool
	Sizes     <-chan remotecommand.TerminalSize
}

// Server simulates the cluster. Its fields may be changed until the first request.
type Server struct {
	// Exec runs a command. An error of type CodeExitError of k8s.io/utils/exec is an exit code, any other a failure to
	// start.
	Exec func(ctx context.Context, process Process) error
	// Forward serves a connection to a port.
	Forward func(ctx context.Context, port int32, connection io.ReadWriteCloser) error
	// OnlySPDY refuses WebSocket, as an old API server or a proxy does.
	OnlySPDY bool
	// NoSPDY refuses SPDY, as a proxy that does not know it does.
	NoSPDY bool
	// Protocols are the versions that the kubelet speaks; if empty, all.
	Protocols []string
	// PassesOn makes the API server pass WebSocket on to the kubelet, as before Kubernetes 1.30, instead of translating
	// it.
	PassesOn bool
	// Faults are applied to the connections between client and API server.
	Faults Faults
	// Refuse may answer a request itself, for instance with a failure, and then returns true.
	Refuse func(w http.ResponseWriter, r *http.Request) bool

	api, kubelet *httptest.Server
	listener     *listener
}

// New starts a server. Close ends it.
func New() *Server {
	s := &Server{}
	s.kubelet = httptest.NewServer(http.HandlerFunc(s.serveKubelet))
	s.api = httptest.NewUnstartedServer(http.HandlerFunc(s.serveAPI))
	s.listener = &listener{Listener: s.api.Listener, faults: &s.Faults}
	s.api.Listener = s.listener
	s.api.Start()
	return s
}

// Config returns a client's configuration for the server.
func (s *Server) Config() *rest.Config { return &rest.Config{Host: s.api.URL} }

// Cut closes all connections between client and API server.
func (s *Server) Cut() { s.listener.cut(false) }

// Reset resets all connections, as a machine that has lost its state does.
func (s *Server) Reset() { s.listener.cut(true) }

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
	if s.NoSPDY && !wsstream.IsWebSocketRequest(r) {
		http.Error(w, "no SPDY here", http.StatusBadRequest)
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
	case wsstream.IsWebSocketRequest(r) && !s.PassesOn:
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
	pod := podOf(r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/portforward") {
		portforward.ServePortForward(
			w, r, s, pod, "", &portforward.V4Options{}, idle, creation, portforward.SupportedProtocols,
		)
		return
	}
	query := r.URL.Query()
	protocols := s.Protocols
	if len(protocols) == 0 {
		protocols = remotecommand.SupportedStreamingProtocols
	}
	if strings.HasSuffix(r.URL.Path, "/attach") {
		remotecommand.ServeAttach(w, r, s, pod, "", query.Get("container"), optionsOf(r), idle, creation, protocols)
		return
	}
	remotecommand.ServeExec(
		w, r, s, pod, "", query.Get("container"), query["command"], optionsOf(r), idle, creation, protocols,
	)
}

// podOf returns the name in .../pods/NAME/exec.
func podOf(path string) string {
	parts := strings.Split(path, "/")
	return parts[max(len(parts)-2, 0)]
}

// ExecInContainer implements remotecommand.Executor.
func (s *Server) ExecInContainer(
	ctx context.Context, pod, _, container string, command []string, in io.Reader, out, errOut io.WriteCloser, tty bool,
	resize <-chan remotecommand.TerminalSize, _ time.Duration,
) error {
	process := Process{Pod: pod, Container: container, Command: command, TTY: tty, Sizes: resize}
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

// AttachContainer implements remotecommand.Attacher. The main process is a command without words.
func (s *Server) AttachContainer(
	ctx context.Context, pod, uid, container string, in io.Reader, out, errOut io.WriteCloser, tty bool,
	resize <-chan remotecommand.TerminalSize,
) error {
	return s.ExecInContainer(ctx, pod, uid, container, nil, in, out, errOut, tty, resize, 0)
}

type podKey struct{}

// PodOf returns the Pod whose port is requested.
func PodOf(ctx context.Context) string {
	pod, _ := ctx.Value(podKey{}).(string)
	return pod
}

// PortForward implements portforward.PortForwarder.
func (s *Server) PortForward(ctx context.Context, pod, _ string, port int32, stream io.ReadWriteCloser) error {
	return s.Forward(context.WithValue(ctx, podKey{}, pod), port, stream)
}
