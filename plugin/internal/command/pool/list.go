// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func newListCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := cli.NewListOptions(resolve.KindPool)
	cmd := &cobra.Command{
		Use:     "list [NAME...]",
		Aliases: []string{"get", "ls"},
		Short:   "List pools and how full they are",
		Long: "list shows the pools of a namespace, or of all namespaces with -A: how many sandboxes each should keep\n" +
			"(DESIRED), how many of them can be claimed now (READY), how many claims hold one of its sandboxes\n" +
			"(CLAIMED), how many sandboxes were built from an older version of the template (STALE), and why a pool\n" +
			"is short. A dash as CLAIMED or STALE means that the number is unknown, for example because you may not\n" +
			"read the objects.",
		Example: "  kubectl sandbox pool list\n\n" +
			"  # Print all pools for a script\n" +
			"  kubectl sandbox pool list -A -o json",
		ValidArgsFunction: cli.CompletePools(f),
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
	pools, failed := cli.Listed(ctx, o, a.Namespace, a.Pools.Pool, a.Pools.Pools)
	if pools == nil && failed != nil {
		return failed
	}
	inventory, err := a.Pools.Inventory(ctx, o.Namespace(a.Namespace))
	if err != nil {
		return errors.Join(failed, err)
	}
	a.Observer.AddObstacles(ctx, o.Namespace(a.Namespace), inventory)
	style := printing.Style{Colored: f.Color(streams.Out)}
	var items []printing.Item
	for i := range pools {
		s := pool.Summarize(&pools[i], inventory)
		item, err := printing.NewItem(
			&pools[i],
			extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxWarmPool),
			row(&s, inventory, style)...)
		if err != nil {
			return errors.Join(failed, err)
		}
		items = append(items, item)
	}
	return errors.Join(failed, o.Print(items, columns(), a.Namespace, streams))
}

func columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string"},
		{Name: "Template", Type: "string"},
		{Name: "Desired", Type: "string"},
		{Name: "Ready", Type: "string"},
		{Name: "Claimed", Type: "string"},
		{Name: "Stale", Type: "string"},
		{Name: "Age", Type: "string"},
		{Name: "Why short", Type: "string"},
		{Name: "Update", Type: "string", Priority: 1},
	}
}

func row(s *pool.Summary, inventory *pool.Inventory, style printing.Style) []any {
	ready := printing.ColoredCell{Text: strconv.Itoa(s.Ready), Paint: style.VerdictPainter(verdict(s))}
	return []any{
		s.Pool.Name, s.Pool.Spec.TemplateRef.Name, strconv.Itoa(s.Desired), ready,
		number(s.Claimed), number(s.Stale),
		printing.Age(s.Pool.CreationTimestamp, inventory.Now), printing.OrNone(s.Shortage), string(strategy(s.Pool)),
	}
}

// verdict returns the state of a pool: a broken one stays short until somebody acts.
func verdict(s *pool.Summary) diagnose.Verdict {
	switch {
	case s.Broken():
		return diagnose.Blocked
	case s.Ready < s.Desired:
		return diagnose.Starting
	}
	return diagnose.Ready
}

// number returns a count as text, or a dash if it is unknown.
func number(n int) string {
	if n == pool.Unknown {
		return printing.None
	}
	return fmt.Sprint(n)
}

// strategy returns the update strategy of a pool, or the default one.
func strategy(p *extensionsv1beta1.SandboxWarmPool) extensionsv1beta1.SandboxWarmPoolUpdateStrategyType {
	if p.Spec.UpdateStrategy == nil || p.Spec.UpdateStrategy.Type == "" {
		return extensionsv1beta1.OnReplenishSandboxWarmPoolUpdateStrategyType
	}
	return p.Spec.UpdateStrategy.Type
}
