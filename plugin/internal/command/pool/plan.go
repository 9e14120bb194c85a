// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// PlanOptions are the name and the flags of `pool plan`.
type PlanOptions struct {
	Name   string
	Rate   string
	Burst  int
	Start  time.Duration
	Output string
	// Replicas is the size to check against the nodes; negative if no size was given.
	Replicas int32

	ref    resolve.Ref
	demand pool.Demand
}

func newPlanCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &PlanOptions{}
	cmd := &cobra.Command{
		Use:   "plan NAME",
		Short: "Calculate how large a pool has to be, and how large it can be",
		Long: "plan calculates how many sandboxes a pool has to keep so that claims get one at once: as many as claims\n" +
			"arrive while a used one is replaced. How long a replacement takes is measured on the pool's sandboxes.\n" +
			"How many claims arrive is counted from the claims that still exist, and a fifth is added for the next\n" +
			"peak; --rate and --burst state the expected claims instead. plan changes nothing.\n\n" +
			"It also calculates how many more sandboxes of the pool fit on the nodes as they are, and what keeps each\n" +
			"node from taking more: requests, taints, affinity, host ports, quotas. It does not consider that other\n" +
			"Pods could be evicted. With --replicas it exits with code 1 if a pool of that size does not fit.",
		Example: "  # Was the pool large enough for the claims so far?\n" +
			"  kubectl sandbox pool plan python-warm\n\n" +
			"  # Expect thirty claims a minute, and sometimes fifty at once\n" +
			"  kubectl sandbox pool plan python-warm --rate 30/m --burst 50\n\n" +
			"  # Do fifty sandboxes fit on the nodes?\n" +
			"  kubectl sandbox pool plan python-warm --replicas 50",
		Args:              cli.ExactArgs("NAME"),
		ValidArgsFunction: cli.CompleteFirstArg(cli.CompletePools(f)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if !cmd.Flags().Changed("replicas") {
				o.Replicas = -1
			} else if err := checkReplicas(o.Replicas); err != nil {
				return cli.UsageError(err)
			}
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringVar(&o.Rate, "rate", "",
		"How many claims arrive on average, as in 2/s, 30/m or 500/h. (default: as observed)")
	cmd.Flags().IntVar(&o.Burst, "burst", 0, "How many claims arrive at once, beyond the rate.")
	cmd.Flags().DurationVar(&o.Start, "start", 0,
		"How long a sandbox takes to become ready. (default: as measured on the pool's sandboxes)")
	cmd.Flags().Int32Var(&o.Replicas, "replicas", 0, "Check whether a pool of this size fits on the nodes.")
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "Output format: json or yaml.")
	return cmd
}

// Validate checks the name and flags.
func (o *PlanOptions) Validate() error {
	refs, err := cli.ParseRefsOf(resolve.KindPool, []string{o.Name})
	if err != nil {
		return err
	}
	o.ref, o.demand = refs[0], pool.Demand{Burst: o.Burst, Start: o.Start}
	if o.demand.Rate, err = parseRate(o.Rate); err != nil {
		return cli.UsageError(err)
	}
	switch {
	case o.Burst < 0 || o.Burst > math.MaxInt32:
		return cli.UsageError(fmt.Errorf("--burst is %d: give a number of 0 or more", o.Burst))
	case o.Start < 0:
		return cli.UsageError(fmt.Errorf("--start is %v: give a duration of 0 or more", o.Start))
	case !slices.Contains([]string{"", "json", "yaml"}, o.Output):
		return cli.UsageError(fmt.Errorf("-o %q is not an output format: use json or yaml", o.Output))
	}
	return nil
}

// parseRate parses a rate such as 30/m and returns it per second.
func parseRate(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	number, unit, _ := strings.Cut(text, "/")
	seconds := map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600}[unit]
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || seconds == 0 || math.IsNaN(n) || n < 0 || n > 1e6 {
		return 0, fmt.Errorf(
			"--rate %q is not a rate: give a number per second, minute or hour, as in 2/s, 30/m or 500/h", text,
		)
	}
	return n / seconds, nil
}

