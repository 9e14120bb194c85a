// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Created is a claim or a Sandbox that was created.
type Created struct{ target *resolve.Target }

// Target returns what was created.
func (c *Created) Target() *resolve.Target { return c.target }

// Object returns the created object.
func (c *Created) Object() runtime.Object {
	if c.target.Claim != nil {
		return c.target.Claim
	}
	return c.target.Sandbox
}

// Ref returns an unambiguous reference, with the kind.
func (c *Created) Ref() resolve.Ref { return resolve.Ref{Kind: c.target.Kind(), Name: c.target.Name()} }

// Description names the object in a sentence, as in "Claim dev".
func (c *Created) Description() string {
	if c.target.Claim != nil {
		return "Claim " + c.target.Claim.Name
	}
	return "Sandbox " + c.target.Sandbox.Name
}

// Object returns the claim or the Sandbox that validated options describe.
func (o *Options) Object(namespace string, f factory.Factory) runtime.Object {
	if o.createsClaim() {
		return o.BuildClaim(namespace, f.Clock().Now())
	}
	return o.BuildSandbox(namespace, f.Clock().Now())
}

// Create creates the object that validated options describe. It prints the remarks of the SDK as warnings to stderr,
// and unless Quiet one about a Sandbox without a limit. A claim that its template does not admit is refused.
func (o *Options) Create(
	ctx context.Context, f factory.Factory, a *factory.Clients, streams genericiooptions.IOStreams,
) (*Created, error) {
	target := &resolve.Target{Namespace: a.Namespace, Ref: resolve.Ref{Name: o.Name}}
	now := f.Clock().Now()
	if !o.createsClaim() {
		created, err := a.Client.Create(ctx, o.BuildSandbox(a.Namespace, now), o.DryRun.OnServer())
		target.Sandbox = created
		if err == nil && !o.Quiet {
			WarnWithoutLimit(streams.ErrOut, "Sandbox "+o.Name, &created.Spec.PodTemplate.Spec,
				"--memory (-q omits this warning)")
		}
		return &Created{target}, err
	}
	if err := o.checkAdditions(ctx, f, a, streams.ErrOut); err != nil {
		return nil, err
	}
	created, remarks, err := a.Client.CreateClaim(ctx, o.BuildClaim(a.Namespace, now), o.DryRun.OnServer())
	for _, remark := range remarks {
		_, _ = printable.Fprintf(streams.ErrOut, "Warning: %s\n", remark) // best effort
	}
	target.Claim = created
	return &Created{target}, err
}

// WaitReady waits until the object is ready and returns it in that state. It prints obstacles to stderr.
func (o *Options) WaitReady(
	ctx context.Context, a *factory.Clients, created *Created, streams genericiooptions.IOStreams,
) (*Created, error) {
	remarks := streams.ErrOut
	if o.Quiet {
		remarks = io.Discard
	}
	progress := cli.NewWaitProgress(remarks)
	target, err := a.Wait(ctx, await.Request{
		Namespace: a.Namespace, Ref: created.Ref(), UID: created.target.UID(),
		Goal: await.Ready, Timeout: o.Waiting.Timeout, GiveUp: true, Progress: progress.PrinterFor(o.Name, await.Ready),
	}, streams.ErrOut)
	if err != nil {
		return nil, err
	}
	return &Created{target}, nil
}
