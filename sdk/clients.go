// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/transport"
)

// Clients are the connections to a cluster that a Client uses.
type Clients struct {
	Sandboxes  versioned.Interface
	Kubernetes kubernetes.Interface
	Network    stream.Network
}

// NewClients returns the clients for a cluster. Their requests survive broken connections and do not wait for a server
// that has gone silent, as package transport describes.
func NewClients(config *rest.Config, clock clock.WithTicker) (Clients, error) {
	config = transport.Wrap(config, clock)
	sandboxes, err := versioned.NewForConfig(config)
	if err != nil {
		return Clients{}, fmt.Errorf("create the sandbox clientset: %w", err)
	}
	core, err := kubernetes.NewForConfig(config)
	if err != nil {
		return Clients{}, fmt.Errorf("create the Kubernetes clientset: %w", err)
	}
	network, err := stream.New(config, clock)
	if err != nil {
		return Clients{}, fmt.Errorf("create the network: %w", err)
	}
	return Clients{Sandboxes: sandboxes, Kubernetes: core, Network: network}, nil
}
