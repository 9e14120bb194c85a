// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// NoArgs refuses any argument.
func NoArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: this command takes none", args[0])
	}
	return nil
}

// OnlyArgsAfterDash refuses arguments before "--".
func OnlyArgsAfterDash(cmd *cobra.Command, args []string) error {
	if own := ArgsBeforeDash(cmd, args); len(own) > 0 {
		return fmt.Errorf("unexpected argument %q: the command and its arguments come after \"--\"", own[0])
	}
	return nil
}

// ExactArgs requires one argument for each name. What follows "--" is refused, unless the command's usage line says
// that it is a command to run: then it is ignored.
func ExactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		own := ArgsBeforeDash(cmd, args)
		if len(own) < len(names) {
			return fmt.Errorf("%s is missing", strings.Join(names[len(own):], " "))
		}
		if len(own) > len(names) {
			return fmt.Errorf("unexpected argument %q: this command takes %s", own[len(names)], strings.Join(names, " "))
		}
		if strings.Contains(cmd.Use, "-- COMMAND") {
			return nil
		}
		return NoArgsAfterDash(cmd, args)
	}
}

// NoArgsAfterDash refuses arguments after "--".
func NoArgsAfterDash(cmd *cobra.Command, args []string) error {
	if after := ArgsAfterDash(cmd, args); len(after) > 0 {
		return fmt.Errorf("unexpected argument %q after \"--\": this command runs no command", after[0])
	}
	return nil
}

// AtLeastOneArg requires one or more arguments of that name.
func AtLeastOneArg(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s is missing: give one or more", name)
		}
		return nil
	}
}

// ArgsBeforeDash returns the arguments before "--".
func ArgsBeforeDash(cmd *cobra.Command, args []string) []string {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[:n]
	}
	return args
}

// ArgsAfterDash returns the arguments after "--", or nil without a "--".
func ArgsAfterDash(cmd *cobra.Command, args []string) []string {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[n:]
	}
	return nil
}

// shellSafe matches words that a shell takes literally without quotes.
var shellSafe = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellQuote quotes a word for a POSIX shell, if it needs quoting.
func ShellQuote(word string) string {
	if shellSafe.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ShellJoin quotes words for a POSIX shell, if they need it, and joins them.
func ShellJoin(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ShellQuote(word)
	}
	return strings.Join(quoted, " ")
}
