// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package template is the command `template` with all that is below it.
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
		Short:   "Work with templates of sandboxes",
		Long: "A template (SandboxTemplate) is the blueprint that claims and pools make sandboxes from. It says as well what a claim may\n" +
			"change, and what the sandboxes may reach on the network: by default the internet, and nothing inside the cluster.",
		Example: "  kubectl sandbox template list\n\n" +
			"  # The smallest one\n" +
			"  kubectl sandbox template create python --image python:3.13 -- sleep infinity",
	}
	cmd.AddCommand(
		newListCommand(f, streams), newCreateCommand(f, streams), newDescribeCommand(f, streams),
		newDeleteCommand(f, streams),
	)
	return cmd
}

func newDeleteCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	return kind().Bind(&cobra.Command{
		Use:   "delete NAME... | --all | -l SELECTOR",
		Short: "Delete templates",
		Long: "delete deletes templates. Sandboxes that were made from them stay, and with them the NetworkPolicy of the template; pools and\n" +
			"claims that name it can make no new ones. It asks first on a terminal, and without one refuses unless --yes is given.",
		Example: "  kubectl sandbox template delete python\n\n" +
			"  # All of one team, without being asked\n" +
			"  kubectl sandbox template delete -l team=research --yes",
		ValidArgsFunction: cli.CompleteTemplates(f),
	}, f, streams)
}

func kind() cli.Deletion {
	return cli.Deletion{
		Ref:         resolve.KindTemplate,
		Consequence: ", so that pools and claims can make no more sandboxes of it; those there are stay, under its NetworkPolicy",
		Get: func(ctx context.Context, a *factory.Clients, name string) (cli.DeletionTarget, error) {
			template, err := a.Pools.Template(ctx, a.Namespace, name)
			if err != nil {
				return cli.DeletionTarget{}, err
			}
			return cli.DeletionTarget{Name: template.Name, UID: template.UID}, nil
		},
		List: func(ctx context.Context, a *factory.Clients, selector string) ([]cli.DeletionTarget, error) {
			templates, err := a.Pools.Templates(ctx, a.Namespace, selector)
			var all []cli.DeletionTarget
			for i := range templates {
				all = append(all, cli.DeletionTarget{Name: templates[i].Name, UID: templates[i].UID})
			}
			return all, err
		},
		Delete: func(ctx context.Context, a *factory.Clients, o cli.DeletionTarget) error {
			return a.Pools.DeleteTemplate(ctx, a.Namespace, o.Name, o.UID)
		},
	}
}
