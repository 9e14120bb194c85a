// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

// CreateOptions are the name and the flags of `pool create`.
type CreateOptions struct {
	Name     string
	Template string
	Replicas int32
	Update   string
	Labels   []string
	DryRun   cli.DryRunOptions

	printing *genericclioptions.PrintFlags
	labels   map[string]string
	update   extensionsv1beta1.SandboxWarmPoolUpdateStrategyType
}

func newCreateCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &CreateOptions{printing: cli.NewCreatedPrintFlags()}
	cmd := &cobra.Command{
		Use:   "create NAME --template T",
		Short: "Create a pool of warm sandboxes",
		Long: "create creates a pool that keeps sandboxes of a template running. When the template changes, sandboxes\n" +
			"that were built from the old version are replaced as they are claimed (OnReplenish), or at once\n" +
			"(Recreate).",
		Example: "  kubectl sandbox pool create python-warm --template python --replicas 10\n\n" +
			"  # Never hand out a sandbox of an outdated template\n" +
			"  kubectl sandbox pool create python-warm --template python --update-strategy Recreate",
		Args: cli.ExactArgs("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Template, "template", "", "The SandboxTemplate to create the sandboxes from.")
	flags.Int32Var(&o.Replicas, "replicas", 1, "The number of sandboxes to keep warm.")
	flags.StringVar(&o.Update, "update-strategy", "",
		"When to replace sandboxes of an outdated template: OnReplenish or Recreate. (default OnReplenish)")
	flags.StringArrayVar(&o.Labels, "label", nil, "A label of the pool, KEY=VALUE. Repeatable.")
	o.DryRun.AddFlag(cmd)
	o.printing.AddFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("template", cli.CompleteTemplates(f)) // fails only for a flag that does not exist
	return cmd
}

// Validate checks the flags. It needs no cluster.
func (o *CreateOptions) Validate() error {
	for _, check := range []func() error{o.checkNames, o.checkUpdate, o.DryRun.Validate} {
		if err := check(); err != nil {
			return cli.UsageError(err)
		}
	}
	var err error
	if o.labels, err = cli.ParseLabels(o.Labels); err != nil {
		return cli.UsageError(err)
	}
	_, err = o.printing.ToPrinter()
	return cli.UsageError(err)
}

func (o *CreateOptions) checkNames() error {
	switch {
	case len(validation.IsDNS1123Subdomain(o.Name)) > 0:
		return fmt.Errorf("%q cannot be a name: use lower-case letters, digits, '-' and '.', and begin and end with a "+
			"letter or digit", o.Name)
	case len(o.Name) > naming.MaxPoolName:
		return fmt.Errorf(
			"the name has %d characters: use at most %d, because the names of the pool's sandboxes begin with it", len(o.Name),
			naming.MaxPoolName,
		)
	case o.Name == apis.WarmPoolNone || o.Name == apis.WarmPoolDefault:
		return fmt.Errorf("a pool called %q could not be claimed from: in a claim, this name means something else", o.Name)
	case o.Template == "":
		return errors.New("--template is missing: give the template of the sandboxes")
	case len(validation.IsDNS1123Subdomain(o.Template)) > 0:
		return fmt.Errorf("--template: %q cannot be a name", o.Template)
	}
	return checkReplicas(o.Replicas)
}

func checkReplicas(replicas int32) error {
	if replicas < 0 {
		return fmt.Errorf("--replicas is %d: use 0 or more", replicas)
	}
	return nil
}

func (o *CreateOptions) checkUpdate() error {
	if o.Update == "" {
		return nil
	}
	for _, strategy := range []extensionsv1beta1.SandboxWarmPoolUpdateStrategyType{
		extensionsv1beta1.OnReplenishSandboxWarmPoolUpdateStrategyType,
		extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType,
	} {
		if strings.EqualFold(o.Update, string(strategy)) {
			o.update = strategy
			return nil
		}
	}
	return fmt.Errorf("--update-strategy is %q: use OnReplenish or Recreate", o.Update)
}

// Build returns the pool that validated options describe.
func (o *CreateOptions) Build(namespace string) *extensionsv1beta1.SandboxWarmPool {
	pool := &extensionsv1beta1.SandboxWarmPool{
		ObjectMeta: metav1.ObjectMeta{Name: o.Name, Namespace: namespace, Labels: o.labels},
		Spec: extensionsv1beta1.SandboxWarmPoolSpec{
			Replicas: new(o.Replicas), TemplateRef: extensionsv1beta1.SandboxTemplateRef{Name: o.Template},
		},
	}
	if o.update != "" {
		pool.Spec.UpdateStrategy = &extensionsv1beta1.SandboxWarmPoolUpdateStrategy{Type: o.update}
	}
	return pool
}

// Run creates the pool.
func (o *CreateOptions) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	namespace, _, err := f.Namespace()
	if err != nil {
		return err
	}
	var created runtime.Object = o.Build(namespace)
	if !o.DryRun.OnClient() {
		a, err := factory.NewClients(f)
		if err != nil {
			return err
		}
		if created, err = a.Pools.CreatePool(ctx, o.Build(namespace), o.DryRun.OnServer()); err != nil {
			return err
		}
	}
	return o.DryRun.Print(o.printing, created, streams.Out)
}
