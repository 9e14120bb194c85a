// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// listUncached asks the API server for the claim's Sandboxes if an earlier leader may have adopted one that the cache
// does not show yet. It asks once per claim and process: what this process adopts later is in its memory. Without the
// answer the claim would adopt a second member, which is deleted again.
func (r *Reconciler) listUncached(
	ctx context.Context, claim *extensionsv1beta1.SandboxClaim, now time.Time,
) (owned []*agentsv1beta1.Sandbox, err error) {
	if !r.mayPredate(claim, now) || r.memory.Listed(claim.UID) {
		return nil, nil
	}
	var list agentsv1beta1.SandboxList
	err = r.live.List(ctx, &list,
		client.InNamespace(claim.Namespace), client.MatchingLabels{apis.LabelClaimUID: string(claim.UID)})
	if err != nil {
		return nil, fmt.Errorf("list Sandboxes on the API server: %w", err)
	}
	r.memory.RecordListed(claim.UID)
	for i := range list.Items {
		if metav1.IsControlledBy(&list.Items[i], claim) {
			owned = append(owned, &list.Items[i])
		}
	}
	return owned, nil
}

// recordLeading records when this process began to lead. Only the first call counts.
func (r *Reconciler) recordLeading(now time.Time) { r.leads.Do(func() { r.leadsSince = now }) }

// mayPredate reports whether an earlier leader may have reconciled the claim: it was created before this process began
// to lead. A clock that differs from the API server's makes the answer wrong; then a claim costs a
// list that it does not need, or a member that is deleted again.
func (r *Reconciler) mayPredate(claim *extensionsv1beta1.SandboxClaim, now time.Time) bool {
	r.recordLeading(now)
	return claim.CreationTimestamp.Time.Before(r.leadsSince)
}
