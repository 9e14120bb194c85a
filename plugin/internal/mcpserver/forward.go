// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

const (
	maxPort = 65535
	// maxForwards is how many ports are forwarded at once.
	maxForwards = 16
	loopback    = "127.0.0.1"
)

func portTools() []definition {
	ports := func(_ *Server, schema *jsonschema.Schema) { between(schema, "port", 1, maxPort) }
	return []definition{
		{
			name: "forward_port", title: "Forward a port", changes: true,
			description: "Make a TCP port of a sandbox reachable on the user's machine, until stop_forwarding, or the end of " +
				"the sandbox or of the session. A port that is forwarded already keeps its address.",
			add: tool((*request).forward, func(s *Server, schema *jsonschema.Schema) {
				ports(s, schema)
				between(schema, "local_port", 0, maxPort)
			}),
		},
		{
			name: "stop_forwarding", title: "Stop forwarding a port", changes: true,
			description: "Stop forwarding a port of a sandbox.",
			add:         tool((*request).stopForwarding, ports),
		},
	}
}

type forwarding struct {
	targeted

	Port      int `json:"port" jsonschema:"port in the sandbox"`
	LocalPort int `json:"local_port,omitempty" jsonschema:"port on the user's machine; any free one if it is left out"`
}

type forwarded struct {
	Sandbox string `json:"sandbox" jsonschema:"name of the sandbox"`
	Port    int    `json:"port" jsonschema:"port in the sandbox"`
	Address string `json:"address,omitempty" jsonschema:"address on the user's machine"`
	Note    string `json:"note,omitempty" jsonschema:"what else to know"`
}

// forwardKey identifies a forwarded port.
type forwardKey struct {
	entry *entry
	port  int
}

// forwards has the ports that are forwarded.
type forwards struct {
	mu  sync.Mutex
	all map[forwardKey]*sdk.Forwarding
}

func (r *request) forward(ctx context.Context, in forwarding) (forwarded, error) {
	s := r.server
	e, err := s.table.find(in.Sandbox)
	if err != nil {
		return forwarded{}, err
	}
	box, err := s.box(ctx, e)
	if err != nil {
		return forwarded{}, err
	}
	s.forwards.mu.Lock()
	defer s.forwards.mu.Unlock()
	key := forwardKey{e, in.Port}
	result := forwarded{Sandbox: e.ref.Name, Port: in.Port, Note: s.expiryNote(e)}
	if there := s.forwards.all[key]; there != nil {
		result.Address = there.Addr().String()
		if in.LocalPort != 0 && result.Address != localAddress(in.LocalPort) {
			result.Note = "the port is forwarded already: stop_forwarding ends that"
		}
		return result, nil
	}
	if len(s.forwards.all) >= maxForwards {
		return forwarded{}, fmt.Errorf("%d ports are forwarded, and more are not possible: stop one first", maxForwards)
	}
	f, err := box.Forward(s.live, localAddress(in.LocalPort), in.Port)
	if err != nil {
		return forwarded{}, err
	}
	if s.forwards.all == nil {
		s.forwards.all = map[forwardKey]*sdk.Forwarding{}
	}
	s.forwards.all[key] = f
	go s.forwards.watch(key, f)
	result.Address = f.Addr().String()
	return result, nil
}

func localAddress(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

// watch drops a port when it is not forwarded any more.
func (f *forwards) watch(key forwardKey, of *sdk.Forwarding) {
	_ = of.Wait() // the next call says what is wrong
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all[key] == of {
		delete(f.all, key)
	}
}

func (r *request) stopForwarding(_ context.Context, in stopping) (forwarded, error) {
	s := r.server
	e, err := s.table.find(in.Sandbox)
	if err != nil {
		return forwarded{}, err
	}
	key := forwardKey{e, in.Port}
	s.forwards.mu.Lock()
	f := s.forwards.all[key]
	delete(s.forwards.all, key)
	s.forwards.mu.Unlock()
	if f == nil {
		return forwarded{}, fmt.Errorf("port %d of sandbox %s is not forwarded", in.Port, e.ref.Name)
	}
	return forwarded{Sandbox: e.ref.Name, Port: in.Port, Note: "it is not forwarded any more"}, f.Close()
}

type stopping struct {
	targeted

	Port int `json:"port" jsonschema:"port in the sandbox"`
}
