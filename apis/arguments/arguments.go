// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package arguments reads the arguments of an operator's container, as whoever installs, examines or waits for one needs them.
package arguments

import "strings"

// The flags that others than the operator itself look at.
const (
	LeaderElect             = "leader-elect"
	LeaderElectionNamespace = "leader-election-namespace"
	WatchNamespaces         = "watch-namespaces"
)

// Name is the flag that an argument gives, without dashes.
func Name(arg string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name
}

// Value is the last value of a flag; a flag without one is true.
func Value(args []string, flag string) (value string, given bool) {
	for _, arg := range args {
		name, v, valued := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name == flag {
			value, given = v, true
			if !valued {
				value = "true"
			}
		}
	}
	return value, given
}

// Values are all values of a flag that may be given several times, or with commas.
func Values(args []string, flag string) []string {
	var all []string
	for _, arg := range args {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name == flag && value != "" {
			all = append(all, strings.Split(value, ",")...)
		}
	}
	return all
}
