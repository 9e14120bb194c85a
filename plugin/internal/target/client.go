// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package target

import (
	"errors"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

// NewClient returns the SDK's client with the connections of a command. It contacts no cluster.
func NewClient(f factory.Factory, options ...sdk.Option) (*sdk.Client, error) {
	a, err := factory.NewClients(f)
	if err != nil {
		return nil, err
	}
	config, err := f.RESTConfig()
	if err != nil {
		return nil, err
	}
	network, err := stream.New(config, f.Clock())
	if err != nil {
		return nil, err
	}
	clients := sdk.Clients{Sandboxes: a.Sandboxes, Kubernetes: a.Kubernetes, Network: network}
	return sdk.NewWith(clients, append(options, sdk.WithNamespace(a.Namespace), sdk.WithClock(f.Clock()))...)
}

// Cause removes from an error of the SDK what the user of a command knows: the sandbox and the operation.
func Cause(err error) error {
	if of, ok := errors.AsType[*sdk.Error](err); ok {
		return of.Err
	}
	return err
}
