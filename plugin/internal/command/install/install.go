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
		Short: "Install the operator in the cluster, or bring it up to this version",
		Long: "install applies the operator and the CustomResourceDefinitions that this program carries, and waits until the operator\n" +
			"is available. It checks first whether you may do that, and changes nothing that it did not make itself. It can be\n" +
			"repeated. The operator goes to the namespace " + apis.OperatorNamespace + " unless --namespace says otherwise.\n\n" +
			"Over an installation it keeps what was chosen: image, replicas, kinds, watched namespaces and arguments stay unless a flag\n" +
			"asks for others, and so do the environment, resources, node selector and whatever else somebody set with kubectl. The\n" +
			"image changes only with --image, or from the published one of another version to that of this. --force-conflicts takes\n" +
			"everything back. The CustomResourceDefinitions and the operator's permissions are always those of this version.",
		Example: "  kubectl sandbox install\n\n" +
			"  # For two namespaces that exist, without any right in the others\n" +
			"  kubectl sandbox install --watch-namespaces=team-a,team-b\n\n" +
			"  # With secure metrics, and what the operator needs for them\n" +
			"  kubectl sandbox install --arg=--metrics-secure\n\n" +
			"  # Apply the manifests yourself\n" +
			"  kubectl sandbox install --export | kubectl apply --server-side -f -\n\n" +
			"  # What would change, as a diff\n" +
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
	flags.Int32Var(&replicas, "replicas", 1, "How many operators run; one leads and the others stand by.")
	flags.StringSliceVar(&namespaces, "watch-namespaces", nil,
		"Work in these namespaces alone, with Roles in place of ClusterRoles. They must exist. Empty is all.")
	flags.StringArrayVar(&o.Choices.Args, "arg", nil,
		"Flag of the operator, as in --arg=--kube-api-qps=50, in place of the value it has. May be given several times.")
	installer.AddFlags(cmd, &o.Options)
	return cmd
}

// readChanged keeps the values of the flags that the user gave.
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
