// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"context"

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

// Target is what was created.
func (m *Created) Target() *resolve.Target { return m.target }

// Object is what was created.
func (m *Created) Object() runtime.Object {
	if m.target.Claim != nil {
		return m.target.Claim
	}
	return m.target.Sandbox
}

// Ref is the name that leads to it and to nothing else.
func (m *Created) Ref() resolve.Ref { return resolve.Ref{Kind: m.target.Kind(), Name: m.target.Name()} }

// Description names the object in a sentence, as in "Claim dev".
func (m *Created) Description() string {
	if m.target.Claim != nil {
		return "Claim " + m.target.Claim.Name
	}
	return "Sandbox " + m.target.Sandbox.Name
}

// Object returns the claim or the Sandbox that validated options describe.
func (o *Options) Object(namespace string, f factory.Factory) runtime.Object {
	if o.createsClaim() {
		return o.BuildClaim(namespace, f.Clock().Now())
	}
	return o.BuildSandbox(namespace, f.Clock().Now())
}

// Create creates what validated options describe. What the cluster could not do as asked is told on stderr.
func (o *Options) Create(ctx context.Context, f factory.Factory, a *factory.Clients, streams genericiooptions.IOStreams) (*Created, error) {
	target := &resolve.Target{Namespace: a.Namespace, Ref: resolve.Ref{Name: o.Name}}
	now := f.Clock().Now()
	if !o.createsClaim() {
		created, err := a.Client.Create(ctx, o.BuildSandbox(a.Namespace, now), o.DryRun.OnServer())
		target.Sandbox = created
		return &Created{target}, err
	}
	created, remarks, err := a.Client.CreateClaim(ctx, o.BuildClaim(a.Namespace, now), o.DryRun.OnServer())
	for _, remark := range remarks {
		_, _ = printable.Fprintf(streams.ErrOut, "Warning: %s\n", remark) // there is nowhere else to say it
	}
	target.Claim = created
	return &Created{target}, err
}

// WaitReady waits until what was made is ready and returns it as it was then. What stands in the way is told on stderr.
func (o *Options) WaitReady(ctx context.Context, a *factory.Clients, made *Created, streams genericiooptions.IOStreams) (*Created, error) {
	progress := cli.NewWaitProgress(streams.ErrOut)
	target, err := a.Wait(ctx, await.Request{
		Namespace: a.Namespace, Ref: made.Ref(), UID: made.target.UID(),
		Goal: await.Ready, Timeout: o.Waiting.Timeout, GiveUp: true, Progress: progress.Of(o.Name, await.Ready),
	}, streams.ErrOut)
	if err != nil {
		return nil, err
	}
	return &Created{target}, nil
}