// Run prints the plan.
func (o *PlanOptions) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	found, err := a.Pools.Pool(ctx, a.Namespace, o.ref.Name)
	if err != nil {
		return err
	}
	inventory, err := a.Pools.Inventory(ctx, a.Namespace)
	if err != nil {
		return err
	}
	summary := pool.Summarize(found, inventory)
	plan, unknown := pool.PlanFor(&summary, inventory, o.demand)
	room, err := o.room(ctx, a, &summary)
	switch {
	case err != nil && o.Replicas >= 0:
		return err
	case err != nil:
		// the demand is still printed
		_, _ = printable.Fprintf(streams.ErrOut, "Warning: how many more fit is unknown: %v\n", err)
	}
	if err := o.print(document{plan, room}, &summary, f, streams.Out); err != nil {
		return err
	}
	demandGiven := o.Rate != "" || o.Burst > 0
	switch {
	case o.Replicas < 0 && unknown != nil && room != nil && !demandGiven:
		// the room was still printed
		_, _ = printable.Fprintf(streams.ErrOut, "Warning: the size that the claims need is unknown: %v\n", unknown)
		return nil
	case o.Replicas < 0:
		return unknown
	case room == nil:
		return fmt.Errorf("whether %d sandboxes fit is unknown: there is no template of pool %s, or no node",
			o.Replicas, found.Name)
	case room.Missing > 0:
		return fmt.Errorf("%d of %d do not fit on the nodes", room.Missing, o.Replicas)
	}
	return nil
}

// document is the output. Each part is nil if it is unknown.
type document struct {
	*pool.Plan
	Room *room `json:"room,omitempty"`
}

func (o *PlanOptions) print(d document, s *pool.Summary, f factory.Factory, out io.Writer) error {
	switch {
	case d.Plan == nil && d.Room == nil:
		return nil
	case o.Output != "":
		return encode(d, o.Output, out)
	}
	style := printing.Style{Colored: f.Color(out)}
	text := ""
	if d.Plan != nil {
		text = o.page(d.Plan, s, style, func(arguments string) string { return printing.SuggestedCommand(arguments, f) })
	}
	if d.Room != nil {
		p := printing.Page{Style: style}
		d.Room.sections(&p)
		text += p.String()
	}
	_, err := io.WriteString(out, text)
	return err
}

func encode(plan document, format string, out io.Writer) error {
	encoded, err := json.MarshalIndent(plan, "", "    ")
	if err == nil && format == "yaml" {
		encoded, err = printable.YAML(plan)
	}
	if err != nil {
		return fmt.Errorf("encode the plan: %w", err)
	}
	_, err = fmt.Fprintln(out, strings.TrimSuffix(string(encoded), "\n"))
	return err
}

func (o *PlanOptions) page(plan *pool.Plan, s *pool.Summary, style printing.Style, command func(string) string) string {
	p := printing.Page{Style: style}
	p.Section("", []string{
		"Pool:\t" + plan.Pool, "Template:\t" + printable.Line(plan.Template),
		fmt.Sprintf("Ready:\t%d of %d", s.Ready, s.Desired),
	})
	start := fmt.Sprintf("Replaced within:\t%v", plan.Start)
	if plan.Measured > 0 {
		start += measured(plan.Measured)
	}
	demand := []string{start}
	if plan.Seen > 0 {
		demand = append(demand, fmt.Sprintf("Claims seen:\t%d since %s, at most %d within %v",
			plan.Seen, plan.Since.UTC().Format(time.RFC3339), plan.Peak, plan.Start))
	}
	if plan.Given {
		demand = append(demand, fmt.Sprintf("Expected:\t%s", expected(o.Rate, o.Burst)))
	}
	p.Section("Demand", demand)
	needed := []string{fmt.Sprintf("Sandboxes:\t%d", plan.Needed)}
	if costs := amounts(plan.Total(plan.Needed)); costs != "" {
		needed = append(needed, fmt.Sprintf("Requests:\t%s (now %s)", costs, amounts(plan.Total(plan.Desired))))
	}
	p.Section("Needed", needed)
	p.Section("Next", []string{advice(plan, command)})
	return p.String()
}

// measured says how the time for a replacement was derived from the times of n sandboxes.
func measured(n int) string {
	if n == 1 {
		return " (measured on 1 sandbox)"
	}
	return fmt.Sprintf(" (90%% of %d sandboxes took no longer)", n)
}

func expected(rate string, burst int) string {
	switch {
	case rate == "":
		return fmt.Sprintf("%d at once", burst)
	case burst == 0:
		return rate
	}
	return fmt.Sprintf("%s, and %d at once", rate, burst)
}

func advice(plan *pool.Plan, command func(string) string) string {
	scale := command(fmt.Sprintf("pool scale %s --replicas %d", plan.Pool, plan.Needed))
	switch {
	case plan.Desired < plan.Needed:
		return fmt.Sprintf("%d more are needed, or claims start cold at a peak; to make the pool larger: %s",
			plan.Needed-plan.Desired, scale)
	case plan.Desired > plan.Needed:
		return fmt.Sprintf("%d can be saved; to make the pool smaller: %s", plan.Desired-plan.Needed, scale)
	}
	return "nothing: the pool has the size that it needs"
}

// amounts returns the quantities as readable text, sorted by name.
func amounts(list corev1.ResourceList) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(list)) {
		quantity := list[name]
		all = append(all, fmt.Sprintf("%s %s", quantity.String(), name))
	}
	return strings.Join(all, ", ")
}
