// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package template has the command `template` and its subcommands.
package template

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
		Use:     "template",
		Aliases: []string{"templates"},
		Short:   "Manage templates of sandboxes",
		Long: "A template (SandboxTemplate) is the blueprint from which claims and pools create sandboxes. It also says\n" +
			"what a claim may change, and what the sandboxes may reach on the network: by default the internet, and\n" +
			"nothing inside the cluster.",
		Example: "  kubectl sandbox template list\n\n" +
			"  # Create a template with nothing but an image and a command\n" +
			"  kubectl sandbox template create python --image python:3.13 -- sleep infinity\n\n" +
			"  # Change it in an editor\n" +
			"  kubectl sandbox template edit python",
	}
	cmd.AddCommand(
		newListCommand(f, streams), newCreateCommand(f, streams), newApplyCommand(f, streams),
		newEditCommand(f, streams), newDescribeCommand(f, streams), newDeleteCommand(f, streams),
	)
	return cmd
}

func newDeleteCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	return deletion().Bind(&cobra.Command{
		Use:   "delete NAME... | --all | -l SELECTOR",
		Short: "Delete templates",
		Long: "delete deletes templates. Sandboxes that were created from a template stay, and so does its\n" +
			"NetworkPolicy. Pools and claims that name the template can create no new sandboxes. It asks for\n" +
			"confirmation on a terminal; without a terminal it needs --yes.",
		Example: "  kubectl sandbox template delete python\n\n" +
			"  # Delete the templates of a team without a question\n" +
			"  kubectl sandbox template delete -l team=research --yes",
		ValidArgsFunction: cli.CompleteTemplates(f),
	}, f, streams)
}

// deletion describes how templates are deleted.
func deletion() cli.Deletion {
	return cli.Deletion{
		Kind: resolve.KindTemplate,
		Consequence: ", so that pools and claims can create no more sandboxes from it (existing ones stay, under its " +
			"NetworkPolicy)",
		Find: func(ctx context.Context, a *factory.Clients, o *cli.SelectionOptions) ([]cli.DeletionTarget, error) {
			templates, err := cli.Select(ctx, o, a.Namespace, a.Pools.Template, a.Pools.Templates)
			var all []cli.DeletionTarget
			for i := range templates {
				t := &templates[i]
				all = append(all, cli.DeletionTarget{Namespace: t.Namespace, Name: t.Name, UID: t.UID})
			}
			return all, err
		},
		Delete: func(ctx context.Context, a *factory.Clients, o cli.DeletionTarget) error {
			return a.Pools.DeleteTemplate(ctx, o.Namespace, o.Name, o.UID)
		},
	}
}
