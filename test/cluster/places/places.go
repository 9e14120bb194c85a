// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package places returns the directories in which the command keeps its files.
package places

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// cacheVariable overrides the cache directory, and stateVariable the directory of running clusters.
const (
	cacheVariable = "KUBECTL_SANDBOX_CACHE"
	stateVariable = "KUBECTL_SANDBOX_CLUSTERS"
	defaultState  = "/var/lib/kubectl-sandbox-clusters"
)

// clusterName matches names that are valid as names of nodes, files and cgroups.
var clusterName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$`)

// Cache returns the directory of built binaries and image archives. It may be deleted at any time; its content is built
// again.
func Cache() (string, error) {
	if dir := os.Getenv(cacheVariable); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache directory (set %s): %w", cacheVariable, err)
	}
	return filepath.Join(dir, "kubectl-sandbox"), nil
}

// Clusters returns the directory that contains a directory for each cluster that is up.
func Clusters() string {
	if dir := os.Getenv(stateVariable); dir != "" {
		return dir
	}
	return defaultState
}

// Cluster returns the directory of a cluster. It fails for a name that is not valid for a node.
func Cluster(name string) (string, error) {
	if !clusterName.MatchString(name) {
		return "", fmt.Errorf("cluster name %q: use 1 to 30 lower-case letters, digits and dashes, no dash at either end",
			name)
	}
	return filepath.Join(Clusters(), name), nil
}
