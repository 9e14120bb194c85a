// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package suspend is the command `suspend`.
package suspend

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &cli.StateChangeOptions{}
	cmd := &cobra.Command{
		Use:        "suspend NAME... | --all | -l SELECTOR",
		SuggestFor: []string{"pause", "stop", "hibernate"},
		Short:      "Stop sandboxes and keep their volumes",
		Long: "suspend stops the Pods of sandboxes. Their processes end, and files outside of volumes are lost. The\n" +
			"volumes, the name and the settings stay, and resume starts the sandbox again.",
		Example: "  # Suspend one sandbox and wait until its Pod is gone\n" +
			"  kubectl sandbox suspend dev --wait\n\n" +
			"  # Suspend all sandboxes of a team\n" +
			"  kubectl sandbox suspend -l team=research",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Selection.Names = args
			if err := o.Selection.Validate(); err != nil {
				return err
			}
			return Run(cmd.Context(), f, streams, o)
		},
	}
	o.Selection.AddFlags(cmd)
	o.Selection.AddQuietFlag(cmd)
	o.Waiting.AddFlags(cmd, "the Pods are gone")
	return cmd
}

// Run suspends the selected sandboxes.
func Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *cli.StateChangeOptions) error {
	return cli.StateChange{
		Doing: "suspending", Done: "suspended", Goal: await.Suspended,
		Apply: func(ctx context.Context, a *factory.Clients, t *resolve.Target) (bool, error) {
			return a.Client.Suspend(ctx, t)
		},
	}.Run(ctx, f, streams, o)
}
