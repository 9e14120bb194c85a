// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// claimUIDIndex finds the Sandboxes that a claim controls, by the claim's UID.
const claimUIDIndex = "metadata.claimUID"

// claimUIDOf is the index function of claimUIDIndex.
func claimUIDOf(object client.Object) []string {
	if ref := owner.ControllerOf(object, apis.KindSandboxClaim); ref != nil {
		return []string{string(ref.UID)}
	}
	return nil
}

// isBound reports whether the Sandbox is the one in the claim's status, by UID.
func isBound(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) bool {
	return sandbox.UID != "" && sandbox.UID == claim.Status.SandboxStatus.UID
}

// isOrphaned reports whether the claim's Sandbox has no controller. The claim adopts it again.
func isOrphaned(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) bool {
	return isBound(sandbox, claim) && metav1.GetControllerOfNoCopy(sandbox) == nil
}
