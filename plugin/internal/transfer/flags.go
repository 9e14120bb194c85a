// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/files"
)

// Filter are the flags that decide what is left out.
type Filter struct {
	Exclude        []string
	AllFilesystems bool
}

// AddFlags adds the flags.
func (f *Filter) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Exclude, "exclude", nil,
		"A pattern of what to leave out: a name, or a path with a slash. Can be repeated.")
	cmd.Flags().BoolVar(&f.AllFilesystems, "all-filesystems", false,
		"Include other file systems below the directory, such as /proc and volumes.")
}

// Exclusions parses the patterns.
func (f *Filter) Exclusions() (files.Exclusions, error) {
	exclude, err := files.ParseExclusions(f.Exclude...)
	if err != nil {
		return exclude, cli.UsageError(err)
	}
	return exclude, nil
}

// Words returns the flags as they are written on a command line.
func (f *Filter) Words() []string {
	var words []string
	for _, pattern := range f.Exclude {
		words = append(words, "--exclude", cli.ShellQuote(pattern))
	}
	if f.AllFilesystems {
		words = append(words, "--all-filesystems")
	}
	return words
}

// AddContainerFlag adds --container.
func AddContainerFlag(cmd *cobra.Command, container *string) {
	cmd.Flags().StringVarP(container, "container", "c", "",
		"The container. (default: the one that the Pod marks as its default, or the first)")
}

// CompleteLocations suggests sandboxes, followed by a colon, in addition to the files that the shell suggests, for as
// many arguments as the command takes.
func CompleteLocations(names cli.CompletionFunc, most int) cli.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found, _ := names(cmd, nil, begun)
		for i := range found {
			found[i] += ":"
		}
		return found, cobra.ShellCompDirectiveNoSpace
	}
}
