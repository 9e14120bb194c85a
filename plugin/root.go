// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package plugin assembles the commands of kubectl sandbox, and turns their errors into messages and exit codes.
//
// Invariants:
//   - an error is printed once, to stderr, without a stack trace;
//   - help, completion scripts and validation contact no cluster.
package plugin

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

// programInHelp is the program's name in the help texts of the commands. It is replaced by the actual name.
const programInHelp = "kubectl sandbox"

// NewCommand returns the command line of a program of that name, as in "kubectl sandbox". It contacts no cluster.
func NewCommand(program string, clock clock.WithTicker, streams genericiooptions.IOStreams) *cobra.Command {
	return newCommand(factory.New(program, clock, streams.ErrOut), streams)
}

// ExitCode returns the exit code with which the program ends after a command has returned the error.
func ExitCode(err error) int { return cli.ExitCode(err) }

// newCommand returns the command line of a program of the factory's name.
func newCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	words := strings.Fields(f.Program())
	root := &cobra.Command{
		Use:   words[len(words)-1],
		Short: "Run agents and untrusted code in sandboxes on Kubernetes",
		Long: "kubectl sandbox creates isolated, stateful Pods with a stable name, runs commands in them, copies files,\n" +
			"forwards ports, and suspends and resumes them.",
		Example: "  kubectl sandbox create dev --image debian:12 --wait -- sleep infinity\n" +
			"  kubectl sandbox exec dev -- python3 -c 'print(6*7)'\n" +
			"  kubectl sandbox list",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: f.Program()},
		SilenceErrors: true,
		// Up to two wrong letters count as a typing error.
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Args:                       unknownCommand,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	root.CompletionOptions.DisableDefaultCmd = true
	if flags, ok := f.(*factory.Flags); ok {
		flags.AddFlags(root.PersistentFlags())
		root.PersistentPreRunE = func(*cobra.Command, []string) error { return flags.Validate() }
	}
	for _, group := range commandGroups(f, streams) {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, command := range group.commands {
			command.GroupID = group.id
			root.AddCommand(command)
		}
	}
	root.AddCommand(newOptionsCommand(), newExitCodesTopic())
	root.SetHelpCommand(newHelpCommand())
	cli.RegisterCompletions(root, f)
	setHelpTemplates(root)
	visitCommands(root, func(c *cobra.Command) { adaptCommand(c, f.Program()) })
	return root
}

// visitCommands calls do for a command and all commands below it.
func visitCommands(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, child := range c.Commands() {
		visitCommands(child, do)
	}
}

// adaptCommand puts the program's name into the texts of a command, and marks errors in its flags as usage errors.
func adaptCommand(c *cobra.Command, program string) {
	for _, text := range []*string{&c.Short, &c.Long, &c.Example} {
		*text = strings.ReplaceAll(*text, programInHelp, program)
	}
	c.DisableFlagsInUseLine = true
	c.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if !cmd.HasParent() && len(cmd.Flags().Args()) > 0 {
			return cli.UsageError(unknownCommand(cmd, cmd.Flags().Args())) // the flag belongs to a command that there is not
		}
		if strings.Contains(cmd.Use, "-- COMMAND") {
			err = fmt.Errorf("%w; what belongs to COMMAND comes after \"--\"", err)
		}
		return cli.UsageError(err)
	})
	if !c.Runnable() && c.HasSubCommands() {
		c.Args = unknownCommand
		c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
}
