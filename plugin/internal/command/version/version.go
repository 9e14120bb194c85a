// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package version is the command `version`.
package version

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/installer"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// Options are the flags.
type Options struct {
	Client bool
	Output string
}

// Versions is what the command prints.
type Versions struct {
	Client     buildinfo.Info `json:"client"`
	Operator   *Operator      `json:"operator,omitempty"`
	Routers    []Router       `json:"routers,omitempty"`
	Kubernetes string         `json:"kubernetes,omitempty"`
}

// Operator describes the installed operator.
type Operator struct {
	State     string `json:"state"`
	Version   string `json:"version,omitempty"`
	Image     string `json:"image,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

// Router describes an installed router.
type Router struct {
	Version   string `json:"version,omitempty"`
	Image     string `json:"image,omitempty"`
	Namespace string `json:"namespace"`
}

// The states of an operator.
const (
	installed    = "installed"
	notInstalled = "not installed"
	forbidden    = "unknown: you may not read its Deployment"
)

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the versions of this program, the operator and the cluster",
		Long: "version shows the versions of this program, the operator, the routers and Kubernetes, and warns if the\n" +
			"operator's differs from that of this program.",
		Example: "  kubectl sandbox version\n\n" +
			"  # Show only this program's version, without contacting a cluster\n" +
			"  kubectl sandbox version --client -o json",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().BoolVar(&o.Client, "client", false, "Show only the version of this program, without contacting a cluster.")
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "Output format: json or yaml.")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions( // fails only for a flag that does not exist
		[]string{"json", "yaml"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// Validate checks the flags.
func (o *Options) Validate() error {
	switch o.Output {
	case "", "json", "yaml":
		return nil
	}
	return cli.UsageError(fmt.Errorf("-o is %q: use json or yaml", o.Output))
}

// Run shows the versions. It shows what is known even if some of it could not be read.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	versions := Versions{Client: buildinfo.Get()}
	var failed error
	if !o.Client {
		failed = versions.readCluster(ctx, f)
	}
	if err := versions.print(streams.Out, o.Output); err != nil {
		return errors.Join(failed, err)
	}
	if warning := versions.skew(f.Program()); warning != "" {
		_, _ = printable.Fprintf(streams.ErrOut, "Warning: %s\n", warning) // best effort
	}
	return failed
}

// readCluster reads the versions of Kubernetes and the operator from the cluster.
func (v *Versions) readCluster(ctx context.Context, f factory.Factory) error {
	discovery, err := f.Discovery()
	if err != nil {
		return err
	}
	server, err := discovery.ServerVersion()
	if err != nil {
		return err
	}
	v.Kubernetes = server.GitVersion
	client, err := f.Kubernetes()
	if err != nil {
		return err
	}
	namespace, err := installer.Namespace(ctx, f, client)
	if err != nil {
		return err
	}
	deployment, err := installer.GetDeployment(ctx, client, namespace)
	switch {
	case apierrors.IsForbidden(err):
		v.Operator = &Operator{State: forbidden}
		return nil
	case err != nil:
		return err
	}
	v.Operator = describe(deployment)
	routers, err := installer.ListRouters(ctx, client)
	if err != nil && !apierrors.IsForbidden(err) {
		return err
	}
	for i := range routers {
		v.Routers = append(v.Routers, Router{
			Version: routers[i].Labels[apis.LabelVersion], Image: imageOf(&routers[i], apis.AppRouter),
			Namespace: routers[i].Namespace,
		})
	}
	return nil
}

func describe(deployment *appsv1.Deployment) *Operator {
	if deployment == nil {
		return &Operator{State: notInstalled}
	}
	return &Operator{
		State:     installed,
		Namespace: deployment.Namespace,
		Version:   deployment.Labels[apis.LabelVersion],
		Image:     imageOf(deployment, apis.OperatorName),
	}
}

// imageOf returns the image of a container.
func imageOf(deployment *appsv1.Deployment, container string) string {
	for i := range deployment.Spec.Template.Spec.Containers {
		if c := &deployment.Spec.Template.Spec.Containers[i]; c.Name == container {
			return c.Image
		}
	}
	return ""
}

// skew returns a warning if another version of this program installed the operator. It is empty if that is unknown.
func (v *Versions) skew(program string) string {
	if v.Operator == nil || v.Operator.Version == "" || v.Operator.Version == install.VersionLabel(v.Client.Version) {
		return ""
	}
	return fmt.Sprintf("the operator has version %s and this program %s: %s install installs the operator of this program",
		v.Operator.Version, v.Client.Version, program)
}

func (v *Versions) print(out io.Writer, format string) error {
	return printing.WriteDocument(out, format, v, printable.Text(v.text()))
}

func (v *Versions) text() string {
	text := fmt.Sprintf(
		"Client:     %s (commit %s, %s, %s)\n", v.Client.Version, v.Client.Commit, v.Client.GoVersion, v.Client.Platform,
	)
	if operator := v.Operator; operator != nil {
		line := operator.State
		if operator.State == installed {
			line = fmt.Sprintf("%s (image %s, namespace %s)", operator.Version, operator.Image, operator.Namespace)
		}
		text += fmt.Sprintf("Operator:   %s\n", line)
	}
	var routers strings.Builder
	for _, router := range v.Routers {
		fmt.Fprintf(&routers, "Router:     %s (image %s, namespace %s)\n", router.Version, router.Image, router.Namespace)
	}
	text += routers.String()
	if v.Kubernetes != "" {
		text += fmt.Sprintf("Kubernetes: %s\n", v.Kubernetes)
	}
	return text
}
