// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"io"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// StateChange changes the state of every selected sandbox, as suspend and resume do, and waits for it if requested.
type StateChange struct {
	// Doing and Done are the words of the result, as in "suspending" and "suspended".
	Doing, Done string
	Goal        await.Goal
	// Apply makes the change. changed is false if the sandbox was in the state already.
	Apply func(context.Context, *factory.Clients, *resolve.Target) (changed bool, err error)
}

// StateChangeOptions select the sandboxes and say whether to wait.
type StateChangeOptions struct {
	Selection SelectionOptions
	Waiting   WaitOptions
}

// Run changes every selected sandbox.
func (c StateChange) Run(
	ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *StateChangeOptions,
) error {
	clients, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	objects, err := o.Selection.Objects(ctx, clients.Sandboxes, clients.Namespace)
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		_, err = printable.Fprintf(streams.ErrOut, "%s\n", o.Selection.NoneSelected(clients.Namespace))
		return err
	}
	progress := NewWaitProgress(o.Selection.ProgressOut(streams.ErrOut))
	return ForEach(streams.Out, objects, func(object Selected) (string, error) {
		return c.changeOne(ctx, clients, object, o, progress, streams.ErrOut)
	})
}

// changeOne changes one sandbox and returns the line that says so.
func (c StateChange) changeOne(
	ctx context.Context, clients *factory.Clients, object Selected, o *StateChangeOptions,
	progress *WaitProgress, errOut io.Writer,
) (string, error) {
	target, err := clients.Resolver.ClaimAndSandbox(ctx, object.Namespace, object.Ref)
	if err != nil {
		return "", err
	}
	object.Ref = resolve.Ref{Kind: target.Kind(), Name: target.Name()}
	changed, err := c.Apply(ctx, clients, target)
	if err != nil {
		return "", err
	}
	if !o.Waiting.Wait {
		if !changed {
			return o.Selection.Result(object, "unchanged"), nil
		}
		return o.Selection.Result(object, c.Doing), nil
	}
	_, err = clients.Wait(ctx, await.Request{
		Namespace: object.Namespace, Ref: object.Ref, UID: target.UID(),
		Goal: c.Goal, Timeout: o.Waiting.Timeout, Progress: progress.PrinterFor(target.Name(), c.Goal),
	}, errOut)
	if err != nil {
		return "", err
	}
	return o.Selection.Result(object, c.Done), nil
}
