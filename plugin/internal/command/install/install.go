// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package install is the command `install`.
package install

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/installer"
)

// Options are the flags.
type Options struct {
	installer.Options

	Export bool
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	var replicas int32
	var coreOnly bool
	var namespaces []string
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the operator in the cluster, or update it to this version",
		Long: "install applies the operator and the CustomResourceDefinitions of this version, and waits until the\n" +
			"operator is available. It first checks that you have the permissions, and never changes objects that it did\n" +
			"not create. It can be repeated. The namespace is " + apis.OperatorNamespace + " unless --namespace is given.\n\n" +
			"An existing installation keeps what was chosen: image, replicas, kinds, watched namespaces and arguments stay\n" +
			"unless a flag changes them, and so do the environment, resources, node selector and everything else that was\n" +
			"set with kubectl. The image changes only with --image, or from the published image of another version to\n" +
			"that of this version. --force-conflicts overwrites all of this. The CustomResourceDefinitions and the\n" +
			"operator's permissions are always those of this version.",
		Example: "  # Install or update the operator\n" +
			"  kubectl sandbox install\n\n" +
			"  # Install it for two existing namespaces, without permissions in the others\n" +
			"  kubectl sandbox install --watch-namespaces=team-a,team-b\n\n" +
			"  # Install it with secure metrics, and the permissions that these need\n" +
			"  kubectl sandbox install --arg=--metrics-secure\n\n" +
			"  # Apply the manifests yourself\n" +
			"  kubectl sandbox install --export | kubectl apply --server-side -f -\n\n" +
			"  # Show what would change, as a diff\n" +
			"  kubectl sandbox install --dry-run=server",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.readChanged(cmd, replicas, coreOnly, namespaces)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.Export, "export", false, "Print the manifests as YAML and change nothing. No cluster is needed.")
	flags.BoolVar(&coreOnly, "core-only", false, "Leave out claims, templates and pools.")
	flags.Int32Var(&replicas, "replicas", 1, "The number of operator replicas: one leads, the others stand by.")
	flags.StringSliceVar(&namespaces, "watch-namespaces", nil,
		"Watch only these namespaces, with Roles instead of ClusterRoles. They must exist. Empty means all.")
	flags.StringArrayVar(&o.Choices.Args, "arg", nil,
		"A flag of the operator, as in --arg=--kube-api-qps=50. It replaces the value that is set. Repeatable.")
	installer.AddFlags(cmd, &o.Options)
	return cmd
}

// readChanged stores the values of the flags that the user gave.
func (o *Options) readChanged(cmd *cobra.Command, replicas int32, coreOnly bool, namespaces []string) {
	if cmd.Flags().Changed("replicas") {
		o.Choices.Replicas = &replicas
	}
	if cmd.Flags().Changed("core-only") {
		o.Choices.CoreOnly = &coreOnly
	}
	if cmd.Flags().Changed("watch-namespaces") {
		o.Choices.WatchNamespaces = append([]string{}, namespaces...)
	}
}

// Run installs the operator, or prints its manifests.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	if o.Export {
		return o.Options.Export(f, streams.Out)
	}
	return o.Options.Run(ctx, f, streams)
}
