// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package completion is the command `completion`.
package completion

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

// NewCommand returns the command.
func NewCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script for a shell",
		Long: "completion prints the script that completes this program when it is called by its own name,\n" +
			"kubectl-sandbox.\n\n" +
			"To complete 'kubectl sandbox', kubectl calls a program named kubectl_complete-sandbox, which\n" +
			"'completion install' puts beside the plugin. That does not need this script.",
		Example: "  # Complete 'kubectl sandbox'\n" +
			"  kubectl sandbox completion install\n\n" +
			"  # Complete 'kubectl-sandbox' in bash\n" +
			"  kubectl sandbox completion bash > ~/.local/share/bash-completion/completions/kubectl-sandbox",
		Args:      oneShell,
		ValidArgs: shells(),
		RunE: func(_ *cobra.Command, args []string) error {
			return Run(args[0], FileName(f.Program()), streams.Out)
		},
	}
	cmd.AddCommand(newInstallCommand(f, streams))
	return cmd
}

func shells() []string { return []string{"bash", "zsh", "fish", "powershell"} }

func oneShell(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("the shell is missing: give bash, zsh, fish or powershell")
	}
	if len(args) > 1 {
		return fmt.Errorf("unexpected argument %q: this command takes one shell", args[1])
	}
	if slices.Contains(shells(), args[0]) {
		return nil
	}
	return fmt.Errorf("there is no completion script for shell %q: use bash, zsh, fish or powershell", args[0])
}

// Run writes the script of a shell for a program of this file name. The script does not contain the commands: it asks
// the program for completions.
func Run(shell, name string, out io.Writer) error {
	program := &cobra.Command{Use: name}
	switch shell {
	case "bash":
		return program.GenBashCompletionV2(out, true)
	case "zsh":
		return program.GenZshCompletion(out)
	case "fish":
		return program.GenFishCompletion(out, true)
	}
	return program.GenPowerShellCompletionWithDesc(out)
}

// FileName returns the file name of a program: kubectl finds "kubectl agent-sandbox" in kubectl-agent_sandbox.
func FileName(program string) string {
	words := strings.Fields(program)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "-", "_")
	}
	if len(words) == 1 {
		return program
	}
	return strings.Join(words, "-")
}
