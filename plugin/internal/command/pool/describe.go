// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func newDescribeCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &cli.SelectionOptions{}
	cmd := &cobra.Command{
		Use:   "describe NAME... | --all | -l SELECTOR",
		Short: "Show details of pools, and why they are short",
		Long: "describe shows how full a pool is, the state of each sandbox in it, the claims that hold one of its\n" +
			"sandboxes, and what to do if fewer are ready than desired.",
		Example: "  kubectl sandbox pool describe python-warm\n\n" +
			"  # Describe the pools of a team in all namespaces\n" +
			"  kubectl sandbox pool describe -l team=research -A",
		ValidArgsFunction: cli.CompletePools(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return describe(cmd.Context(), f, streams, o)
		},
	}
	o.AddFlagsFor(cmd, resolve.KindPool)
	return cmd
}

func describe(
	ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, o *cli.SelectionOptions,
) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	pools, failed := cli.Select(ctx, o, a.Namespace, a.Pools.Pool, a.Pools.Pools)
	if len(pools) == 0 {
		if failed == nil {
			_, failed = printable.Fprintf(streams.ErrOut, "%s\n", o.NoneSelected(a.Namespace))
		}
		return failed
	}
	inventory, err := a.Pools.Inventory(ctx, o.Namespace(a.Namespace))
	if err != nil {
		return errors.Join(failed, err)
	}
	a.Observer.AddObstacles(ctx, o.Namespace(a.Namespace), inventory)
	summaries := make([]pool.Summary, 0, len(pools))
	for i := range pools {
		summary := pool.Summarize(&pools[i], inventory)
		printable.Object(&summary)
		summaries = append(summaries, summary)
	}
	style := printing.Style{Colored: f.Color(streams.Out)}
	command := func(arguments string) string { return printing.SuggestedCommand(arguments, f) }
	for i := range summaries {
		var problem operator.Problem
		if summaries[i].Shortage != "" { // the reason may be the operator
			_, problem = a.Observer.Operator(ctx, summaries[i].Pool.Namespace)
		}
		text := page(&summaries[i], inventory, problem, style, command)
		if i > 0 {
			text = "\n" + text
		}
		if _, err := io.WriteString(streams.Out, text); err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}

// page returns the text about one pool.
func page(
	s *pool.Summary, inventory *pool.Inventory, problem operator.Problem, style printing.Style,
	command func(string) string,
) string {
	p := printing.Page{Style: style}
	head := []string{
		"Name:\t" + s.Pool.Name + printing.AgeSuffix(s.Pool.CreationTimestamp, inventory.Now),
		"Namespace:\t" + s.Pool.Namespace,
		"Template:\t" + s.Pool.Spec.TemplateRef.Name, "Update:\t" + string(strategy(s.Pool)),
		fmt.Sprintf("Ready:\t%d of %d", s.Ready, s.Desired), "Claimed:\t" + number(s.Claimed), "Stale:\t" + number(s.Stale),
	}
	if s.Shortage != "" {
		head = append(head, "Short:\t"+s.Shortage)
	}
	p.Section("", head)
	p.Section("Labels", printing.SortedPairs(s.Pool.Labels))
	var members []string
	for _, member := range s.Members {
		line := fmt.Sprintf("%s\t%s", member.Name, style.Verdict(inventory.VerdictOf(member)))
		if s.Template != nil && pool.Stale(s.Template, member) {
			line += " (stale)"
		}
		members = append(members, line+printing.AgeSuffix(member.CreationTimestamp, inventory.Now))
	}
	p.Section("Members", members)
	var claims []string
	for _, claim := range s.Claims {
		claims = append(claims, fmt.Sprintf("%s\t%s", claim.Name, claim.Status.SandboxStatus.Name))
	}
	p.Section("Claims", claims)
	p.Section("Next", next(s, inventory, problem, command))
	return p.String()
}

// next returns what to do about a pool. A shortage is usually fixed at its cause and not at the pool.
func next(
	s *pool.Summary, inventory *pool.Inventory, problem operator.Problem, command func(string) string,
) []string {
	switch {
	case s.Shortage == "":
		return []string{"claim from it: " + command("create NAME --pool "+s.Pool.Name)}
	case problem.Absent:
		return []string{"install the operator: " + command("install")}
	case problem.Message != "":
		return []string{printable.Line(problem.Message) + ": " + cmp.Or(printable.Line(problem.Cure), command("doctor"))}
	case s.Cause == podreason.MemberRejected:
		return []string{"correct what the message names in template " + s.Pool.Spec.TemplateRef.Name +
			", and the operator continues by itself: kubectl edit sandboxtemplate " + s.Pool.Spec.TemplateRef.Name}
	case s.TemplateMissing:
		return []string{"create the template, and the operator continues by itself: " +
			command("template create "+s.Pool.Spec.TemplateRef.Name+" --image IMAGE")}
	}
	for _, member := range s.Members {
		if inventory.VerdictOf(member) != diagnose.Ready {
			if s.Broken() {
				return repairs(s, member.Name, command)
			}
			return []string{"see what blocks one of them: " + command("status sandbox/"+member.Name)}
		}
	}
	return []string{"wait: the operator creates the missing sandboxes"}
}

// repairs returns what to do if members cannot start because of what the template says. New members fail in the same
// way until the template changes.
func repairs(s *pool.Summary, member string, command func(string) string) []string {
	template := s.Pool.Spec.TemplateRef.Name
	replaced := "within minutes the operator replaces members that do not start; to replace one now: " +
		command("delete sandbox/"+member)
	see := "see what blocks one of them: " + command("status sandbox/"+member)
	if s.TemplateChanged {
		return []string{"the template has changed since: " + replaced, see}
	}
	what := "correct template " + template
	if s.Cause == podreason.ImagePull {
		what = "correct the image in template " + template + ", or let the nodes pull it (imagePullSecrets)"
	}
	return []string{what + ": kubectl edit sandboxtemplate " + template, replaced, see}
}
