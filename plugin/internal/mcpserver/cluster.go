// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// cluster connects to the cluster at the first call that needs it.
type cluster struct {
	factory factory.Factory
	waiting waiting

	mu      sync.Mutex
	clients *factory.Clients
	client  *sdk.Client // nil until the first call
}

// connect returns the clients of the namespace.
func (c *cluster) connect() (*factory.Clients, *sdk.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		return c.clients, c.client, nil
	}
	clients, err := factory.NewClients(c.factory)
	if err != nil {
		return nil, nil, err
	}
	client, err := target.NewClient(c.factory, sdk.WithProgress(c.waiting.tell), sdk.WithCleanupTimeout(cleanupTimeout))
	if err != nil {
		return nil, nil, err
	}
	c.clients, c.client = clients, client
	return clients, client, nil
}

// connected returns the client if there was a call that needed it, otherwise nil.
func (c *cluster) connected() *sdk.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.client
}

// explain returns an error with the message that a command of the plugin would print.
func (c *cluster) explain(err error) error {
	if errors.Is(err, errEnded) {
		return errEnded
	}
	messages := printing.ErrorMessages(target.Cause(err), c.factory)
	if len(messages) == 0 {
		return err
	}
	return errors.New(printable.Text(strings.Join(messages, "\n")))
}

// operatorWarning says why no operator manages the namespace. It is empty if one does, or if that is unknown.
func (c *cluster) operatorWarning(ctx context.Context, clients *factory.Clients) string {
	problem, _, err := clients.Operator.Problem(ctx, clients.Namespace)
	if err != nil || problem.Message == "" {
		return ""
	}
	return factory.OperatorWarning(clients.Namespace, problem)
}

// waiting passes on what sandboxes wait for to the calls that wait for them.
type waiting struct {
	mu    sync.Mutex
	calls map[string][]*progress // by the name of the sandbox
}

// tell is called by the SDK.
func (w *waiting) tell(name, obstacle string) {
	if obstacle == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, call := range w.calls[name] {
		call.add(fmt.Appendf(nil, "%s: %s\n", name, obstacle))
	}
}

// listen makes a call hear what a sandbox waits for, until stop is called.
func (w *waiting) listen(name string, call *progress) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls == nil {
		w.calls = map[string][]*progress{}
	}
	w.calls[name] = append(w.calls[name], call)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		rest := w.calls[name][:0:0]
		for _, other := range w.calls[name] {
			if other != call {
				rest = append(rest, other)
			}
		}
		if w.calls[name] = rest; len(rest) == 0 {
			delete(w.calls, name)
		}
	}
}
