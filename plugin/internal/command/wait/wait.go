// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wait is the command `wait`.
package wait

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/target"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
)

// Options are the names and flags.
type Options struct {
	Selection cli.SelectionOptions
	For       string
	Waiting   cli.WaitOptions
	// ExitCode ends with the exit code of what has finished.
	ExitCode bool
	// Exec is the name of a detached command to wait for instead.
	Exec      string
	Container string
	goal      await.Goal
}

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{}
	cmd := &cobra.Command{
		Use:   "wait (NAME... | --all | -l SELECTOR) --for ready|suspended|finished|deleted | NAME --exec COMMAND",
		Short: "Wait until sandboxes are ready, suspended, finished or deleted",
		Long: "wait waits until sandboxes reach a state, and reports meanwhile what blocks them. A state counts only if\n" +
			"the operator reported it after the latest change. If a sandbox can no longer reach the state, wait exits\n" +
			"with code 1 at once: for example, it was deleted, or it finished although it should become ready. Exit\n" +
			"code 124 means that the timeout expired.\n\n" +
			"With --exit-code, wait --for finished ends with the exit code of the sandbox's main process. With several\n" +
			"sandboxes that is the code of those that failed, or 1 if their codes differ.\n\n" +
			"With --exec it waits for a command that exec --detach started, and ends with the exit code of the command.\n\n" +
			"If nothing is selected by --all or -l, that is an error, except with --for deleted.",
		Example: "  # Wait until a sandbox can be used\n" +
			"  kubectl sandbox wait dev --for ready --timeout 2m\n\n" +
			"  # Wait until no sandbox of a team is left\n" +
			"  kubectl sandbox wait -l team=research --for deleted\n\n" +
			"  # Wait until a job has ended, and pass on its exit code\n" +
			"  kubectl sandbox wait job --for finished --exit-code --timeout -1s",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Selection.Names = args
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context(), f, streams)
		},
	}
	cmd.Flags().StringVar(&o.For, "for", "", "What to wait for: ready, suspended, finished or deleted.")
	o.Selection.AddFlags(cmd)
	o.Selection.AddQuietFlag(cmd)
	o.Waiting.AddTimeoutFlag(cmd)
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false, "With --for finished, end with the exit code of the sandbox.")
	cmd.Flags().StringVar(&o.Exec, "exec", "",
		"Wait for the command that exec --detach started, by the name that it printed.")
	target.AddContainerFlag(cmd, f, &o.Container)
	complete := cobra.FixedCompletions(
		[]cobra.Completion{"ready", "suspended", "finished", "deleted"}, cobra.ShellCompDirectiveNoFileComp,
	)
	_ = cmd.RegisterFlagCompletionFunc("for", complete) // fails only for a flag that does not exist
	return cmd
}

// Validate checks the names and flags.
func (o *Options) Validate() error {
	if o.Exec != "" {
		return cli.UsageError(o.validateExec())
	}
	if o.Container != "" {
		return cli.UsageError(errors.New("--container goes together with --exec only"))
	}
	if o.For == "" {
		return cli.UsageError(errors.New("--for is missing: use ready, suspended, finished or deleted"))
	}
	goal, err := await.ParseGoal(o.For)
	if err != nil {
		return cli.UsageError(err)
	}
	o.goal = goal
	if o.ExitCode && goal != await.Finished {
		return cli.UsageError(errors.New("--exit-code goes together with --for finished only"))
	}
	return o.Selection.Validate()
}

// Run waits for all sandboxes at the same time.
func (o *Options) Run(ctx context.Context, f factory.Factory, streams genericiooptions.IOStreams) error {
	if o.Exec != "" {
		return o.ofCommand(ctx, f)
	}
	a, err := factory.NewClients(f)
	if err != nil {
		return err
	}
	objects, err := o.Selection.Objects(ctx, a.Sandboxes, a.Namespace)
	if err != nil {
		return err
	}
	if len(objects) == 0 && o.goal != await.Deleted {
		return o.Selection.ErrNoneSelected(a.Namespace)
	}
	progress := cli.NewWaitProgress(o.Selection.ProgressOut(streams.ErrOut))
	var codes exitCodes
	err = cli.ForEach(streams.Out, objects, func(object cli.Selected) (string, error) {
		reached, err := a.Wait(ctx, await.Request{
			Namespace: object.Namespace, Ref: object.Ref, Goal: o.goal, Timeout: o.Waiting.Timeout,
			Progress: progress.PrinterFor(object.Ref.String(), o.goal),
		}, streams.ErrOut)
		if err == nil && o.ExitCode {
			err = codes.add(reached)
		}
		return o.Selection.Result(object, string(o.goal)), err
	})
	return errors.Join(err, codes.err())
}
