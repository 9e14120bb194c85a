// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package upgrade is the command `upgrade`: what `install` does over an installation, and nothing where there is none.
//
// Invariants:
//   - what was chosen at installation or set since stays, as install says;
//   - a newer operator is never replaced by an older one unasked;
//   - CustomResourceDefinitions come first, and no sandbox is touched.
package upgrade

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/installer"
)

// Options are the flags.
type Options struct{ installer.Options }

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Bring the installed operator to this program's version",
		Long: "upgrade applies the CustomResourceDefinitions and the operator that this program carries, and keeps what was chosen when it\n" +
			"was installed, and what was set since: its namespace, replicas, kinds, watched namespaces, arguments and resources, as\n" +
			"install does over an installation. Sandboxes go on as they are. What Helm installed is left to Helm.\n\n" +
			"An image that this project publishes becomes that of this version. Any other has to be named.",
		Example: "  kubectl sandbox upgrade\n\n" +
			"  # What would change\n" +
			"  kubectl sandbox upgrade --dry-run=server\n\n" +
			"  # From a registry of your own\n" +
			"  kubectl sandbox upgrade --image registry.example/agent-sandbox-controller:v1.2.3",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	installer.AddFlags(cmd, &o.Options)
	return cmd
}

// Run upgrades.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	client, err := f.Kubernetes()
	if err != nil {
		return err
	}
	namespace, err := installer.Namespace(ctx, f, client)
	if err != nil {
		return err
	}
	deployment, err := installer.GetDeployment(ctx, client, namespace)
	if err != nil {
		return err
	}
	if deployment == nil {
		return fmt.Errorf("there is no operator in namespace %s to upgrade: %s install installs one", namespace, f.Program())
	}
	return o.Options.Run(ctx, f, streams)
}
