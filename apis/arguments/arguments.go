// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package arguments parses the arguments of the operator's container, for code that installs, checks or waits for an
// operator.
package arguments

import "strings"

// The flags that code outside the operator reads.
const (
	LeaderElect             = "leader-elect"
	LeaderElectionNamespace = "leader-election-namespace"
	WatchNamespaces         = "watch-namespaces"
	RouterNamespace         = "router-namespace"
	TenantRouterNamespaces  = "tenant-router-namespaces"
	ClusterDomain           = "cluster-domain"
)

// Name returns the name of the flag in an argument, without dashes.
func Name(arg string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name
}

// Value returns the last value of a flag, and whether the flag is given. A flag without a value is "true".
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

// Values returns all values of a flag that may be given several times or with comma-separated values.
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
