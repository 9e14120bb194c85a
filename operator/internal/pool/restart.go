// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// expectUncachedMembers asks the API server, once for each pool in the life of this process, which members there are. The process before this one may
// have created members that a cache filled from a server that lags does not show yet; without memory of them the pool would get as many
// again. They count as on their way until the cache shows them.
func (r *Reconciler) expectUncachedMembers(ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen *observed, now time.Time) error {
	if r.expectations.MembersListed(pool.UID) {
		return nil
	}
	var list agentsv1beta1.SandboxList
	err := r.live.List(ctx, &list,
		client.InNamespace(pool.Namespace), client.MatchingLabels{apis.LabelWarmPoolSandbox: naming.Hash(pool.Name)})
	if err != nil {
		return fmt.Errorf("list Sandboxes on the API server: %w", err)
	}
	cached := make(map[string]bool, len(seen.members))
	for _, member := range seen.members {
		cached[member.Name] = true
	}
	for i := range list.Items {
		if member := &list.Items[i]; controlledBy(member, pool) && !cached[member.Name] {
			r.expectations.ExpectCreation(pool.UID, member.Name, now)
			r.expectations.CreationConfirmed(pool.UID, member.Name, now)
			seen.pending.creations[member.Name] = pendingCreation{since: now, confirmed: true}
		}
	}
	r.expectations.SetMembersListed(pool.UID)
	return nil
}
