// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"flag"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// poolFlags begin the names of the flags that set pool.Options.
const poolFlags = "sandbox-warm-pool-"

// CommandLine is what the program can be told.
type CommandLine struct {
	Config

	Logging zap.Options // zap's own flags
	Version bool        // print the version and exit
}

// AddFlags binds the fields to flags.
func (c *CommandLine) AddFlags(flags *flag.FlagSet) {
	c.Config.AddFlags(flags)
	c.Logging.BindFlags(flags)
	flags.BoolVar(&c.Version, "version", false, "Print the version and exit.")
}

// Section is a group of flags, as the reference lists them.
type Section struct {
	Title string
	Flags []Flag
}

// Flag is one setting: what it does, and why its default is what it is.
type Flag struct {
	Name, Usage, DefaultReason string

	value any // a pointer into a Config
}

// AddFlags binds the fields to flags; what the Config holds now are the defaults.
func (c *Config) AddFlags(flags *flag.FlagSet) {
	for _, section := range c.Sections() {
		for _, f := range section.Flags {
			switch value := f.value.(type) {
			case *string:
				flags.StringVar(value, f.Name, *value, f.Usage)
			case *bool:
				flags.BoolVar(value, f.Name, *value, f.Usage)
			case *int:
				flags.IntVar(value, f.Name, *value, f.Usage)
			case *float64:
				flags.Float64Var(value, f.Name, *value, f.Usage)
			case *time.Duration:
				flags.DurationVar(value, f.Name, *value, f.Usage)
			case *[]string:
				flags.Var((*stringList)(value), f.Name, f.Usage)
			}
		}
	}
}

// stringList is a flag that may be given several times, and takes several values at once with commas between them.
type stringList []string

// String implements flag.Value.
func (l *stringList) String() string {
	if l == nil {
		return ""
	}
	return strings.Join(*l, ",")
}

// Set implements flag.Value.
func (l *stringList) Set(values string) error {
	*l = append(*l, strings.Split(values, ",")...)
	return nil
}
