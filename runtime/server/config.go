// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

// Package server speaks the HTTP contract of a sandbox's runtime: it runs commands and moves files.
//
// Invariants: no request blocks another; memory does not grow with the size of a file or of a stream; the log has no
// command, no output and no path.
package server

import (
	"errors"
	"flag"
	"fmt"
	"time"
)

// Config is what the runtime can be told.
type Config struct {
	// Listen is the TCP address.
	Listen string
	// Root is the base directory of files, and the working directory of commands.
	Root string
	// CommandTimeout limits every command; 0 does not.
	CommandTimeout time.Duration
	// KillAfter is the time from SIGTERM to SIGKILL for a command that is stopped.
	KillAfter time.Duration
	// MaxOutput limits the output in the answer of POST /execute, both streams together, in bytes.
	MaxOutput int64
}

// Defaults returns the configuration without flags.
func Defaults() Config {
	return Config{Listen: ":8888", Root: ".", KillAfter: 5 * time.Second, MaxOutput: 8 << 20}
}

// Validate returns all that is wrong.
func (c Config) Validate() error {
	var wrong []error
	refuse := func(bad bool, format string, value any) {
		if bad {
			wrong = append(wrong, fmt.Errorf(format, value))
		}
	}
	refuse(c.Root == "", "--root is %q: name a directory", c.Root)
	refuse(c.CommandTimeout < 0, "--command-timeout is %v: it must not be negative", c.CommandTimeout)
	refuse(c.KillAfter <= 0, "--kill-after is %v: it must be positive", c.KillAfter)
	refuse(c.MaxOutput <= 0, "--max-output is %d: it must be positive", c.MaxOutput)
	return errors.Join(wrong...)
}

// CommandLine is the configuration, and what the program does instead of serving.
type CommandLine struct {
	Config

	// CopyTo is where the program copies itself to; empty: it serves.
	CopyTo  string
	Version bool
}

// AddFlags defines the flags. Their defaults are the values that the command line has.
func (c *CommandLine) AddFlags(flags *flag.FlagSet) {
	flags.StringVar(&c.Listen, "listen", c.Listen, "Address to listen on.")
	flags.StringVar(&c.Root, "root", c.Root, "Base directory of files, and working directory of commands.")
	flags.DurationVar(&c.CommandTimeout, "command-timeout", c.CommandTimeout,
		"Longest time that a command may run; 0 means no limit.")
	flags.DurationVar(&c.KillAfter, "kill-after", c.KillAfter,
		"Time from SIGTERM to SIGKILL for a command that is stopped.")
	flags.Int64Var(&c.MaxOutput, "max-output", c.MaxOutput,
		"Limit of the output that an answer of POST /execute has, in bytes.")
	flags.StringVar(&c.CopyTo, "copy-to", c.CopyTo,
		"Copy this program to a file or into a directory, and exit: for an init container.")
	flags.BoolVar(&c.Version, "version", c.Version, "Print the version and exit.")
}
