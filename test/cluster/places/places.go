// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package places says where on this machine the command keeps what it makes.
package places

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// cacheVariable overrides the cache directory, stateVariable the directory of running clusters.
const (
	cacheVariable = "KUBECTL_SANDBOX_CACHE"
	stateVariable = "KUBECTL_SANDBOX_CLUSTERS"
	defaultState  = "/var/lib/kubectl-sandbox-clusters"
)

// clusterName bounds a name so that it is a valid node name, a file name, and a cgroup name.
var clusterName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$`)

// Cache is the directory of built binaries and image archives; it may be deleted at any time and is then built again.
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

// Clusters is the directory that has one directory for each cluster that is up.
func Clusters() string {
	if dir := os.Getenv(stateVariable); dir != "" {
		return dir
	}
	return defaultState
}

// Cluster is the directory of the cluster of that name. It fails for a name that cannot be a node's name.
func Cluster(name string) (string, error) {
	if !clusterName.MatchString(name) {
		return "", fmt.Errorf("cluster name %q: use 1 to 30 lower-case letters, digits and dashes, no dash at either end", name)
	}
	return filepath.Join(Clusters(), name), nil
}
