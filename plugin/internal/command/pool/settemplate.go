// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// SetTemplateOptions select the pools and name their new template.
type SetTemplateOptions struct {
	Selection cli.SelectionOptions
	Template  string
	DryRun    cli.DryRunOptions
}

func newSetTemplateCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &SetTemplateOptions{}
	cmd := &cobra.Command{
		Use:        "set-template (NAME... | --all | -l SELECTOR) TEMPLATE",
		SuggestFor: []string{"set"},
		Short:      "Change the template of pools",
		Long: "set-template has pools create their sandboxes from another template: the last argument, which must exist.\n" +
			"Claimed sandboxes are not touched. Unclaimed ones of the earlier template are replaced as they are\n" +
			"claimed, or at once if the update strategy of the pool is Recreate. pool rollout status waits until\n" +
			"all are replaced.",
		Example: "  kubectl sandbox pool set-template python-warm python-3.14\n\n" +
			"  # Change all pools of a team\n" +
			"  kubectl sandbox pool set-template -l team=research python-3.14\n\n" +
			"  # Have the cluster check that without changing anything\n" +
			"  kubectl sandbox pool set-template -l team=research python-3.14 --dry-run=server",
		ValidArgsFunction: cli.CompleteFirstThenRest(cli.CompletePools(f), cli.CompleteTemplates(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.complete(args); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	o.Selection.AddFlagsFor(cmd, resolve.KindPool)
	o.Selection.AddQuietFlag(cmd)
	o.DryRun.AddFlag(cmd)
	return cmd
}

// complete takes the template from the end of the arguments, and checks them.
func (o *SetTemplateOptions) complete(args []string) error {
	named := !o.Selection.All && o.Selection.Selector == ""
	if len(args) == 0 || named && len(args) == 1 {
		return cli.UsageError(errors.New("TEMPLATE is missing: give the pools, and then the template"))
	}
	templates, err := cli.ParseRefsOf(resolve.KindTemplate, args[len(args)-1:])
	if err != nil {
		return err
	}
	o.Template, o.Selection.Names = templates[0].Name, args[:len(args)-1]
	if err := o.Selection.Validate(); err != nil {
		return err
	}
	return cli.UsageError(o.DryRun.Validate())
}

// Run changes the selected pools. A template that does not exist is refused, unless the user may not read templates.
func (o *SetTemplateOptions) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	return forEachPool(ctx, f, streams, &o.Selection, &o.DryRun,
		func(a *factory.Clients, pool *extensionsv1beta1.SandboxWarmPool) (string, error) {
			if pool.Spec.TemplateRef.Name == o.Template {
				return "unchanged", nil
			}
			if _, err := a.Pools.Template(ctx, pool.Namespace, o.Template); err != nil && !apierrors.IsForbidden(err) {
				return "", fmt.Errorf("pool %s keeps template %s: %w", pool.Name, pool.Spec.TemplateRef.Name, err)
			}
			done := "now uses template " + o.Template
			if o.DryRun.OnClient() {
				return done, nil
			}
			return done, a.Pools.SetTemplate(ctx, pool, o.Template, o.DryRun.OnServer())
		})
}
