// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// ScaleOptions select the pools and say how large they become.
type ScaleOptions struct {
	Selection cli.SelectionOptions
	Replicas  int32
	DryRun    cli.DryRunOptions
}

func newScaleCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &ScaleOptions{}
	cmd := &cobra.Command{
		Use:   "scale (NAME... | --all | -l SELECTOR) --replicas N",
		Short: "Change how many sandboxes pools keep warm",
		Long: "scale changes how many sandboxes pools keep warm. To make a pool smaller, sandboxes that are not ready\n" +
			"are deleted first. Claimed sandboxes are not touched. An autoscaler of a pool will change the number\n" +
			"again.",
		Example: "  kubectl sandbox pool scale python-warm --replicas 20\n\n" +
			"  # Keep no sandboxes of a team overnight\n" +
			"  kubectl sandbox pool scale -l team=research --replicas 0",
		ValidArgsFunction: cli.CompletePools(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Selection.Names = args
			if err := o.Selection.Validate(); err != nil {
				return err
			}
			if !cmd.Flags().Changed("replicas") {
				return cli.UsageError(errors.New("--replicas is missing: give the number of sandboxes to keep warm"))
			}
			if err := errors.Join(checkReplicas(o.Replicas), o.DryRun.Validate()); err != nil {
				return cli.UsageError(err)
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.Selection.AddFlagsFor(cmd, resolve.KindPool)
	o.Selection.AddQuietFlag(cmd)
	cmd.Flags().Int32Var(&o.Replicas, "replicas", 0, "The number of sandboxes to keep warm.")
	o.DryRun.AddFlag(cmd)
	return cmd
}

// Run scales the selected pools.
func (o *ScaleOptions) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	return forEachPool(ctx, f, streams, &o.Selection, &o.DryRun,
		func(a *factory.Clients, pool *extensionsv1beta1.SandboxWarmPool) (string, error) {
			if old := pool.Spec.Replicas; old != nil && *old == o.Replicas {
				return "unchanged", nil
			}
			done := fmt.Sprintf("scaled to %d", o.Replicas)
			if o.DryRun.OnClient() {
				return done, nil
			}
			return done, a.Pools.Scale(ctx, pool, o.Replicas, o.DryRun.OnServer())
		})
}

// forEachPool changes every selected pool. done is what was done, as in "scaled to 3", or would be in a dry run.
func forEachPool(
	ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *cli.SelectionOptions,
	dryRun *cli.DryRunOptions,
	change func(*factory.Clients, *extensionsv1beta1.SandboxWarmPool) (done string, err error),
) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	pools, failed := cli.Select(ctx, o, a.Namespace, a.Pools.Pool, a.Pools.Pools)
	if len(pools) == 0 && failed == nil {
		_, failed = printable.Fprintf(streams.ErrOut, "%s\n", o.NoneSelected(a.Namespace))
	}
	return errors.Join(failed, cli.ForEach(streams.Out, pools,
		func(pool extensionsv1beta1.SandboxWarmPool) (string, error) {
			done, err := change(a, &pool)
			ref := resolve.Ref{Kind: resolve.KindPool, Name: pool.Name}
			return o.Result(cli.Selected{Namespace: pool.Namespace, Ref: ref}, done+dryRun.Suffix()), err
		}))
}
