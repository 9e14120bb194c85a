// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/installer"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/provision"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

// The values of --via.
const (
	viaAPIServer = "api-server"
	viaRouter    = "router"
)

func (o *Options) validateVia() error {
	switch {
	case o.Via != "" && o.Via != viaAPIServer && o.Via != viaRouter:
		return fmt.Errorf("--via %q: use %s or %s", o.Via, viaAPIServer, viaRouter)
	case o.Via == viaRouter && o.TTY != nil && *o.TTY:
		return errors.New("--via=router gives the command no terminal: leave out --tty")
	case o.Via == viaRouter && o.Container != "":
		return errors.New("--via=router runs the command where the runtime is: leave out --container")
	}
	return nil
}

// routerClient returns a client whose requests go through the router, with or without TLS as the router has it.
func routerClient(ctx context.Context, f factory.Factory) (*sdk.Client, error) {
	config, err := f.RESTConfig()
	if err != nil {
		return nil, err
	}
	token, err := connect.ConfigToken(config)
	if err != nil {
		return nil, err
	}
	kubernetes, err := f.Kubernetes()
	if err != nil {
		return nil, err
	}
	namespace, err := installer.FindNamespace(ctx, kubernetes)
	if err != nil {
		return nil, err
	}
	network, err := stream.New(config, f.Clock())
	if err != nil {
		return nil, err
	}
	way := connect.Tunnel{Namespace: namespace}
	router, err := way.Connect(ctx, connect.Cluster{Kubernetes: kubernetes, Network: network, Clock: f.Clock()})
	if errors.Is(err, connect.ErrNoRouter) {
		return nil, fmt.Errorf("%w: install one (install --router), or leave out --via=router", err)
	}
	if err != nil {
		return nil, err
	}
	way.Scheme = target.RouterScheme(ctx, router)
	return target.NewClient(f, sdk.WithConnection(way), sdk.WithRouterToken(token),
		sdk.WithHTTPTransport(target.TunnelTransport(router.Dial)))
}

// throughRouter runs the command through the router and the runtime of the sandbox.
func (o *Options) throughRouter(
	ctx context.Context, f factory.Factory, made *provision.Created, streams genericiooptions.IOStreams,
) error {
	client, err := routerClient(ctx, f)
	if err != nil {
		return err
	}
	box, err := client.Attach(ctx, made.Ref().String())
	if err != nil {
		return target.Cause(err)
	}
	session := terminal.New(streams, o.Stdin, new(false))
	// The runtime ends a command whose connection is closed, so that nothing is left to end.
	err = target.Within(ctx, f.Clock(), o.CommandTimeout, func(ctx context.Context) error {
		return session.Run(ctx, f.Clock(), runtime{Runtime: box.Runtime()}, stream.Container{}, o.Process.Command(o.Command))
	}, func(context.Context) error { return nil })
	if errors.Is(err, connect.ErrNoToken) {
		return fmt.Errorf("%w: give one with --token", err)
	}
	return target.Result(err)
}

// runtime is a network whose only container is that of the runtime.
type runtime struct {
	stream.Network // not used: it is nil
	*sdk.Runtime
}

// Exec implements stream.Network.
func (r runtime) Exec(ctx context.Context, _ stream.Container, process stream.Process) error {
	code, err := r.Runtime.Exec(ctx, process)
	cause := target.Cause(err)
	_, lost := errors.AsType[*stream.LostError](cause)
	switch {
	case err == nil && code != 0:
		return &stream.ExitError{Code: code}
	case !lost && errors.Is(err, sdk.ErrLost): // the router does not know whether the sandbox got the request
		return &stream.LostError{Cause: cause}
	}
	return cause
}
