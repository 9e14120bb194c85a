// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package apis

// Reason is the machine-readable cause in a condition or an event.
type Reason string

// Reasons of a Sandbox's conditions. The operator writes them. A claim shows those of its Sandbox, unless it has a
// reason of its own.
const (
	// ReasonDependenciesReady means that the Pod is Ready and the Service exists, if there should be one. In Ready=True.
	ReasonDependenciesReady Reason = "DependenciesReady"
	// ReasonDependenciesNotReady means that the Pod or the Service does not exist yet, or the Pod is not Ready: the
	// message says why, in the words of the scheduler or the kubelet. In Ready=False.
	ReasonDependenciesNotReady Reason = "DependenciesNotReady"
	// ReasonSandboxSuspended means that the spec requests suspension: by replicas, operatingMode or both. In Ready=False.
	ReasonSandboxSuspended Reason = "SandboxSuspended"
	// ReasonSandboxExpired means that the shutdownTime of the Sandbox has come. In Ready=False.
	ReasonSandboxExpired Reason = "SandboxExpired"
	// ReasonReconcilerError means that the operator cannot do its work: a request failed, or an object of another owner
	// has the name that it needs. It tries again. In Ready=False, and in Warning events about a Sandbox.
	ReasonReconcilerError Reason = "ReconcilerError"
	// ReasonMultiplePods means that several Pods have the Sandbox as their controller. The operator does not choose one of
	// them. In Ready=False, and in Warning events about a Sandbox.
	ReasonMultiplePods Reason = "MultiplePods"
	// ReasonPodTerminated means that the Pod no longer exists. In Suspended=True.
	ReasonPodTerminated Reason = "PodTerminated"
	// ReasonPodNotTerminated means that the Pod still exists. In Suspended=False.
	ReasonPodNotTerminated Reason = "PodNotTerminated"
	// ReasonPodSucceeded means that each container ended with exit code 0. In Finished=True and Ready=False.
	ReasonPodSucceeded Reason = "PodSucceeded"
	// ReasonPodFailed means that a container ended with another exit code, could not be started or exceeded its memory
	// limit, or the Pod exceeded its activeDeadlineSeconds. In Finished=True and Ready=False.
	ReasonPodFailed Reason = "PodFailed"
)

// Reasons of a claim's conditions. The operator writes them.
const (
	// ReasonClaimExpired means that the lifetime of the claim is over, by its shutdownTime or its ttlSecondsAfterFinished.
	// In Ready=False, and in Normal events about a claim.
	ReasonClaimExpired Reason = "ClaimExpired"
	// ReasonTemplateNotFound means that the template does not exist in the namespace. What waits for it goes on when it is
	// created. In Ready=False of a claim, and in Warning events about a pool.
	ReasonTemplateNotFound Reason = "TemplateNotFound"
	// ReasonWarmPoolNotFound means that the pool which the claim names does not exist in the namespace, or is one of
	// another template. In Ready=False.
	ReasonWarmPoolNotFound Reason = "WarmPoolNotFound"
	// ReasonInvalidMetadata means that a label or annotation of the claim is not valid, has a reserved key, or differs
	// from the template's where it may not. In Ready=False.
	ReasonInvalidMetadata Reason = "InvalidMetadata"
	// ReasonEnvVarsInjectionRejected means that the claim has environment variables that are not valid, that its template
	// does not permit, or that a warm Sandbox cannot take. In Ready=False.
	ReasonEnvVarsInjectionRejected Reason = "EnvVarsInjectionRejected"
	// ReasonVolumeClaimTemplatesError means that the claim has volumes that its template does not permit, that a warm
	// Sandbox cannot take, or that are too many. In Ready=False.
	ReasonVolumeClaimTemplatesError Reason = "VolumeClaimTemplatesError"
	// ReasonAdoptionConflict means that another claim took the warm Sandbox at the same time. The operator tries again. In
	// Ready=False.
	ReasonAdoptionConflict Reason = "AdoptionConflict"
	// ReasonSandboxMissing means that the claim has no Sandbox, or one of that name is being deleted and a new one
	// follows. In Ready=False.
	ReasonSandboxMissing Reason = "SandboxMissing"
	// ReasonSandboxNotReady means that the Sandbox of the claim has not reported a status yet. In Ready=False.
	ReasonSandboxNotReady Reason = "SandboxNotReady"
)

// Reasons of events alone. The operator writes the events.
const (
	// ReasonSandboxAdopted means that the claim got a warm Sandbox of a pool. After ten at once these events are limited
	// to one a second in each namespace. In Normal events about a claim.
	ReasonSandboxAdopted Reason = "SandboxAdopted"
	// ReasonSandboxProvisioned means that the claim got a new Sandbox. In Normal events about a claim.
	ReasonSandboxProvisioned Reason = "SandboxProvisioned"
	// ReasonMetadataDropped means that the Pod template has labels or annotations with reserved keys, which the Pod does
	// not get. In Warning events about a Sandbox.
	ReasonMetadataDropped Reason = "MetadataDropped"
	// ReasonSuspended means that the Pod of a suspended Sandbox is gone. In Normal events about a Sandbox.
	ReasonSuspended Reason = "Suspended"
	// ReasonFinished means that the work of the Pod has ended by itself. In Normal events about a Sandbox.
	ReasonFinished Reason = "Finished"
	// ReasonExpired means that the shutdownTime of the Sandbox has come. In Normal events about a Sandbox.
	ReasonExpired Reason = "Expired"
	// ReasonRecreatingFailedPod means that the Pod was evicted, preempted, rejected or lost with its node, and a new one
	// with the same volumes follows. In Warning events about a Sandbox.
	ReasonRecreatingFailedPod Reason = "RecreatingFailedPod"
	// ReasonNetworkPolicyRefused means that a NetworkPolicy of the name exists that the operator did not create, which it
	// leaves alone; or that the policy would select the Pods of an earlier template, whose name has the same hash. In
	// Warning events about a template.
	ReasonNetworkPolicyRefused Reason = "NetworkPolicyRefused"
	// ReasonNetworkPolicyRejected means that the API server rejects the networkPolicy of the template. Until it is
	// corrected, the policy stays as it is; a new one denies all traffic. In Warning events about a template.
	ReasonNetworkPolicyRejected Reason = "NetworkPolicyRejected"
	// ReasonMemberRejected means that the API server or a policy rejects the members that the pool creates. In Warning
	// events about a pool.
	ReasonMemberRejected Reason = "MemberRejected"
	// ReasonForeignMember means that the pool deleted Sandboxes which named it as their owner, but which it had not
	// created, or which somebody had edited. In Warning events about a pool.
	ReasonForeignMember Reason = "ForeignMember"
)

// Actions of events. The operator writes them: what it was doing.
const (
	// ActionReconcile is the usual work of a controller. After an error the operator tries again. In all other events.
	ActionReconcile = "Reconcile"
	// ActionAwaitChange means that the API server or a policy rejects an object until somebody changes something. In
	// events with the reason ReconcilerError.
	ActionAwaitChange = "AwaitChange"
	// ActionAdopt is the adoption of a warm Sandbox. In events with the reason SandboxAdopted.
	ActionAdopt = "Adopt"
	// ActionProvision is the creation of a Sandbox for a claim. In events with the reason SandboxProvisioned.
	ActionProvision = "Provision"
	// ActionExpire is the end of a claim. In events with the reason ClaimExpired.
	ActionExpire = "Expire"
)
