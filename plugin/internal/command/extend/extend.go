// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package extend is the command `extend`.
package extend

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/util/retry"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// Options are the names and flags.
type Options struct {
	Selection cli.SelectionOptions
	By        time.Duration
	// Fresh gives an empty Sandbox to claims that have lost theirs.
	Fresh bool
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "extend (NAME... | --all | -l SELECTOR) --by DURATION",
		Short: "Extend the lifetime of sandboxes",
		Long: "extend moves the shutdown time of sandboxes to a later time. A sandbox that has expired but was kept\n" +
			"starts again, and its new time counts from now. A sandbox without a shutdown time lives until it is\n" +
			"deleted, and extend does not give it one.\n\n" +
			"A Sandbox that was kept (--shutdown-policy Retain) still has its volumes. A claim that was kept has lost its\n" +
			"Sandbox. If the volumes were retained (persistentVolumeClaimRetentionPolicy of the template), the claim gets\n" +
			"a new Sandbox of the same name with those volumes. Otherwise the new Sandbox would be empty, so extend\n" +
			"refuses unless --fresh is given.",
		Example: "  # Extend a sandbox by half an hour\n" +
			"  kubectl sandbox extend dev --by 30m\n\n" +
			"  # Extend all sandboxes of a team\n" +
			"  kubectl sandbox extend -l team=research --by 2h\n\n" +
			"  # Start an expired claim that has lost its Sandbox again, with an empty Sandbox\n" +
			"  kubectl sandbox extend old --by 1h --fresh",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Selection.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().DurationVar(&o.By, "by", 0, "How much time to add, as in 30m or 2h.")
	cmd.Flags().BoolVar(&o.Fresh, "fresh", false,
		"Start a claim that has lost its Sandbox and its volumes again, with an empty Sandbox.")
	o.Selection.AddFlags(cmd)
	o.Selection.AddQuietFlag(cmd)
	return cmd
}

// Validate checks the names and flags.
func (o *Options) Validate() error {
	if o.By < time.Second {
		return cli.UsageError(errors.New("--by is missing or less than a second: give a duration, as in --by 30m"))
	}
	return o.Selection.Validate()
}

// Run extends every sandbox. After a conflict it reads the sandbox again and retries.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	objects, err := o.Selection.Objects(ctx, a.Sandboxes, a.Namespace)
	if err != nil {
		return err
	}
	remarks := o.Selection.ProgressOut(streams.ErrOut)
	var remarksLock sync.Mutex
	if len(objects) == 0 {
		_, err = printable.Fprintf(streams.ErrOut, "%s\n", o.Selection.NoneSelected(a.Namespace))
		return err
	}
	return cli.ForEach(streams.Out, objects, func(object cli.Selected) (result string, err error) {
		err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
			t, err := a.Resolver.ClaimAndSandbox(ctx, object.Namespace, object.Ref)
			if err != nil {
				return err
			}
			end, err := o.extend(ctx, f, a, t)
			if err != nil {
				return err
			}
			object.Ref = resolve.Ref{Kind: t.Kind(), Name: t.Name()}
			result = o.Selection.Result(object, "extended to "+end.UTC().Format(time.RFC3339))
			effect := o.shutdownText(ctx, a, t)
			remarksLock.Lock()
			defer remarksLock.Unlock()
			_, err = printable.Fprintf(remarks, "%s, at that time: %s\n", object.Ref, effect)
			return err
		})
		return result, err
	})
}

// shutdownText returns what happens at the new shutdown time.
func (o *Options) shutdownText(ctx context.Context, a *factory.Clients, t *resolve.Target) string {
	there, err := a.Volumes.Of(ctx, t.Namespace)
	if err != nil {
		there = nil // the specs decide
	}
	return volume.ShutdownText(t.Claim, t.Sandbox, there)
}

// extend extends one sandbox. A claim that has lost its Sandbox gets a new one without --fresh only if its volumes were
// kept.
func (o *Options) extend(
	ctx context.Context, f factory.Factory, a *factory.Clients, t *resolve.Target,
) (time.Time, error) {
	if o.Fresh || !sandbox.SandboxLost(t, f.Clock().Now()) {
		return a.Client.Extend(ctx, t, o.By, o.Fresh)
	}
	kept, err := a.Volumes.Kept(ctx, t.Claim)
	if err != nil {
		return time.Time{}, fmt.Errorf("claim %s has lost its Sandbox, and it is unknown whether its volumes were kept "+
			"(give --fresh to extend it anyway): %w", t.Name(), err)
	}
	end, err := a.Client.Extend(ctx, t, o.By, len(kept) > 0)
	if errors.Is(err, sandbox.ErrLost) {
		return end, fmt.Errorf("%w; to do that: %s", err,
			printing.SuggestedCommand(fmt.Sprintf("extend %s --by %s --fresh", t.Name(), o.By), f))
	}
	return end, err
}
