// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package upgrade is the command `upgrade`: it does what `install` does over an installation, and fails if there is
// none.
//
// Invariants:
//   - what was chosen at the installation or set since stays, as with install;
//   - a newer operator is never replaced by an older one without --allow-downgrade;
//   - CustomResourceDefinitions are applied first, and no sandbox is changed.
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
		Short: "Upgrade the installed operator to this program's version",
		Long: "upgrade applies the CustomResourceDefinitions and the operator of this version. Like install over an\n" +
			"existing installation, it keeps what was chosen at the installation and what was set since: namespace,\n" +
			"replicas, kinds, watched namespaces, arguments and resources. Sandboxes are not changed. An operator\n" +
			"that Helm installed has to be upgraded with Helm.\n\n" +
			"If the operator runs an image that this project publishes, it gets the published image of this version. Any\n" +
			"other image has to be named with --image.",
		Example: "  # Upgrade the operator\n" +
			"  kubectl sandbox upgrade\n\n" +
			"  # Show what would change\n" +
			"  kubectl sandbox upgrade --dry-run=server\n\n" +
			"  # Use an image from your own registry\n" +
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

// Run upgrades the operator.
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
