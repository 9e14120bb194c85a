// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

const exitCodes = `Every command ends with one of these exit codes:

  0    done
  1    failed; with several names: at least one failed
  2    wrong usage: an unknown command or flag, or a missing or impossible argument
  124  timed out waiting, or a command took longer than --timeout (exec) or --command-timeout (run)
  130  interrupted: Ctrl-C, SIGTERM, or its terminal was closed
  141  its output is no longer read, as in: list | head -1

exec, shell and run pass on the exit code of the remote command, and end with

  126  when the command cannot be run: it is not executable, or not for this machine
  127  when there is no such command in the sandbox
  255  when the connection was lost before the remote end reported a status

logs ends with 255 when the connection was lost before the end of the log, cp and sync when it was
lost before the copy was complete.`

// newExitCodesTopic returns a help topic, which is not a command.
func newExitCodesTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodes}
}

// newOptionsCommand returns the command that lists the global flags, which the help of other commands leaves out.
func newOptionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "options",
		Short:   "List the flags that all commands have",
		Long:    "options lists the flags that all commands have: those of kubectl, and --color.",
		Example: "  kubectl sandbox options",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "These flags can be given to any command:\n\n%s",
				cmd.InheritedFlags().FlagUsagesWrapped(helpWidth))
			return err
		},
	}
}

// helpWidth is the width at which help is wrapped.
const helpWidth = 118
