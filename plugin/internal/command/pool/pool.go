// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pool has the command `pool` and its subcommands.
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
		Short:   "Manage pools of warm sandboxes",
		Long: "A pool (SandboxWarmPool) keeps sandboxes of a template running ahead of demand, so that a claim gets one\n" +
			"at once. A claimed sandbox belongs to its claim, and the pool creates another one.",
		Example: "  # Show how full the pools are, and why they are short\n" +
			"  kubectl sandbox pool list\n\n" +
			"  # Keep ten sandboxes of a template warm\n" +
			"  kubectl sandbox pool create python-warm --template python --replicas 10\n\n" +
			"  # Wait until all of them are of the newest version of the template\n" +
			"  kubectl sandbox pool rollout status python-warm",
	}
	cmd.AddCommand(newListCommand(f, streams), newCreateCommand(f, streams), newScaleCommand(f, streams),
		newSetTemplateCommand(f, streams), newRolloutCommand(f, streams),
		newDescribeCommand(f, streams), newPlanCommand(f, streams), newDeleteCommand(f, streams))
	return cmd
}

func newDeleteCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	return deletion().Bind(&cobra.Command{
		Use:   "delete NAME... | --all | -l SELECTOR",
		Short: "Delete pools and their unclaimed sandboxes",
		Long: "delete deletes pools and the sandboxes in them that nobody has claimed. Claimed sandboxes stay. It asks\n" +
			"for confirmation on a terminal; without a terminal it needs --yes.",
		Example: "  kubectl sandbox pool delete python-warm\n\n" +
			"  # Delete the pools of a team without a question\n" +
			"  kubectl sandbox pool delete -l team=research --yes",
		ValidArgsFunction: cli.CompletePools(f),
	}, f, streams)
}

// deletion describes how pools are deleted.
func deletion() cli.Deletion {
	return cli.Deletion{
		Kind:        resolve.KindPool,
		Consequence: ", with their unclaimed sandboxes",
		Find: func(ctx context.Context, a *factory.Clients, o *cli.SelectionOptions) ([]cli.DeletionTarget, error) {
			pools, err := cli.Select(ctx, o, a.Namespace, a.Pools.Pool, a.Pools.Pools)
			var all []cli.DeletionTarget
			for i := range pools {
				all = append(all, cli.DeletionTarget{Namespace: pools[i].Namespace, Name: pools[i].Name, UID: pools[i].UID})
			}
			return all, err
		},
		Delete: func(ctx context.Context, a *factory.Clients, o cli.DeletionTarget) error {
			return a.Pools.DeletePool(ctx, o.Namespace, o.Name, o.UID)
		},
	}
}
