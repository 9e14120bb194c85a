// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// withPolicyOfPod returns the Sandbox as its running Pod must be labelled. Whoever may edit a claimed Sandbox can
// change the label of its template, and the claim restores it soon after. In between the Pod must not leave the
// NetworkPolicy of the template. So if the labels of Sandbox and Pod differ, the claim's status decides, which only the
// operator writes; if it does not say, the Pod keeps its label. The Sandbox that is passed in is not changed.
func (r *Reconciler) withPolicyOfPod(
	ctx context.Context, sandbox *agentsv1beta1.Sandbox, seen observed,
) *agentsv1beta1.Sandbox {
	pod := livePod(seen)
	if pod == nil || !isClaimed(sandbox) {
		return sandbox
	}
	now, wanted := pod.Labels[apis.LabelSandboxTemplateRefHash], sandbox.Labels[apis.LabelSandboxTemplateRefHash]
	if now == "" || wanted == "" || now == wanted {
		return sandbox
	}
	if template := r.promisedTemplate(ctx, sandbox); template != "" {
		now = naming.Hash(template)
	}
	sandbox = sandbox.DeepCopy()
	metadata.Set(&sandbox.Labels, apis.LabelSandboxTemplateRefHash, now)
	return sandbox
}

// promisedTemplate returns the template in the status of the claim that has the Sandbox, or "" if the API server does
// not say. It is asked only after an edit of a label.
func (r *Reconciler) promisedTemplate(ctx context.Context, sandbox *agentsv1beta1.Sandbox) string {
	ref := owner.ControllerOf(sandbox, apis.KindSandboxClaim)
	if ref == nil {
		return ""
	}
	key := types.NamespacedName{Namespace: sandbox.Namespace, Name: ref.Name}
	claim, err := lookup.Get(ctx, r.live, key, &extensionsv1beta1.SandboxClaim{})
	if err != nil || claim == nil || claim.UID != ref.UID || claim.Status.SandboxStatus.UID != sandbox.UID {
		return "" // an operator without the extensions may not read claims
	}
	return claim.Status.SandboxStatus.TemplateName
}
