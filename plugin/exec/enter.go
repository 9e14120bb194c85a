// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/access"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/terminal"
)

// Inside is a container that runs, and the way into it.
type Inside struct {
	Access    *access.Access
	Target    *resolve.Target
	Network   stream.Network
	Container stream.Container
	Factory   factory.Factory
}

// Enter finds the container. It fails with one clear error for a sandbox that does not run.
func Enter(ctx context.Context, f factory.Factory, ref resolve.Ref, container string) (*Inside, error) {
	a, err := access.Open(f)
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
	t, err := a.Resolver.Running(ctx, a.Namespace, ref)
	if err != nil {
		return nil, err
	}
	name, err := resolve.Container(t.Pod, container)
	if err != nil {
		return nil, err
	}
	return &Inside{
		Access: a, Target: t, Network: network, Factory: f,
		Container: stream.Container{Namespace: t.Namespace, Pod: t.Pod.Name, Name: name},
	}, nil
}

// Run runs a command in a session. It returns what Result makes of its error.
func (i *Inside) Run(ctx context.Context, session *terminal.Session, command []string) error {
	return i.Result(session.Run(ctx, i.Factory.Clock(), i.Network, i.Container, command))
}

// Attach connects a session with the container's main process.
func (i *Inside) Attach(ctx context.Context, session *terminal.Session) error {
	return i.Result(session.Attach(ctx, i.Factory.Clock(), i.Network, i.Container))
}

// Result turns how a remote command ended into the error of ours: its exit code is passed on without a word.
func (i *Inside) Result(err error) error {
	var ended *stream.ExitError
	var lost *stream.LostError
	var start *stream.StartError
	switch {
	case errors.As(err, &ended):
		return exit.Remote(ended.Code)
	case errors.As(err, &lost):
		return exit.Lost(lost)
	case errors.Is(err, terminal.ErrDetached):
		return exit.Lost(err)
	case errors.As(err, &start):
		return fmt.Errorf("container %s of %s: %w", i.Container.Name, i.Target.Name(), err)
	}
	return err
}
