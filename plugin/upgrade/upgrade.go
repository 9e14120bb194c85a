// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package upgrade is the command `upgrade`.
//
// Invariants:
//   - what was chosen at installation stays: namespace, replicas, kinds, watched namespaces, arguments;
//   - a newer operator is never replaced by an older one unasked;
//   - CustomResourceDefinitions come first, and no sandbox is touched.
package upgrade

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/argument"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	installing "github.com/agent-sandbox/kubectl-sandbox/plugin/install"
)

// Options are the flags.
type Options struct {
	Image          string
	AllowDowngrade bool
	Apply          installing.Options
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Bring the installed operator to this program's version",
		Long: "upgrade applies the CustomResourceDefinitions and the operator that this program carries, and keeps what was chosen when it\n" +
			"was installed: its namespace, replicas, kinds, watched namespaces and arguments. Sandboxes go on as they are. What\n" +
			"Helm installed is left to Helm.",
		Example: "  kubectl sandbox upgrade\n\n" +
			"  # What would change\n" +
			"  kubectl sandbox upgrade --dry-run=server\n\n" +
			"  # From a registry of your own\n" +
			"  kubectl sandbox upgrade --image registry.example/agent-sandbox-controller:v1.2.3",
		Args: argument.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringVar(&o.Image, "image", "", "The operator's image. Default: the published one of this version.")
	cmd.Flags().BoolVar(&o.AllowDowngrade, "allow-downgrade", false, "Replace a newer operator by the older one of this program.")
	installing.AddFlags(cmd, &o.Apply)
	return cmd
}

// Validate checks the flags.
func (o *Options) Validate() error {
	checked := o.Apply
	checked.Manifests = install.Options{Image: install.DefaultImage(), Replicas: 1}
	return errors.Join(checked.Validate(), exit.Usage(install.Options{Image: o.Image}.Validate()))
}

// Run upgrades.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	client, err := f.Kubernetes()
	if err != nil {
		return err
	}
	namespace, err := installing.Namespace(ctx, f, client)
	if err != nil {
		return err
	}
	deployment, err := installing.Operator(ctx, client, namespace)
	if err != nil {
		return err
	}
	if deployment == nil {
		return fmt.Errorf("there is no operator in namespace %s to upgrade: %s install installs one", namespace, f.Program())
	}
	apply := o.Apply
	if apply.Manifests, err = o.manifests(deployment, f.Program()); err != nil {
		return err
	}
	return apply.Run(ctx, f, streams)
}

// manifests are what was installed, with the image of this version.
func (o *Options) manifests(deployment *appsv1.Deployment, program string) (install.Options, error) {
	if manager := deployment.Labels[install.LabelManagedBy]; manager != "" && manager != apis.FieldOwnerPlugin {
		return install.Options{}, fmt.Errorf("the operator was installed by %s: upgrade it with %[1]s", manager)
	}
	have := deployment.Labels[install.LabelVersion]
	if !o.AllowDowngrade && Newer(have, buildinfo.Get().Version) {
		return install.Options{}, fmt.Errorf("the operator is of version %s, newer than this program's %s: upgrade the program, or "+
			"give --allow-downgrade", have, buildinfo.Get().Version)
	}
	manifests := install.Installed(deployment)
	published := strings.HasPrefix(manifests.Image, install.ImageRepository+":")
	switch {
	case o.Image != "":
		manifests.Image = o.Image
	case published || manifests.Image == "":
		manifests.Image = install.DefaultImage()
	default:
		return install.Options{}, exit.Usage(fmt.Errorf("the operator runs the image %s, which is not one that this project publishes: "+
			"name the new one, %s upgrade --image IMAGE", manifests.Image, program))
	}
	return manifests, nil
}

// Newer says that a version comes after another one; not, when either is no version but a commit.
func Newer(a, b string) bool {
	first, err := version.ParseSemantic(a)
	if err != nil {
		return false
	}
	second, err := version.ParseSemantic(b)
	return err == nil && second.LessThan(first)
}
