// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func newListCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := cli.NewListOptions(resolve.KindTemplate)
	cmd := &cobra.Command{
		Use:     "list [NAME...]",
		Aliases: []string{"get", "ls"},
		Short:   "List templates",
		Long: "list shows the templates of a namespace, or of all namespaces with -A: their images, whether a claim may\n" +
			"add variables (ENV) and volumes (VOLUMES), what manages their network (NETWORK), and how many pools use\n" +
			"them (POOLS).",
		Example: "  kubectl sandbox template list\n\n" +
			"  # Print all templates for a script\n" +
			"  kubectl sandbox template list -A -o json",
		ValidArgsFunction: cli.CompleteTemplates(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return list(cmd.Context(), f, streams, o)
		},
	}
	o.AddFlags(cmd)
	return cmd
}

func list(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *cli.ListOptions) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	templates, failed := cli.Listed(ctx, o, a.Namespace, a.Pools.Template, a.Pools.Templates)
	if templates == nil && failed != nil {
		return failed
	}
	pools, poolsErr := a.Pools.Pools(ctx, o.Namespace(a.Namespace), "")
	var items []printing.Item
	for i := range templates {
		of := printing.None
		if poolsErr == nil {
			of = strconv.Itoa(len(poolsOf(&templates[i], pools)))
		}
		item, err := printing.NewItem(&templates[i], extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxTemplate),
			row(&templates[i], of, f.Clock().Now())...)
		if err != nil {
			return errors.Join(failed, err)
		}
		items = append(items, item)
	}
	return errors.Join(failed, o.Print(items, columns(), a.Namespace, streams))
}

// poolsOf returns the names of the pools that use a template.
func poolsOf(template *extensionsv1beta1.SandboxTemplate, pools []extensionsv1beta1.SandboxWarmPool) []string {
	var names []string
	for i := range pools {
		if pools[i].Namespace == template.Namespace && pools[i].Spec.TemplateRef.Name == template.Name {
			names = append(names, pools[i].Name)
		}
	}
	return names
}

func columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string"},
		{Name: "Images", Type: "string"},
		{Name: "Env", Type: "string"},
		{Name: "Volumes", Type: "string"},
		{Name: "Network", Type: "string"},
		{Name: "Pools", Type: "string"},
		{Name: "Age", Type: "string"},
	}
}

func row(t *extensionsv1beta1.SandboxTemplate, pools string, now time.Time) []any {
	var images []string
	for i := range t.Spec.PodTemplate.Spec.Containers {
		images = append(images, t.Spec.PodTemplate.Spec.Containers[i].Image)
	}
	return []any{
		t.Name, printing.OrNone(strings.Join(images, ",")), env(t), volumes(t), network(t), pools,
		printing.Age(t.CreationTimestamp, now),
	}
}

func env(t *extensionsv1beta1.SandboxTemplate) string {
	if t.Spec.EnvVarsInjectionPolicy == "" {
		return string(extensionsv1beta1.EnvVarsInjectionPolicyDisallowed)
	}
	return string(t.Spec.EnvVarsInjectionPolicy)
}

func volumes(t *extensionsv1beta1.SandboxTemplate) string {
	if t.Spec.VolumeClaimTemplatesPolicy == "" {
		return string(extensionsv1beta1.VolumeClaimTemplatesPolicyDisallowed)
	}
	return string(t.Spec.VolumeClaimTemplatesPolicy)
}

// network returns what manages the network of the sandboxes: the default policy, the template's own, or something else.
func network(t *extensionsv1beta1.SandboxTemplate) string {
	switch {
	case t.Spec.NetworkPolicyManagement == extensionsv1beta1.NetworkPolicyManagementUnmanaged:
		return string(extensionsv1beta1.NetworkPolicyManagementUnmanaged)
	case t.Spec.NetworkPolicy != nil:
		return "Custom"
	}
	return "Default"
}
