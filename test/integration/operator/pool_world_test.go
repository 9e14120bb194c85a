// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/operator/manager"
)

// startWithExtensions runs the operator with claims, templates and pools until the test ends.
func startWithExtensions(t *testing.T) *world {
	t.Helper()
	scheme, err := manager.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(server.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, client: admin, namespace: server.Namespace(t), probes: free(t)}
	user := server.User(t, "operator-"+w.namespace, "", granted(t, "ClusterRole")...)
	config := manager.Defaults()
	config.MetricsBindAddress, config.HealthProbeBindAddress, config.LeaderElect, config.Extensions = "0", w.probes, false, true
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	log := quiet(t)
	go func() { ended <- manager.Run(ctx, config, user.Config, log) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the operator ended with %v", err)
			}
		case <-time.After(30 * time.Second):
			t.Error("the operator does not end")
		}
	})
	return w
}
