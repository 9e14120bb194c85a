// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/signals"
)

// completionFilePrefix begins the name of the file that kubectl runs to complete a plugin's arguments:
// kubectl_complete-sandbox.
const completionFilePrefix = "kubectl_complete-"

// Run executes a command line and returns the exit code. The first SIGINT, SIGTERM or SIGHUP, and output that is no
// longer read, cancel the context of the command, so that it can clean up. A command that hangs is abandoned. A second
// SIGINT or SIGTERM ends the process at once.
func Run(ctx context.Context, argv []string, streams genericiooptions.IOStreams, clock clock.WithTicker) int {
	ctx, cancel, stop := signals.Context(ctx)
	defer stop()
	streams.Out, streams.ErrOut = cancelWhenUnread(streams.Out, cancel), cancelWhenUnread(streams.ErrOut, cancel)

	f := factory.New(factory.ProgramName(argv[0]), clock, streams.ErrOut)
	args := argv[1:]
	if strings.HasPrefix(filepath.Base(argv[0]), completionFilePrefix) {
		args = append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	code, ended := cli.RunInterruptible(ctx, clock, func(ctx context.Context) int {
		return execute(ctx, newCommand(f, streams), args, f, streams.ErrOut)
	})
	if !ended {
		if errors.Is(context.Cause(ctx), signals.ErrOutputClosed) {
			return cli.ExitOutputClosed
		}
		_, _ = io.WriteString(streams.ErrOut, "Error: interrupted\n") // best effort
		return cli.ExitInterrupted
	}
	return code
}

// cancelWhenUnread cancels the command when the output is no longer read. A terminal is returned unchanged, since its
// size is read from the file.
func cancelWhenUnread(w io.Writer, cancel context.CancelCauseFunc) io.Writer {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return w
	}
	return signals.Output(w, func() { cancel(signals.ErrOutputClosed) })
}

// execute runs the command and prints its error. An error before the command's own code runs is a usage error: cobra's
// errors about arguments and flags have no type.
func execute(ctx context.Context, root *cobra.Command, args []string, f factory.Factory, errOut io.Writer) int {
	started := false
	visitCommands(root, func(c *cobra.Command) {
		if run := c.RunE; run != nil {
			c.RunE = func(cmd *cobra.Command, args []string) error {
				started = true
				return run(cmd, args)
			}
		}
	})
	root.SetArgs(cli.JoinDryRun(args))
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !started {
		err = cli.UsageError(err)
	}
	if errors.Is(context.Cause(ctx), signals.ErrOutputClosed) {
		err = cli.OutputClosedError() // truncated output is not a success, whatever the command returned
	}
	code := cli.ExitCode(err)
	messages := printing.ErrorMessages(err, f)
	if code == cli.ExitFailed && ctx.Err() != nil && len(messages) > 0 {
		code = cli.ExitInterrupted
	}
	printErrors(errOut, messages, code, cmd)
	return code
}

// printErrors prints each error once, and for wrong usage where to find help. Remote exit codes have no message.
func printErrors(out io.Writer, messages []string, code int, cmd *cobra.Command) {
	for _, message := range messages {
		_, _ = fmt.Fprintf(out, "Error: %s\n", printable.Text(message)) // best effort
	}
	if code == cli.ExitUsage && len(messages) > 0 {
		_, _ = fmt.Fprintf(out, "See '%s --help'.\n", cmd.CommandPath())
	}
}
