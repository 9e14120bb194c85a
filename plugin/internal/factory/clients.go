// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package factory

import (
	"context"
	"fmt"
	"io"
	"sync"

	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/observe"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// Clients are the clients and SDK objects for one namespace of a cluster.
type Clients struct {
	Namespace  string
	Sandboxes  versioned.Interface
	Kubernetes kubernetes.Interface
	Resolver   *resolve.Resolver
	Observer   *observe.Observer
	Waiter     *await.Waiter
	Client     *sandbox.Client
	Pools      *pool.Client
	Volumes    *volume.Client
	Operator   *operator.Monitor

	// warnOnce prints the warning of Wait once for a command that waits for several sandboxes.
	warnOnce sync.Once
}

// NewClients creates the clients. It contacts no cluster.
func NewClients(f Factory) (*Clients, error) {
	namespace, _, err := f.Namespace()
	if err != nil {
		return nil, err
	}
	sandboxes, err := f.Sandboxes()
	if err != nil {
		return nil, err
	}
	kubernetes, err := f.Kubernetes()
	if err != nil {
		return nil, err
	}
	return &Clients{
		Namespace: namespace, Sandboxes: sandboxes, Kubernetes: kubernetes,
		Resolver: resolve.New(sandboxes, kubernetes, f.Clock()),
		Observer: observe.New(sandboxes, kubernetes, f.Clock()),
		Waiter:   await.New(sandboxes, kubernetes, f.Clock()),
		Client:   sandbox.New(sandboxes, f.Clock()),
		Pools:    pool.New(sandboxes, f.Clock()),
		Volumes:  volume.New(sandboxes, kubernetes),
		Operator: operator.NewMonitor(kubernetes, f.Clock()),
	}, nil
}

// Wait waits for what the request describes. If no operator manages the namespace, it first prints a warning to errOut,
// once for these Clients.
func (c *Clients) Wait(ctx context.Context, r await.Request, errOut io.Writer) (*resolve.Target, error) {
	progress := &heldProgress{report: r.Progress}
	r.Progress = progress.update
	if r.Timeout == 0 {
		progress.release()
	} else {
		defer c.WarnWithoutOperator(ctx, r.Namespace, progress.release, heldWarning{progress, errOut})()
	}
	return c.Waiter.For(ctx, r)
}

// WarnWithoutOperator prints a warning to errOut, once for these Clients, if no operator manages the namespace, and
// then calls checked; it also does so if all is well. It looks again until stop is called, which returns when nothing
// is printed any more.
func (c *Clients) WarnWithoutOperator(
	ctx context.Context, namespace string, checked func(), errOut io.Writer,
) (stop func()) {
	watching, cancel := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() {
		c.Operator.Watch(watching, namespace, checked, func(problem operator.Problem) {
			// best effort
			c.warnOnce.Do(func() { _, _ = fmt.Fprintf(errOut, "Warning: %s\n", OperatorWarning(namespace, problem)) })
		})
	})
	return func() {
		cancel()
		watched.Wait()
	}
}

// OperatorWarning returns the warning that no operator manages a namespace. If no operator was found at all,
// another implementation may still be running.
func OperatorWarning(namespace string, problem operator.Problem) string {
	message := printable.Line(problem.Message)
	if problem.Absent {
		return fmt.Sprintf("perhaps no operator manages sandboxes in namespace %s: %s", namespace, message)
	}
	return fmt.Sprintf("no operator manages sandboxes in namespace %s: %s. Nothing will change until an operator runs",
		namespace, message)
}
