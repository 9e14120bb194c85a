// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package portforward

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/follow"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

// The values of Event.Event.
const (
	eventListening = "listening" // Address, Port and Remote: connections are accepted
	eventConnected = "connected" // Address, Port and Remote: a client connected
	eventFailed    = "failed"    // Remote and Error: a connection failed
	eventWaiting   = "waiting"   // Error: why there is no Pod to connect to
	eventReady     = "ready"     // Pod: the Pod to connect to
)

// Event is one line of -o json.
type Event struct {
	Event   string `json:"event"`
	Address string `json:"address,omitempty"`
	Port    int    `json:"port,omitempty"`
	Remote  uint16 `json:"remote,omitempty"`
	Pod     string `json:"pod,omitempty"`
	Error   string `json:"error,omitempty"`
}

// reporter writes events. It drops write errors, because there is nowhere else to report them.
type reporter struct {
	streams genericiooptions.IOStreams
	json    bool
	open    func(url string) error // nil to open nothing; called at most once

	mu sync.Mutex
}

// event reports a connection or a listener.
func (r *reporter) event(e tunnel.Event) {
	event := Event{Event: eventListening, Remote: e.Remote}
	if host, port, err := net.SplitHostPort(e.Listener.String()); err == nil {
		event.Address = host
		event.Port, _ = strconv.Atoi(port) // the port of a listener is a number
	}
	switch {
	case e.Err != nil:
		event.Event, event.Error = eventFailed, e.Err.Error()
		r.write(event, "", fmt.Sprintf("A connection to port %d failed: %v\n", e.Remote, e.Err))
	case e.Connected:
		event.Event = eventConnected
		r.write(event, "", "")
	default:
		// The words of kubectl, for programs that wait for them.
		r.write(event, fmt.Sprintf("Forwarding from %s -> %d\n", e.Listener, e.Remote), "")
		r.show(event)
	}
}

// state reports the state of the sandbox.
func (r *reporter) state(s follow.State) {
	if s.Err != nil {
		r.write(Event{Event: eventWaiting, Error: s.Err.Error()}, "", fmt.Sprintf("%v: connections wait\n", s.Err))
		return
	}
	pod := s.Target.Pod.Name
	r.write(Event{Event: eventReady, Pod: pod}, "", fmt.Sprintf("Connected to Pod %s.\n", pod))
}

// write writes the event as JSON, or else the texts to standard output and error.
func (r *reporter) write(e Event, out, errOut string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.json {
		_ = json.NewEncoder(r.streams.Out).Encode(e)
		return
	}
	_, _ = io.WriteString(r.streams.Out, printable.Text(out))
	_, _ = io.WriteString(r.streams.ErrOut, printable.Text(errOut))
}

// show opens the browser for the first listener.
func (r *reporter) show(e Event) {
	if r.open == nil {
		return
	}
	open := r.open
	r.open = nil
	url := address(e)
	if err := open(url); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		_, _ = printable.Fprintf(r.streams.ErrOut, "Warning: could not start a browser (%v): open %s yourself\n", err, url)
	}
}
