// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wait is the command `wait`.
package wait

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Options are the names and flags.
type Options struct {
	Names   []string
	For     string
	Waiting cli.WaitOptions
	refs    []resolve.Ref
	goal    await.Goal
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "wait NAME... --for ready|suspended|finished|deleted",
		Short: "Wait until sandboxes are ready, suspended, finished or deleted",
		Long: "wait waits until sandboxes reach a state, and reports meanwhile what blocks them. A state counts only if\n" +
			"the operator reported it after the latest change. If a sandbox can no longer reach the state, wait exits\n" +
			"with code 1 at once: for example, it was deleted, or it finished although it should become ready. Exit\n" +
			"code 124 means that the timeout expired.",
		Example: "  # Wait until a sandbox can be used\n" +
			"  kubectl sandbox wait dev --for ready --timeout 2m\n\n" +
			"  # Wait until a job has ended\n" +
			"  kubectl sandbox wait job --for finished --timeout -1s",
		Args: cli.AtLeastOneArg("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringVar(&o.For, "for", "", "What to wait for: ready, suspended, finished or deleted.")
	o.Waiting.AddTimeoutFlag(cmd)
	complete := cobra.FixedCompletions(
		[]cobra.Completion{"ready", "suspended", "finished", "deleted"}, cobra.ShellCompDirectiveNoFileComp,
	)
	_ = cmd.RegisterFlagCompletionFunc("for", complete) // fails only for a flag that does not exist
	return cmd
}

// Validate checks the names and flags.
func (o *Options) Validate() error {
	if o.For == "" {
		return cli.UsageError(errors.New("--for is missing: use ready, suspended, finished or deleted"))
	}
	goal, err := await.ParseGoal(o.For)
	if err != nil {
		return cli.UsageError(err)
	}
	o.goal = goal
	o.refs, err = cli.ParseRefs(o.Names)
	return err
}

// Run waits for all sandboxes at the same time.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	progress := cli.NewWaitProgress(streams.ErrOut)
	return cli.ForEach(streams.Out, o.refs, func(ref resolve.Ref) (string, error) {
		_, err := a.Wait(ctx, await.Request{
			Namespace: a.Namespace, Ref: ref, Goal: o.goal, Timeout: o.Waiting.Timeout,
			Progress: progress.PrinterFor(ref.String(), o.goal),
		}, streams.ErrOut)
		return fmt.Sprintf("%s %s", ref, o.goal), err
	})
}
