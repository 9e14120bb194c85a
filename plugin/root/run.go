// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package root

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/explain"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/printable"
)

// completer is what kubectl calls a file that completes a plugin's arguments: kubectl_complete-sandbox.
const completer = "kubectl_complete-"

// Run executes one command line and returns the exit code. The first SIGINT or SIGTERM cancels the command's context, so
// that it can clean up; a second one ends the process at once.
func Run(ctx context.Context, argv []string, streams genericiooptions.IOStreams, clock clock.WithTicker) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()

	f := factory.New(factory.ProgramName(argv[0]), clock, streams.ErrOut)
	args := argv[1:]
	if strings.HasPrefix(filepath.Base(argv[0]), completer) {
		args = append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	return execute(ctx, NewCommand(f, streams), args, f, streams.ErrOut)
}

// execute runs the command and prints its error. Whatever fails before a command's own code runs is wrong usage: cobra's
// checks of arguments and flags have no type of their own.
func execute(ctx context.Context, root *cobra.Command, args []string, f factory.Factory, errOut io.Writer) int {
	started := false
	everyCommand(root, func(c *cobra.Command) {
		if run := c.RunE; run != nil {
			c.RunE = func(cmd *cobra.Command, args []string) error {
				started = true
				return run(cmd, args)
			}
		}
	})
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !started {
		err = exit.Usage(err)
	}
	code := exit.Code(err)
	if code == exit.Failed && ctx.Err() != nil {
		code = exit.Interrupted
	}
	report(errOut, err, code, cmd, f)
	return code
}

// report prints each error once, and after wrong usage where help is.
func report(out io.Writer, err error, code int, cmd *cobra.Command, f factory.Factory) {
	for _, message := range explain.Errors(err, f) {
		_, _ = fmt.Fprintf(out, "Error: %s\n", printable.Text(message)) // there is nowhere left to complain
	}
	if code == exit.WrongUsage {
		_, _ = fmt.Fprintf(out, "See '%s --help'.\n", cmd.CommandPath())
	}
}
