// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package portforward

import (
	"errors"
	"net"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/follow"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

func TestWhatANodeSaysOfAPortSteersNoTerminal(t *testing.T) {
	hostile := errors.New("it failed: \x1b]0;owned\x07\u202e\u009b2J")
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	r := &reporter{streams: streams, open: func(string) error { return hostile }}
	listener := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8000}
	r.event(tunnel.Event{Listener: listener, Remote: 80})
	r.event(tunnel.Event{Listener: listener, Remote: 80, Err: hostile})
	r.state(follow.State{Err: hostile})
	if said := errOut.String(); strings.Count(said, "owned") != 3 {
		t.Errorf("it is not told: %q", said)
	}
	if said := out.String() + errOut.String(); strings.ContainsAny(said, "\x1b\x07\u202e\u009b") {
		t.Errorf("the terminal would obey %q", said)
	}
}
