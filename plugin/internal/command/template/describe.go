// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func newDescribeCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &cli.SelectionOptions{}
	cmd := &cobra.Command{
		Use:   "describe NAME... | --all | -l SELECTOR",
		Short: "Show details of templates",
		Long: "describe shows what the sandboxes of a template consist of, what claims may change, the pools that use\n" +
			"it, and why their sandboxes cannot start, if that is because of the template.",
		Example: "  kubectl sandbox template describe python\n\n" +
			"  # Describe the templates of a team in all namespaces\n" +
			"  kubectl sandbox template describe -l team=research -A",
		ValidArgsFunction: cli.CompleteTemplates(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return describe(cmd.Context(), f, streams, o)
		},
	}
	o.AddFlagsFor(cmd, resolve.KindTemplate)
	return cmd
}

func describe(
	ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *cli.SelectionOptions,
) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	templates, failed := cli.Select(ctx, o, a.Namespace, a.Pools.Template, a.Pools.Templates)
	if len(templates) == 0 {
		if failed == nil {
			_, failed = printable.Fprintf(streams.ErrOut, "%s\n", o.NoneSelected(a.Namespace))
		}
		return failed
	}
	style := printing.Style{Colored: f.Color(streams.Out)}
	command := func(arguments string) string { return printing.SuggestedCommand(arguments, f) }
	pools, poolsErr := a.Pools.Pools(ctx, o.Namespace(a.Namespace), "")
	for i := range templates {
		printable.Object(&templates[i])
		users := "not shown: you may not list pools"
		if poolsErr == nil {
			users = strings.Join(poolsOf(&templates[i], pools), ", ")
		}
		fault := faultOf(ctx, a, &templates[i], pools)
		text := page(&templates[i], users, fault, f.Clock().Now(), style, command)
		if i > 0 {
			text = "\n" + text
		}
		if _, err := io.WriteString(streams.Out, text); err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}

// faultOf returns why members of the template's pools cannot start because of what the template says; empty if they
// can, or if that cannot be read.
func faultOf(
	ctx context.Context, a *factory.Clients, t *extensionsv1beta1.SandboxTemplate,
	pools []extensionsv1beta1.SandboxWarmPool,
) string {
	if len(poolsOf(t, pools)) == 0 {
		return ""
	}
	inventory, err := a.Pools.Inventory(ctx, t.Namespace)
	if err != nil {
		return ""
	}
	inventory.Rejections = a.Observer.Rejections(ctx, t.Namespace) // other obstacles do not make a template faulty
	for i := range pools {
		if pools[i].Namespace != t.Namespace || pools[i].Spec.TemplateRef.Name != t.Name {
			continue
		}
		if s := pool.Summarize(&pools[i], inventory); s.Broken() && !s.TemplateChanged {
			return s.Shortage
		}
	}
	return ""
}

// page returns the text about one template.
func page(
	t *extensionsv1beta1.SandboxTemplate, pools, fault string, now time.Time, style printing.Style,
	command func(string) string,
) string {
	p := printing.Page{Style: style}
	if pools == "" {
		pools = "none"
	}
	head := []string{
		"Name:\t" + t.Name + printing.AgeSuffix(t.CreationTimestamp, now), "Namespace:\t" + t.Namespace,
		"Variables of claims:\t" + env(
			t,
		), "Volumes of claims:\t" + volumes(t), "Network policy:\t" + network(t), "Pools:\t" + pools,
	}
	spec := &t.Spec.PodTemplate.Spec
	if spec.RuntimeClassName != nil {
		head = append(head, "Runtime class:\t"+*spec.RuntimeClassName)
	}
	if spec.ServiceAccountName != "" {
		head = append(head, "Service account:\t"+spec.ServiceAccountName)
	}
	if fault != "" {
		head = append(head, "Problem:\t"+style.Alert(printable.Line(fault)))
	}
	p.Section("", head)
	p.Section("Labels", printing.SortedPairs(t.Labels))
	for i := range spec.Containers {
		p.Section("Container "+spec.Containers[i].Name, printing.ContainerLines(&spec.Containers[i]))
	}
	var claims []string
	for i := range t.Spec.VolumeClaimTemplates {
		size := t.Spec.VolumeClaimTemplates[i].Spec.Resources.Requests[corev1.ResourceStorage]
		claims = append(claims, t.Spec.VolumeClaimTemplates[i].Name+"\t"+size.String())
	}
	if t.Spec.PersistentVolumeClaimRetentionPolicy.Retains() {
		claims = append(claims, "when a claimed sandbox is deleted\tthey stay")
	} else if len(claims) > 0 {
		claims = append(claims, "when a sandbox is deleted\tthey are deleted")
	}
	p.Section("Volumes", claims)
	if fault != "" {
		p.Section("Next", []string{"correct it: kubectl edit sandboxtemplate " + t.Name})
		return p.String()
	}
	p.Section("Next", []string{
		"claim a sandbox of it: " + command("create NAME --template "+t.Name),
		"keep some warm: " + command("pool create NAME --template "+t.Name),
	})
	return p.String()
}
