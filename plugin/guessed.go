// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// kubectlCommands returns the kubectl command to use for each command of kubectl that this plugin does not have.
func kubectlCommands() map[string]string {
	return map[string]string{
		"annotate": "kubectl annotate sandboxclaim/NAME KEY=VALUE",
		"apply":    "kubectl apply -f FILE",
		"edit":     "kubectl edit sandboxclaim/NAME",
		"events":   "kubectl events --for sandboxclaim/NAME",
		"explain":  "kubectl explain sandboxclaim.spec",
		"label":    "kubectl label sandboxclaim/NAME KEY=VALUE",
		"patch":    "kubectl patch sandboxclaim/NAME --type merge -p PATCH",
		"replace":  "kubectl replace -f FILE",
	}
}

// ownCommands returns our command for what is another command in kubectl, and for a word that pools and templates have.
func ownCommands() map[string]string {
	return map[string]string{
		"claims":  "list claims",
		"rollout": "pool rollout status NAME",
		"scale":   "pool scale NAME --replicas N",
	}
}

// kindOfGroup returns the kind that a command with subcommands is about, for kubectl.
func kindOfGroup(cmd *cobra.Command) string {
	switch cmd.Name() {
	case "pool":
		return "sandboxwarmpool"
	case "template":
		return "sandboxtemplate"
	}
	return "sandboxclaim"
}

// insteadOf returns the command to use for a command that there is not here, or "".
func insteadOf(cmd *cobra.Command, word string) string {
	kind := kindOfGroup(cmd)
	instead := kubectlCommands()[word]
	switch {
	case cmd.HasParent() && kind == "sandboxclaim":
		return ""
	case cmd.HasParent():
		return strings.ReplaceAll(instead, "sandboxclaim", kind)
	case ownCommands()[word] != "":
		return cmd.CommandPath() + " " + ownCommands()[word]
	case strings.Contains(instead, "sandboxclaim/"):
		return instead + ", or sandbox/NAME for a Sandbox without a claim"
	}
	return instead
}

// unknownCommand refuses a first argument that is not a command. It names the command that does what was asked for, or
// suggests similar commands.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	message := fmt.Sprintf("unknown command %q", args[0])
	if instead := insteadOf(cmd, args[0]); instead != "" {
		return errors.New(message + "; use " + instead)
	}
	if like := suggestions(cmd, args[0]); len(like) > 0 {
		message += "; did you mean " + strings.Join(like, " or ") + "?"
	}
	return errors.New(message)
}

// suggestions returns the commands with that alternative name, or else those with a similar name.
func suggestions(cmd *cobra.Command, word string) []string {
	var names []string
	for _, child := range cmd.Commands() {
		if slices.Contains(child.SuggestFor, strings.ToLower(word)) {
			names = append(names, child.Name())
		}
	}
	if len(names) > 0 {
		return names
	}
	return cmd.SuggestionsFor(word)
}

// newHelpCommand returns the command `help`. Unlike cobra's own, it refuses what is neither a command nor a topic.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		ValidArgsFunction: func(
			cmd *cobra.Command, args []string, begun string,
		) ([]cobra.Completion, cobra.ShellCompDirective) {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []cobra.Completion
			for _, child := range found.Commands() {
				if (child.IsAvailableCommand() || child.IsAdditionalHelpTopicCommand()) &&
					strings.HasPrefix(child.Name(), begun) {
					names = append(names, cobra.CompletionWithDesc(child.Name(), child.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if found.HasSubCommands() && len(rest) > 0 {
				return unknownCommand(found, rest)
			}
			found.InitDefaultHelpFlag() // so that it is listed
			return found.Help()
		},
	}
}
