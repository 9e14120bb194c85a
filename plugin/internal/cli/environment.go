// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"
)

// EnvVar is an environment variable.
type EnvVar struct{ Name, Value string }

// EnvOptions are the flags --env and --env-file.
type EnvOptions struct {
	Env   []string
	Files []string
}

// AddFlags adds -e, --env and --env-file. of says whose variables they are.
func (o *EnvOptions) AddFlags(cmd *cobra.Command, of string) {
	cmd.Flags().StringArrayVarP(&o.Env, "env", "e", nil,
		"An environment variable of "+of+", NAME=VALUE; NAME alone passes on the variable of this shell. Repeatable.")
	cmd.Flags().StringArrayVar(&o.Files, "env-file", nil,
		"A file with environment variables, one on each line; # begins a comment. Repeatable.")
}

// Parse returns the variables of the files, then those of --env. Of several with one name the last one counts.
func (o *EnvOptions) Parse() ([]EnvVar, error) {
	var all []EnvVar
	for _, file := range o.Files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("--env-file: %w", err)
		}
		for i, line := range strings.Split(strings.TrimPrefix(string(content), "\ufeff"), "\n") {
			line = strings.TrimSuffix(line, "\r")
			if text := strings.TrimLeft(line, " \t"); text == "" || text[0] == '#' {
				continue
			}
			variable, err := parseEnvVar(line)
			if err != nil {
				return nil, fmt.Errorf("--env-file %s, line %d: %w", file, i+1, err)
			}
			all = append(all, variable)
		}
	}
	for _, text := range o.Env {
		variable, err := parseEnvVar(text)
		if err != nil {
			return nil, fmt.Errorf("--env %w", err)
		}
		all = append(all, variable)
	}
	return lastOfEach(all), nil
}

// parseEnvVar parses NAME=VALUE, or NAME for the value of this process's own variable.
func parseEnvVar(text string) (EnvVar, error) {
	name, value, found := strings.Cut(text, "=")
	if problems := validation.IsEnvVarName(name); len(problems) > 0 {
		return EnvVar{}, fmt.Errorf("%q: %q cannot be the name of a variable", text, name)
	}
	if !found {
		if value, found = os.LookupEnv(name); !found {
			return EnvVar{}, fmt.Errorf("%q: this shell has no such variable to pass on; use NAME=VALUE", text)
		}
	}
	if strings.Contains(value, "\x00") {
		return EnvVar{}, fmt.Errorf("%q: the value contains a zero byte", name)
	}
	return EnvVar{Name: name, Value: value}, nil
}

// lastOfEach keeps the last variable of each name, in the order of the names' first appearance.
func lastOfEach(all []EnvVar) []EnvVar {
	var kept []EnvVar
	for _, variable := range all {
		at := slices.IndexFunc(kept, func(other EnvVar) bool { return other.Name == variable.Name })
		if at < 0 {
			kept = append(kept, variable)
		} else {
			kept[at] = variable
		}
	}
	return kept
}
