// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package access opens, for a command that has been validated, what it needs of the cluster and the SDK.
package access

import (
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/observe"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/wait"
)

// Access is a way into one namespace of a cluster.
type Access struct {
	Namespace  string
	Sandboxes  versioned.Interface
	Kubernetes kubernetes.Interface
	Resolver   *resolve.Resolver
	Observer   *observe.Observer
	Waiter     *wait.Waiter
	Client     *sandbox.Client
	Pools      *pool.Client
}

// Open makes the clients; it contacts nothing yet.
func Open(f factory.Factory) (*Access, error) {
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
	return &Access{
		Namespace: namespace, Sandboxes: sandboxes, Kubernetes: kubernetes,
		Resolver: resolve.New(sandboxes, kubernetes, f.Clock()),
		Observer: observe.New(kubernetes, f.Clock()),
		Waiter:   wait.New(sandboxes, kubernetes, f.Clock()),
		Client:   sandbox.New(sandboxes, f.Clock()),
		Pools:    pool.New(sandboxes, f.Clock()),
	}, nil
}
