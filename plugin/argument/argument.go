// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package argument checks how many arguments a command got and says in plain words which one is missing. It also writes them for a shell.
package argument

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// None refuses any argument.
func None(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: this command takes none", args[0])
	}
	return nil
}

// OnlyAfterDash refuses any argument before "--".
func OnlyAfterDash(cmd *cobra.Command, args []string) error {
	if own := BeforeDash(cmd, args); len(own) > 0 {
		return fmt.Errorf("unexpected argument %q: the command and its arguments come after \"--\"", own[0])
	}
	return nil
}

// Exactly asks for one argument for each name. What follows "--" does not count.
func Exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		own := BeforeDash(cmd, args)
		if len(own) < len(names) {
			return fmt.Errorf("%s is missing", strings.Join(names[len(own):], " "))
		}
		if len(own) > len(names) {
			return fmt.Errorf("unexpected argument %q: this command takes %s", own[len(names)], strings.Join(names, " "))
		}
		return nil
	}
}

// AtLeastOne asks for one or more arguments of a name.
func AtLeastOne(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s is missing: give one or more", name)
		}
		return nil
	}
}

// BeforeDash returns the arguments before "--".
func BeforeDash(cmd *cobra.Command, args []string) []string {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[:n]
	}
	return args
}

// AfterDash returns the arguments after "--", nil if there is no "--".
func AfterDash(cmd *cobra.Command, args []string) []string {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[n:]
	}
	return nil
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Quoted makes one word of a shell's command line.
func Quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
