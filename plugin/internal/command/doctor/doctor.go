// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package doctor is the command `doctor`.
//
// Invariants:
//   - it changes nothing: what it asks are reads and access reviews;
//   - a check that is not green says what is wrong and what to do about it;
//   - what the user may not read is unknown, not wrong; one check that cannot be made does not keep the others from it.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// Options are the flags.
type Options struct {
	Output string
	Skip   []string
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the cluster, the operator and your permissions, and say what to do",
		Long: "doctor looks at everything that a sandbox needs: the version of Kubernetes, the CustomResourceDefinitions, the operator,\n" +
			"its leader, flags and permissions, yours in the current namespace, storage, RuntimeClasses and network policies. Each\n" +
			"check that fails names its cure. What you may not read is unknown, with the verb and the resource that you lack, and\n" +
			"never ok. The exit code is 1 when a check fails and else 0: warnings do not count, nor does what is unknown, which is\n" +
			"listed at the end, and as \"unknown\" with -o json.\n\n" +
			"Checks: " + strings.Join(
			names()[:7],
			", ",
		) + ",\n" + strings.Join(
			names()[7:],
			", ",
		) + ".",
		Example: "  kubectl sandbox doctor\n\n" +
			"  # What keeps sandboxes of another namespace, or of another user, from working\n" +
			"  kubectl sandbox doctor --namespace team-a --as jane\n\n" +
			"  # For a script; sandboxes without volumes need no storage\n" +
			"  kubectl sandbox doctor -o json --skip storage",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "json or yaml.")
	cmd.Flags().StringSliceVar(&o.Skip, "skip", nil, "Checks to leave out.")
	for flag, values := range map[string][]string{"output": {"json", "yaml"}, "skip": names()} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions( // fails only for a flag that does not exist
			values, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// Validate checks the flags.
func (o *Options) Validate() error {
	if !slices.Contains([]string{"", "json", "yaml"}, o.Output) {
		return cli.UsageError(fmt.Errorf("-o is %q: use json or yaml", o.Output))
	}
	for _, name := range o.Skip {
		if !slices.Contains(names(), name) {
			return cli.UsageError(fmt.Errorf("--skip is %q: the checks are %s", name, strings.Join(names(), ", ")))
		}
	}
	return nil
}

// Run makes the checks. A cluster that does not answer is an error like any other command's: nothing else could be
// asked.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	p, err := newCluster(ctx, f)
	if err != nil {
		return err
	}
	report := Report{Healthy: true}
	for _, check := range checks() {
		if slices.Contains(o.Skip, check.name) {
			continue
		}
		for _, finding := range check.run(ctx, p) {
			finding.Check = check.name
			report.Healthy = report.Healthy && finding.Status != Failed
			if finding.Status == Unknown && !slices.Contains(report.Unknown, check.name) {
				report.Unknown = append(report.Unknown, check.name)
			}
			report.Findings = append(report.Findings, finding)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := report.print(streams.Out, o.Output, f.Color(streams.Out)); err != nil {
		return err
	}
	if len(report.Unknown) > 0 {
		_, _ = printable.Fprintf(
			streams.ErrOut,
			"Nobody can say whether these are in order: %s. The exit code is that of the other checks.\n", // the report says it too
			strings.Join(report.Unknown, ", "),
		)
	}
	return report.failure()
}
