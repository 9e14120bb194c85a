// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apis

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionType is the type of a condition of one of our objects.
type ConditionType string

// Conditions. A Sandbox has no others, and lists them in this order; a claim has Ready and Finished. The operator
// writes them. A condition counts if its observedGeneration is the generation of the object. Templates and pools have
// none.
const (
	// ConditionReady says whether the sandbox can be used; if not, its message says why. On Sandboxes and claims.
	ConditionReady ConditionType = "Ready"
	// ConditionSuspended is True when the Pod of a suspended Sandbox no longer exists, and False while it still does. It
	// is absent unless the spec requests suspension. On Sandboxes.
	ConditionSuspended ConditionType = "Suspended"
	// ConditionFinished is True when the work of the Pod has ended by itself, and absent otherwise. It survives expiry. A
	// claim's time to live starts with it. On Sandboxes and claims.
	ConditionFinished ConditionType = "Finished"
)

// Messages of a SandboxClaim's conditions.
const (
	MessageClaimExpired        = "Claim has expired. Sandbox cleanup initiated."
	MessageSandboxExpiredAlone = "Underlying Sandbox resource has expired independently of the Claim."
)

// Messages of a Sandbox's conditions.
const (
	MessagePodReady               = "Pod is Ready"
	MessagePodNotReady            = "Pod is Running but not Ready"
	MessagePodMissing             = "Pod does not exist"
	MessagePodPhase               = "Pod exists with phase: "
	MessagePodDeleted             = "Pod is being deleted"
	MessageServiceExists          = "Service Exists"
	MessageServiceMissing         = "Service does not exist"
	MessageSuspending             = "Sandbox is suspending"
	MessageSuspended              = "Sandbox is suspended"
	MessageSuspendedPodTerminated = "Pod has been terminated. Sandbox is not operational."
	MessageSuspendedPodPresent    = "Pod has not been terminated. Sandbox is operational."
	MessageExpired                = "Sandbox has expired"
	MessageErrorPrefix            = "Error seen: "
)

// A message may quote text of any length from users or servers. The API allows 32 KiB, which is more than anybody
// reads.
const (
	maxMessageLength = 4096
	truncationMark   = " ... (cut)"
)

// NewCondition returns a condition. Its transition time is that of the same condition in was, or now if the status
// differs or was has no such condition. It truncates long messages. Condition times have a resolution of one second.
func NewCondition(
	was []metav1.Condition, kind ConditionType, status bool, reason Reason, message string,
	generation int64, now metav1.Time,
) metav1.Condition {
	if len(message) > maxMessageLength {
		message = strings.ToValidUTF8(message[:maxMessageLength-len(truncationMark)], "") + truncationMark
	}
	is := metav1.Condition{
		Type: string(kind), Status: metav1.ConditionFalse, Reason: string(reason), Message: message,
		ObservedGeneration: generation, LastTransitionTime: now,
	}
	if status {
		is.Status = metav1.ConditionTrue
	}
	if old := FindCondition(was, kind); old != nil && old.Status == is.Status {
		is.LastTransitionTime = old.LastTransitionTime
	}
	return is
}

// FindCondition returns a pointer to the condition of that type in the list, or nil.
func FindCondition(conditions []metav1.Condition, kind ConditionType) *metav1.Condition {
	for i := range conditions {
		if conditions[i].Type == string(kind) {
			return &conditions[i]
		}
	}
	return nil
}

// ConditionTrue reports whether the condition exists and is True.
func ConditionTrue(conditions []metav1.Condition, kind ConditionType) bool {
	c := FindCondition(conditions, kind)
	return c != nil && c.Status == metav1.ConditionTrue
}
