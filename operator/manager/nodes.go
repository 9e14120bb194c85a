// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/nodes"
)

// newNodeWatcher tells which nodes are about to go. An operator of some namespaces may not look at what is the cluster's: to it all stay.
func newNodeWatcher(mgr ctrl.Manager, config Config) (func(node string) bool, error) {
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
