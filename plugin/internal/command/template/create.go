// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/provision"
)

// CreateOptions are the name, the command and the flags of `template create`.
type CreateOptions struct {
	Name string
	File string
	// Sandbox describes the sandboxes.
	Sandbox      *provision.Options
	EnvPolicy    string
	VolumePolicy string
	Unmanaged    bool
	DryRun       cli.DryRunOptions

	printing *genericclioptions.PrintFlags
	read     readValues
}

func newCreateCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &CreateOptions{Sandbox: provision.NewOptions(), printing: cli.NewCreatedPrintFlags()}
	cmd := &cobra.Command{
		Use:   "create NAME (--image IMAGE | -f FILE) [flags] [-- COMMAND ARGS...]",
		Short: "Create a template from an image or a file",
		Long: "create creates a template with one container, or the template that a file describes. A container that\n" +
			"ends is started again. The Pods get no credentials for the Kubernetes API unless the file says so, and\n" +
			"by default claims may change nothing.",
		Example: "  kubectl sandbox template create python --image python:3.13 -- sleep infinity\n\n" +
			"  # With a port, a volume, limits, and variables that claims may add\n" +
			"  kubectl sandbox template create web --image nginx:1.29 --port http=80 --volume data=1Gi:/data \\\n" +
			"    --memory 512Mi --cpu 500m --env-policy Allowed\n\n" +
			"  # For untrusted code, also in a namespace that enforces the Pod Security Standard \"restricted\"\n" +
			"  kubectl sandbox template create untrusted --image python:3.13 --restricted --read-only --cpu 500m \\\n" +
			"    --memory 512Mi -- sleep infinity\n\n" +
			"  # For everything else use a file; - is standard input\n" +
			"  kubectl sandbox template create hardened -f template.yaml",
		Args:              cli.ExactArgs("NAME"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name, o.Sandbox.Command = cli.ArgsBeforeDash(cmd, args)[0], cli.ArgsAfterDash(cmd, args)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *CreateOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&o.File, "filename", "f", "", "A file with one SandboxTemplate, or - for standard input.")
	flags.StringVar(&o.Sandbox.Image, "image", "", "The container image.")
	o.Sandbox.EnvOptions.AddFlags(cmd, "the container")
	flags.StringArrayVar(
		&o.Sandbox.Labels, "label", nil, "A label of the template and of the Pods, KEY=VALUE. Repeatable.",
	)
	flags.StringArrayVar(&o.Sandbox.Annotations, "annotation", nil,
		"An annotation of the template and of the Pods, KEY=VALUE. Repeatable.")
	flags.StringArrayVar(&o.Sandbox.Volumes, "volume", nil,
		"A persistent volume, NAME=SIZE[:PATH], as in data=1Gi:/data. PATH is /NAME by default. Repeatable.")
	flags.BoolVar(&o.Sandbox.Service, "service", false,
		"Give each sandbox a DNS name in the cluster (a headless Service of its name).")
	flags.StringVar(&o.EnvPolicy, "env-policy", "",
		"Whether claims may add variables: Disallowed (the default), Allowed, or Overrides to replace them too.")
	flags.StringVar(&o.VolumePolicy, "volume-policy", "",
		"Whether claims may add volumes: Disallowed (the default), Allowed for new ones, or Overrides for any, also in the "+
			"place of the template's.")
	flags.StringVar(&o.Sandbox.VolumeRetention, "volume-retention", "",
		"What happens to the volumes when a claimed Sandbox is deleted: Delete (the default), or Retain to keep them.")
	flags.BoolVar(&o.Unmanaged, "unmanaged-network", false,
		"Create no NetworkPolicy, because the network is managed by something else.")
	o.Sandbox.Pod.AddFlags(cmd, "")
	o.DryRun.AddFlag(cmd)
	o.printing.AddFlags(cmd)
}

// Run creates the template.
func (o *CreateOptions) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	namespace, explicit, err := f.Namespace()
	if err != nil {
		return err
	}
	template, err := o.Build(namespace, explicit, f.Clock().Now(), streams.In)
	if err != nil {
		return err
	}
	var created runtime.Object = template
	if !o.DryRun.OnClient() {
		a, err := factory.NewClients(f)
		if err != nil {
			return err
		}
		if created, err = a.Pools.CreateTemplate(ctx, template, o.DryRun.OnServer()); err != nil {
			return err
		}
		cure := "--memory"
		if o.File != "" {
			cure = "resources.limits.memory"
		}
		provision.WarnWithoutLimit(streams.ErrOut, "Template "+template.Name, &template.Spec.PodTemplate.Spec, cure)
	}
	return o.DryRun.Print(o.printing, created, streams.Out)
}
