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
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/notify"
)

// announce tells in events what changed from one status to the next; a pass that changes nothing says nothing.
func (r *Reconciler) announce(was, is *extensionsv1beta1.SandboxClaim, f facts) {
	if name := is.Status.SandboxStatus.Name; name != "" && name != was.Status.SandboxStatus.Name && f.sandbox != nil {
		if f.sandbox.Labels[apis.LabelLaunchType] == apis.LaunchTypeWarm {
			r.event(is, f.sandbox, apis.ReasonSandboxAdopted, "Adopt",
				fmt.Sprintf("Adopted warm Sandbox %q", name))
		} else {
			r.event(is, f.sandbox, apis.ReasonSandboxProvisioned, "Provision",
				fmt.Sprintf("Created Sandbox %q", name))
		}
	}
	if expired(is) && !expired(was) {
		r.event(is, nil, apis.ReasonClaimExpired, "Expire", apis.MessageClaimExpired)
	}
}

func expired(claim *extensionsv1beta1.SandboxClaim) bool {
	ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady)
	return ready != nil && ready.Reason == string(apis.ReasonClaimExpired)
}

func (r *Reconciler) event(
	about *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox, reason apis.Reason, action, note string,
) {
	var related runtime.Object
	if sandbox != nil { // a nil pointer in an interface is not nil
		related = sandbox
	}
	notify.Event(r.recorder, about, related, corev1.EventTypeNormal, reason, action, note)
}
