// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package target resolves the sandbox that a command names to a running container, and runs programs in it.
package target

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

// Container is a running container of a sandbox, with what it takes to connect to it.
type Container struct {
	Clients *factory.Clients
	Sandbox *resolve.Target
	Network stream.Network
	Address stream.Container
	Factory factory.Factory
}

// Resolve finds the container of that name, or the default one if the name is empty. It does not connect yet. A sandbox
// that is not running is an error.
func Resolve(ctx context.Context, f factory.Factory, ref resolve.Ref, container string) (*Container, error) {
	return ResolveIn(ctx, f, "", ref, container)
}

// ResolveIn is Resolve in a namespace; the empty one is that of the command.
func ResolveIn(
	ctx context.Context, f factory.Factory, namespace string, ref resolve.Ref, container string,
) (*Container, error) {
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
	if namespace == "" {
		namespace = a.Namespace
	}
	t, in, err := a.Resolver.RunningContainer(ctx, namespace, ref, container)
	if err != nil {
		return nil, err
	}
	return &Container{
		Clients: a, Sandbox: t, Network: network, Factory: f,
		Address: in,
	}, nil
}

// Run runs a command in a session. Its error is that of Result.
func (c *Container) Run(ctx context.Context, session *terminal.Session, command []string) error {
	return c.Result(session.Run(ctx, c.Factory.Clock(), c.Network, c.Address, command))
}

// Attach connects a session with the container's main process. Its error is that of Result.
func (c *Container) Attach(ctx context.Context, session *terminal.Session) error {
	return c.Result(session.Attach(ctx, c.Factory.Clock(), c.Network, c.Address))
}

// Result returns the error with which our command ends after a remote command ended with err. A remote exit code is
// passed on without a message.
func (c *Container) Result(err error) error {
	if start, ok := errors.AsType[*stream.StartError](err); ok {
		return cli.StartError(start.ExitCode(), fmt.Errorf("container %s of %s: %w", c.Address.Name, c.Sandbox.Name(), err))
	}
	return Result(err)
}

// Result is like Container.Result if it is not known which container ran the command.
func Result(err error) error {
	var ended *stream.ExitError
	var lost *stream.LostError
	switch {
	case errors.As(err, &ended):
		return cli.RemoteExitError(ended.Code)
	case errors.As(err, &lost):
		return cli.ConnectionLostError(lost)
	case errors.Is(err, terminal.ErrDetached):
		return cli.ConnectionLostError(err)
	}
	return err
}

// AddContainerFlag adds --container to a command whose first argument is a sandbox.
func AddContainerFlag(cmd *cobra.Command, f factory.Factory, container *string) {
	cmd.Flags().StringVarP(container, "container", "c", "",
		"The container. (default: the one that the Pod marks as its default, or the first)")
	_ = cmd.RegisterFlagCompletionFunc("container", cli.CompleteContainers(f)) // it fails only for an unknown flag
}
