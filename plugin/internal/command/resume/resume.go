// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package resume is the command `resume`.
package resume

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
		Use:        "resume NAME... | --all | -l SELECTOR",
		SuggestFor: []string{"start", "unpause", "continue"},
		Short:      "Resume suspended sandboxes",
		Long:       "resume creates new Pods for suspended sandboxes, with the same name, settings and volumes.",
		Example: "  # Resume one sandbox and wait until it is ready\n" +
			"  kubectl sandbox resume dev --wait\n\n" +
			"  # Resume all sandboxes of a team\n" +
			"  kubectl sandbox resume -l team=research",
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
	o.Waiting.AddFlags(cmd, "the sandboxes are ready")
	return cmd
}

// Run resumes the selected sandboxes. For one that has expired or is being deleted it returns an error, because that
// one would not start.
func Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *cli.StateChangeOptions) error {
	return cli.StateChange{
		Doing: "resuming", Done: "ready", Goal: await.Ready,
		Apply: func(ctx context.Context, a *factory.Clients, t *resolve.Target) (bool, error) {
			if err := resolve.CheckRunning(t, f.Clock().Now()); resolve.Is(err, resolve.Expired) ||
				resolve.Is(err, resolve.Deleting) {
				return false, err
			}
			return a.Client.Resume(ctx, t)
		},
	}.Run(ctx, f, streams, o)
}
