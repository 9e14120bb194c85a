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
	var values flagValues
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the operator in the cluster, or update it to this version",
		Long: "install applies the operator and the CustomResourceDefinitions of this version, and waits until the\n" +
			"operator is available. It first checks that you have the permissions, and never changes objects that it did\n" +
			"not create. It can be repeated. The namespace is " + apis.OperatorNamespace + " unless --namespace is given.\n\n" +
			"An existing installation keeps what was chosen: image, replicas, kinds, watched namespaces, arguments,\n" +
			"environment variables and routers stay unless a flag changes them, and so do resources, node selector and\n" +
			"everything else that was set with kubectl. The image changes only with --image, or from the published image\n" +
			"of another version to that of this version. The API server serves the same API versions as before. " +
			"--force-conflicts\n" +
			"overwrites all of this. The rest of the CustomResourceDefinitions and the permissions are always those of this\n" +
			"version. The key of a router is made once and never replaced.",
		Example: "  # Install or update the operator\n" +
			"  kubectl sandbox install\n\n" +
			"  # Install it for two existing namespaces, without permissions in the others\n" +
			"  kubectl sandbox install --watch-namespaces=team-a,team-b\n\n" +
			"  # Stop serving v1alpha1, which saves work in the API server, when no client uses it\n" +
			"  kubectl sandbox install --served-versions=v1beta1\n\n" +
			"  # Install it with secure metrics, and the permissions that these need\n" +
			"  kubectl sandbox install --arg=--metrics-secure\n\n" +
			"  # Install a router too, which sends HTTP requests to sandboxes\n" +
			"  kubectl sandbox install --router\n\n" +
			"  # Install one in the namespace of a tenant, for the sandboxes there alone\n" +
			"  kubectl sandbox install --router-namespaces=team-a\n\n" +
			"  # Send traces to a collector\n" +
			"  kubectl sandbox install --env OTEL_EXPORTER_OTLP_ENDPOINT=http://otel-collector.observability:4317\n\n" +
			"  # Apply the manifests yourself\n" +
			"  kubectl sandbox install --export | kubectl apply --server-side -f -\n\n" +
			"  # Show what would change, as a diff\n" +
			"  kubectl sandbox install --dry-run=server",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.readChanged(cmd, values)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.addFlags(cmd, &values)
	return cmd
}

func (o *Options) addFlags(cmd *cobra.Command, values *flagValues) {
	flags := cmd.Flags()
	flags.BoolVar(&o.Export, "export", false, "Print the manifests as YAML and change nothing. No cluster is needed.")
	flags.BoolVar(&values.coreOnly, "core-only", false, "Leave out claims, templates and pools.")
	flags.Int32Var(&values.replicas, "replicas", 1, "The number of operator replicas: one leads, the others stand by.")
	flags.StringSliceVar(&values.namespaces, "watch-namespaces", nil,
		"Watch only these namespaces, with Roles instead of ClusterRoles. They must exist. Empty means all.")
	flags.StringArrayVar(&o.Choices.Args, "arg", nil,
		"A flag of the operator, as in --arg=--kube-api-qps=50. It replaces the value that is set. Repeatable.")
	flags.BoolVar(&values.router, "router", false, "Install a router beside the operator. --router=false removes it.")
	flags.StringSliceVar(&values.routerNamespaces, "router-namespaces", nil,
		"Install a router in each of these namespaces, for the sandboxes there alone. They must exist. Empty means none.")
	flags.StringArrayVar(&o.Choices.RouterArgs, "router-arg", nil,
		"A flag of the routers, as in --router-arg=--resume-on-request. It replaces the value that is set. Repeatable.")
	flags.StringArrayVar(&o.Choices.Env, "env", nil,
		"An environment variable of the operator and the routers, as in --env OTEL_TRACES_SAMPLER=always_on. It replaces "+
			"the value that is set. Repeatable.")
	installer.AddFlags(cmd, &o.Options)
}

// flagValues are the values of flags that change something only if the user gives them.
type flagValues struct {
	replicas         int32
	coreOnly, router bool
	namespaces       []string
	routerNamespaces []string
}

// readChanged stores the values of the flags that the user gave.
func (o *Options) readChanged(cmd *cobra.Command, values flagValues) {
	if cmd.Flags().Changed("replicas") {
		o.Choices.Replicas = &values.replicas
	}
	if cmd.Flags().Changed("core-only") {
		o.Choices.CoreOnly = &values.coreOnly
	}
	if cmd.Flags().Changed("watch-namespaces") {
		o.Choices.WatchNamespaces = append([]string{}, values.namespaces...)
	}
	if cmd.Flags().Changed("router") {
		o.Choices.Router = &values.router
	}
	if cmd.Flags().Changed("router-namespaces") {
		o.Choices.RouterNamespaces = append([]string{}, values.routerNamespaces...)
	}
}

// Run installs the operator, or prints its manifests.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	if o.Export {
		return o.Options.Export(f, streams)
	}
	return o.Options.Run(ctx, f, streams)
}
