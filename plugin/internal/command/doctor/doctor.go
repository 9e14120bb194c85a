// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package doctor is the command `doctor`.
//
// Invariants:
//   - it changes nothing: it only reads objects and requests access reviews;
//   - a finding that fails or warns says what is wrong and what to do;
//   - what the user may not read is unknown and does not fail; a check that is impossible does not prevent the others.
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
		Long: "doctor checks everything that a sandbox needs: the version of Kubernetes, the CustomResourceDefinitions,\n" +
			"the operator with its leader, flags and permissions, your permissions in the current namespace, storage,\n" +
			"RuntimeClasses, network policies and routers. Each check that fails says what to do. What you may not read\n" +
			"is reported as unknown, never as ok, with the verb and the resource that you lack. With --as all checks are\n" +
			"about that user, and the commands that grant what is lacking name that user. The exit code is 1 if a\n" +
			"check fails, and otherwise 0: warnings and unknown results do not count. The checks with unknown results are\n" +
			"listed at the end, and in the field \"unknown\" with -o json.\n\n" +
			"Checks: " + strings.Join(names()[:7], ", ") + ",\n" + strings.Join(names()[7:], ", ") + ".",
		Example: "  # Check everything\n" +
			"  kubectl sandbox doctor\n\n" +
			"  # Find what prevents another user from working with sandboxes in another namespace\n" +
			"  kubectl sandbox doctor --namespace team-a --as jane\n\n" +
			"  # Check in a script, without storage, because sandboxes without volumes do not need it\n" +
			"  kubectl sandbox doctor -o json --skip storage",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "The output format: json or yaml. (default: text)")
	cmd.Flags().StringSliceVar(&o.Skip, "skip", nil, "The checks to skip.")
	for flag, values := range map[string][]string{"output": {"json", "yaml"}, "skip": names()} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions( // it fails only for an unknown flag
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

// Run makes the checks and prints the report. If the cluster does not answer, no check is possible, and Run returns
// that error without a report.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	c, err := newCluster(ctx, f)
	if err != nil {
		return err
	}
	report := Report{Healthy: true}
	for _, check := range checks() {
		if slices.Contains(o.Skip, check.name) {
			continue
		}
		for _, finding := range check.run(ctx, c) {
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
		_, _ = printable.Fprintf(streams.ErrOut, // best effort: the report has it too
			"The results of these checks are unknown: %s. The exit code is that of the other checks.\n",
			strings.Join(report.Unknown, ", "))
	}
	return report.failure()
}
