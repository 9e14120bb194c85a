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

// expectUncachedMembers lists the members on the API server, once per pool and process. The previous process may have
// created members that a lagging cache does not show yet, and without expectations the pool would create them a second
// time.
func (r *Reconciler) expectUncachedMembers(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool, seen *observed, now time.Time,
) error {
	if r.states.membersListed(pool.UID) {
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
	r.states.recordMembersListed(pool.UID)
	return nil
}
