// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
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
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func newDescribeCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use:   "describe NAME...",
		Short: "Show everything about pools, and why they are short",
		Long: "describe shows how full a pool is, each sandbox in it with its state, the claims that hold one of it, and what to do when\n" +
			"fewer are ready than there should be.",
		Example:           "  kubectl sandbox pool describe python-warm",
		Args:              cli.AtLeastOneArg("NAME"),
		ValidArgsFunction: cli.CompletePools(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			refs, err := cli.ParseRefs(args)
			if err != nil {
				return err
			}
			if err := cli.RequireKind(resolve.KindPool, refs); err != nil {
				return err
			}
			return describe(cmd.Context(), f, streams, refs)
		},
	}
}

func describe(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams, refs []resolve.Ref) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	var summaries []pool.Summary
	var failed error
	var facts *pool.Inventory
	for _, ref := range refs {
		found, err := a.Pools.Pool(ctx, a.Namespace, ref.Name)
		if err == nil && facts == nil {
			facts, err = a.Pools.Inventory(ctx, a.Namespace)
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		summary := pool.Summarize(found, facts)
		printable.Object(&summary)
		summaries = append(summaries, summary)
	}
	style := printing.Style{Colored: f.Color(streams.Out)}
	command := func(arguments string) string { return printing.SuggestedCommand(arguments, f) }
	for i := range summaries {
		var operator diagnose.Operator
		if summaries[i].Shortage != "" { // the operator may be the reason
			operator = a.Observer.Operator(ctx)
		}
		text := page(&summaries[i], facts, operator, style, command)
		if i > 0 {
			text = "\n" + text
		}
		if _, err := io.WriteString(streams.Out, text); err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}

// page is the whole text about one pool.
func page(
	s *pool.Summary, facts *pool.Inventory, operator diagnose.Operator, style printing.Style, command func(string) string,
) string {
	p := printing.Page{Style: style}
	head := []string{
		"Name:\t" + s.Pool.Name + printing.AgeSuffix(s.Pool.CreationTimestamp, facts.Now), "Namespace:\t" + s.Pool.Namespace,
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
		line := fmt.Sprintf("%s\t%s", member.Name, style.Verdict(pool.VerdictOf(member, facts.Now)))
		if s.Template != nil && pool.Stale(s.Template, member) {
			line += " (stale)"
		}
		members = append(members, line+printing.AgeSuffix(member.CreationTimestamp, facts.Now))
	}
	p.Section("Members", members)
	var claims []string
	for _, claim := range s.Claims {
		claims = append(claims, fmt.Sprintf("%s\t%s", claim.Name, claim.Status.SandboxStatus.Name))
	}
	p.Section("Claims", claims)
	p.Section("Next", next(s, facts, operator, command))
	return p.String()
}

// next is what to do about a pool: most is cured where the cause is.
func next(s *pool.Summary, facts *pool.Inventory, operator diagnose.Operator, command func(string) string) []string {
	switch {
	case s.Shortage == "":
		return []string{"claim from it: " + command("create NAME --pool "+s.Pool.Name)}
	case operator == diagnose.OperatorAbsent:
		return []string{"install the operator: " + command("install")}
	case operator == diagnose.OperatorDown:
		return []string{"the operator is not running: look at its Pods"}
	case s.TemplateMissing:
		return []string{
			"make the template, and the operator goes on by itself: " + command(
				"template create "+s.Pool.Spec.TemplateRef.Name+" --image IMAGE",
			),
		}
	}
	for _, member := range s.Members {
		if pool.VerdictOf(member, facts.Now) != diagnose.Ready {
			if s.Broken() {
				return mending(s, member.Name, command)
			}
			return []string{"see what stands in the way of one of them: " + command("status sandbox/"+member.Name)}
		}
	}
	return []string{"wait: the operator makes what is missing"}
}

// mending is what to do where members cannot start as they are made. A new one comes out alike until the template is
// changed.
func mending(s *pool.Summary, member string, command func(string) string) []string {
	template := s.Pool.Spec.TemplateRef.Name
	replaced := "the operator replaces what does not start within minutes; to have that at once: " + command(
		"delete sandbox/"+member,
	)
	see := "see what stands in the way of one of them: " + command("status sandbox/"+member)
	if s.TemplateChanged {
		return []string{"the template was changed since: " + replaced, see}
	}
	what := "correct template " + template
	if s.Cause == podreason.ImagePull {
		what = "correct the image in template " + template + ", or let the nodes pull it (imagePullSecrets)"
	}
	return []string{what + ": kubectl edit sandboxtemplate " + template, replaced, see}
}
