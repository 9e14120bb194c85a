// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/events"
)

// emitEvents tells in events what changed from one status to the next; a pass that changes nothing says nothing.
func (r *Reconciler) emitEvents(was, is *extensionsv1beta1.SandboxClaim, f statusInput) {
	if name := is.Status.SandboxStatus.Name; name != "" && name != was.Status.SandboxStatus.Name && f.sandbox != nil {
		if f.sandbox.Labels[apis.LabelLaunchType] == apis.LaunchTypeWarm {
			r.emitEvent(is, f.sandbox, apis.ReasonSandboxAdopted, "Adopt",
				fmt.Sprintf("Adopted warm Sandbox %q", name))
		} else {
			r.emitEvent(is, f.sandbox, apis.ReasonSandboxProvisioned, "Provision",
				fmt.Sprintf("Created Sandbox %q", name))
		}
	}
	if isExpired(is) && !isExpired(was) {
		r.emitEvent(is, nil, apis.ReasonClaimExpired, "Expire", apis.MessageClaimExpired)
	}
}

func isExpired(claim *extensionsv1beta1.SandboxClaim) bool {
	ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady)
	return ready != nil && ready.Reason == string(apis.ReasonClaimExpired)
}

func (r *Reconciler) emitEvent(
	about *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox, reason apis.Reason, action, note string,
) {
	var related runtime.Object
	if sandbox != nil { // a nil pointer in an interface is not nil
		related = sandbox
	}
	events.Record(r.recorder, about, related, corev1.EventTypeNormal, reason, action, note)
}
