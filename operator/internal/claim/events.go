// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/events"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// adoptionsAtOnce is how many events about adoptions are recorded at once in a namespace. Later ones follow at the rate
// of waits.AdoptionEvent. In a burst of claims one event for each would cost as much as a seventh of their requests.
const adoptionsAtOnce = 10

// adoptionLimit bounds the events about adoptions. What they say is in the status of the claim, too.
type adoptionLimit = events.Limit

func newAdoptionLimit(clk clock.PassiveClock) *adoptionLimit {
	return events.NewLimit(clk, adoptionsAtOnce, waits.AdoptionEvent)
}

// emitEvents records what differs between the status before and after.
func (r *Reconciler) emitEvents(before, after *extensionsv1beta1.SandboxClaim, in statusInput) {
	if name := after.Status.SandboxStatus.Name; name != "" && name != before.Status.SandboxStatus.Name &&
		in.sandbox != nil {
		switch {
		case in.sandbox.Labels[apis.LabelLaunchType] != apis.LaunchTypeWarm:
			r.emitEvent(after, in.sandbox, apis.ReasonSandboxProvisioned, apis.ActionProvision,
				fmt.Sprintf("Created Sandbox %q", name))
		case r.adoptions.Allow(after.Namespace):
			r.emitEvent(after, in.sandbox, apis.ReasonSandboxAdopted, apis.ActionAdopt,
				fmt.Sprintf("Adopted warm Sandbox %q", name))
		}
	}
	if isExpired(after) && !isExpired(before) {
		r.emitEvent(after, nil, apis.ReasonClaimExpired, apis.ActionExpire, apis.MessageClaimExpired)
	}
}

func isExpired(claim *extensionsv1beta1.SandboxClaim) bool {
	ready := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady)
	return ready != nil && ready.Reason == string(apis.ReasonClaimExpired)
}

func (r *Reconciler) emitEvent(
	regarding *extensionsv1beta1.SandboxClaim, sandbox *agentsv1beta1.Sandbox, reason apis.Reason, action, note string,
) {
	var related runtime.Object
	if sandbox != nil { // an interface that holds a nil pointer is not nil
		related = sandbox
	}
	events.Record(r.recorder, regarding, related, corev1.EventTypeNormal, reason, action, note)
}
