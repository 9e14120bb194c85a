// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"flag"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// poolFlags is the prefix of the flags that set pool.Options.
const poolFlags = "sandbox-warm-pool-"

// CommandLine holds all flags of the program.
type CommandLine struct {
	Config

	Logging zap.Options
	Version bool // print the version and exit
}

// AddFlags registers all flags.
func (c *CommandLine) AddFlags(flags *flag.FlagSet) {
	c.Config.AddFlags(flags)
	c.Logging.BindFlags(flags)
	flags.BoolVar(&c.Version, "version", false, "Print the version and exit.")
}

// Section is a group of flags in the reference.
type Section struct {
	Title string
	Flags []Flag
}

// Flag is one setting. DefaultReason says why the default has its value.
type Flag struct {
	Name, Usage, DefaultReason string

	value any // a pointer into a Config
}

// AddFlags registers the flags of the Config. Its current values are the defaults.
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

// stringList is a flag that can be repeated and takes comma-separated values.
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
