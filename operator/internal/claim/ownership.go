// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// claimUIDIndex finds the Sandboxes that a claim controls.
const claimUIDIndex = "metadata.claimUID"

// claimUIDOf is the index function of ownerUIDIndex.
func claimUIDOf(object client.Object) []string {
	if ref := metav1.GetControllerOfNoCopy(object); ref != nil && isClaim(ref) {
		return []string{string(ref.UID)}
	}
	return nil
}

// isClaim goes by group and kind: an owner of another API version is the same owner.
func isClaim(ref *metav1.OwnerReference) bool { return isExtension(ref, apis.KindSandboxClaim) }

// isBound says whether the Sandbox is the one that the claim's status names, by UID.
func isBound(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) bool {
	return sandbox.UID != "" && sandbox.UID == claim.Status.SandboxStatus.UID
}

// isOrphaned says whether the claim's Sandbox has lost its controller: the claim takes it back.
func isOrphaned(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) bool {
	return isBound(sandbox, claim) && metav1.GetControllerOfNoCopy(sandbox) == nil
}

func isPoolMember(sandbox *agentsv1beta1.Sandbox) bool {
	ref := metav1.GetControllerOfNoCopy(sandbox)
	return ref != nil && isExtension(ref, apis.KindSandboxWarmPool)
}

func isExtension(ref *metav1.OwnerReference, kind string) bool {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	return err == nil && gv.Group == apis.GroupExtensions && ref.Kind == kind
}

// setController makes the claim the controller of a Sandbox, in the place of whoever controls it. Owners that control nothing stay.
func setController(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim) {
	refs := []metav1.OwnerReference{
		*metav1.NewControllerRef(claim, extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxClaim)),
	}
	for _, ref := range sandbox.OwnerReferences {
		if ref.Controller == nil || !*ref.Controller {
			refs = append(refs, ref)
		}
	}
	sandbox.OwnerReferences = refs
}
