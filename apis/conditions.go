// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apis

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ConditionType is the type of a condition of one of our objects.
type ConditionType string

// Condition types. A Sandbox has no others, and lists them in this order.
const (
	ConditionReady     ConditionType = "Ready"
	ConditionSuspended ConditionType = "Suspended"
	ConditionFinished  ConditionType = "Finished"
)

// Reason is the machine-readable cause in a condition or an event.
type Reason string

// Reasons of a Sandbox's conditions.
const (
	ReasonDependenciesReady    Reason = "DependenciesReady"
	ReasonDependenciesNotReady Reason = "DependenciesNotReady"
	ReasonSandboxSuspended     Reason = "SandboxSuspended"
	ReasonSandboxExpired       Reason = "SandboxExpired"
	ReasonReconcilerError      Reason = "ReconcilerError"
	ReasonMultiplePods         Reason = "MultiplePods"
	ReasonPodTerminated        Reason = "PodTerminated"
	ReasonPodNotTerminated     Reason = "PodNotTerminated"
	ReasonPodSucceeded         Reason = "PodSucceeded"
	ReasonPodFailed            Reason = "PodFailed"
)

// Reasons of a SandboxClaim's conditions.
const (
	ReasonClaimExpired              Reason = "ClaimExpired"
	ReasonTemplateNotFound          Reason = "TemplateNotFound"
	ReasonWarmPoolNotFound          Reason = "WarmPoolNotFound"
	ReasonInvalidMetadata           Reason = "InvalidMetadata"
	ReasonEnvVarsInjectionRejected  Reason = "EnvVarsInjectionRejected"
	ReasonVolumeClaimTemplatesError Reason = "VolumeClaimTemplatesError"
	ReasonAdoptionConflict          Reason = "AdoptionConflict"
	ReasonSandboxMissing            Reason = "SandboxMissing"
	ReasonSandboxNotReady           Reason = "SandboxNotReady"
)

// Reasons of events about a SandboxClaim. The event about its expiry has ReasonClaimExpired.
const (
	ReasonSandboxAdopted     Reason = "SandboxAdopted"
	ReasonSandboxProvisioned Reason = "SandboxProvisioned"
)

// Messages of a SandboxClaim's conditions.
const (
	MessageClaimExpired        = "Claim has expired. Sandbox cleanup initiated."
	MessageSandboxExpiredAlone = "Underlying Sandbox resource has expired independently of the Claim."
)

// Reasons of events about a Sandbox.
const (
	ReasonMetadataDropped     Reason = "MetadataDropped"
	ReasonSuspended           Reason = "Suspended"
	ReasonFinished            Reason = "Finished"
	ReasonExpired             Reason = "Expired"
	ReasonRecreatingFailedPod Reason = "RecreatingFailedPod"
)

// Actions of an event about a Sandbox with ReasonReconcilerError.
const (
	ActionReconcile   = "Reconcile"   // the operator tries again
	ActionAwaitChange = "AwaitChange" // a server or policy rejects an object until somebody changes something
)

// Reasons of events about a SandboxTemplate or a SandboxWarmPool. The event about a missing template has
// ReasonTemplateNotFound.
const (
	ReasonNetworkPolicyRefused  Reason = "NetworkPolicyRefused"
	ReasonNetworkPolicyRejected Reason = "NetworkPolicyRejected"
	ReasonMemberRejected        Reason = "MemberRejected"
	ReasonForeignMember         Reason = "ForeignMember"
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
