// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func newScaleCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	var replicas int32
	cmd := &cobra.Command{
		Use:   "scale NAME... --replicas N",
		Short: "Change how many sandboxes pools keep warm",
		Long: "scale changes how many sandboxes pools keep warm. To make a pool smaller, sandboxes that are not ready\n" +
			"are deleted first. Claimed sandboxes are not touched. An autoscaler of a pool will change the number\n" +
			"again.",
		Example: "  kubectl sandbox pool scale python-warm --replicas 20\n\n" +
			"  # Keep no sandboxes overnight\n" +
			"  kubectl sandbox pool scale python-warm node-warm --replicas 0",
		Args:              cli.AtLeastOneArg("NAME"),
		ValidArgsFunction: cli.CompletePools(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			refs, err := cli.ParseRefsOf(resolve.KindPool, args)
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("replicas") {
				return cli.UsageError(errors.New("--replicas is missing: give the number of sandboxes to keep warm"))
			}
			if err := checkReplicas(replicas); err != nil {
				return cli.UsageError(err)
			}
			return scale(cmd.Context(), f, streams, refs, replicas)
		},
	}
	cmd.Flags().Int32Var(&replicas, "replicas", 0, "The number of sandboxes to keep warm.")
	return cmd
}

func scale(
	ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, refs []resolve.Ref, replicas int32,
) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	return cli.ForEach(streams.Out, refs, func(ref resolve.Ref) (string, error) {
		pool, err := a.Pools.Pool(ctx, a.Namespace, ref.Name)
		if err != nil {
			return "", err
		}
		if old := pool.Spec.Replicas; old != nil && *old == replicas {
			return fmt.Sprintf("pool/%s unchanged", pool.Name), nil
		}
		return fmt.Sprintf("pool/%s scaled to %d", pool.Name, replicas), a.Pools.Scale(ctx, pool, replicas)
	})
}
