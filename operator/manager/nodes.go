// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/nodes"
)

// newNodeWatcher adds a watch of nodes to the manager. isLeaving reports whether a node is about to be removed. An
// operator that is restricted to namespaces has no permission to read nodes, and isLeaving is then always false.
func newNodeWatcher(mgr ctrl.Manager, config Config) (isLeaving func(node string) bool, err error) {
	if len(config.WatchNamespaces) > 0 {
		return func(string) bool { return false }, nil
	}
	known, err := nodes.New(mgr.GetConfig(), mgr.GetHTTPClient(), mgr.GetLogger().WithName("nodes"))
	if err != nil {
		return nil, err
	}
	if err := mgr.Add(known); err != nil {
		return nil, fmt.Errorf("watch nodes: %w", err)
	}
	return known.IsLeaving, nil
}
