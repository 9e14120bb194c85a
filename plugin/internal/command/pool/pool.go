// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pool is the command `pool` with all that is below it.
package pool

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pool",
		Aliases: []string{"pools"},
		Short:   "Work with pools of warm sandboxes",
		Long: "A pool (SandboxWarmPool) keeps sandboxes of a template running ahead of demand, so that a claim gets one at once. What\n" +
			"was claimed belongs to the claim, and the pool makes another.",
		Example: "  # How full are the pools, and why are they short?\n" +
			"  kubectl sandbox pool list\n\n" +
			"  # Keep ten sandboxes of a template warm\n" +
			"  kubectl sandbox pool create python-warm --template python --replicas 10",
	}
	cmd.AddCommand(newListCommand(f, streams), newCreateCommand(f, streams), newScaleCommand(f, streams),
		newDescribeCommand(f, streams), newPlanCommand(f, streams), newDeleteCommand(f, streams))
	return cmd
}

func newDeleteCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	return kind().Bind(&cobra.Command{
		Use:   "delete NAME... | --all | -l SELECTOR",
		Short: "Delete pools with their unclaimed sandboxes",
		Long: "delete deletes pools, and the sandboxes in them that nobody has claimed. What was claimed stays. It asks first on a\n" +
			"terminal, and without one refuses unless --yes is given.",
		Example: "  kubectl sandbox pool delete python-warm\n\n" +
			"  # All of one team, without being asked\n" +
			"  kubectl sandbox pool delete -l team=research --yes",
		ValidArgsFunction: cli.CompletePools(f),
	}, f, streams)
}

func kind() cli.Deletion {
	return cli.Deletion{
		Ref:         resolve.KindPool,
		Consequence: ", with the sandboxes in it that nobody has claimed",
		Get: func(ctx context.Context, a *factory.Clients, name string) (cli.DeletionTarget, error) {
			pool, err := a.Pools.Pool(ctx, a.Namespace, name)
			if err != nil {
				return cli.DeletionTarget{}, err
			}
			return cli.DeletionTarget{Name: pool.Name, UID: pool.UID}, nil
		},
		List: func(ctx context.Context, a *factory.Clients, selector string) ([]cli.DeletionTarget, error) {
			pools, err := a.Pools.Pools(ctx, a.Namespace, selector)
			var all []cli.DeletionTarget
			for i := range pools {
				all = append(all, cli.DeletionTarget{Name: pools[i].Name, UID: pools[i].UID})
			}
			return all, err
		},
		Delete: func(ctx context.Context, a *factory.Clients, o cli.DeletionTarget) error {
			return a.Pools.DeletePool(ctx, a.Namespace, o.Name, o.UID)
		},
	}
}
