// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package access opens, for a command that has been validated, what it needs of the cluster and the SDK.
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

// Clients is a way into one namespace of a cluster.
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

	// told is what was said already, so that it is said once by a command that waits for several things.
	warnOnce sync.Once
}

// NewClients makes the clients; it contacts nothing yet.
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
		Observer: observe.New(kubernetes, f.Clock()),
		Waiter:   await.New(sandboxes, kubernetes, f.Clock()),
		Client:   sandbox.New(sandboxes, f.Clock()),
		Pools:    pool.New(sandboxes, f.Clock()),
		Volumes:  volume.New(sandboxes, kubernetes),
		Operator: operator.NewMonitor(kubernetes, f.Clock()),
	}, nil
}

// Wait waits as the Waiter does. Meanwhile it says on stderr, once, if it finds that no operator is there to do what is waited for.
func (a *Clients) Wait(ctx context.Context, r await.Request, errOut io.Writer) (*resolve.Target, error) {
	watching, stop := context.WithCancel(ctx)
	var watched sync.WaitGroup
	defer watched.Wait()
	defer stop()
	if r.Timeout != 0 {
		watched.Go(func() {
			a.Operator.Watch(watching, a.Namespace, func(trouble operator.Problem) {
				a.warnOnce.Do(func() { _, _ = fmt.Fprintf(errOut, "Warning: %s\n", OperatorWarning(a.Namespace, trouble)) }) // it is only a warning
			})
		})
	}
	return a.Waiter.For(ctx, r)
}

// OperatorWarning is how people are told that no operator is there. Where none was found, one of another kind may be there all the same.
func OperatorWarning(namespace string, trouble operator.Problem) string {
	message := printable.Line(trouble.Message)
	if trouble.Absent {
		return fmt.Sprintf("perhaps nothing looks after sandboxes in namespace %s: %s", namespace, message)
	}
	return fmt.Sprintf("nothing looks after sandboxes in namespace %s: %s. Nothing will change until an operator runs", namespace, message)
}
