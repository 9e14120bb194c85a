// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TemplateRefField is the path of the field in which a pool or a claim names its template.
const TemplateRefField = ".spec.sandboxTemplateRef.name"

// SandboxWarmPoolUpdateStrategyType says when members that were built from an older template are replaced.
// +kubebuilder:validation:Enum=Recreate;OnReplenish
type SandboxWarmPoolUpdateStrategyType string

// The update strategies.
const (
	// RecreateSandboxWarmPoolUpdateStrategyType replaces stale members immediately.
	RecreateSandboxWarmPoolUpdateStrategyType SandboxWarmPoolUpdateStrategyType = "Recreate"
	// OnReplenishSandboxWarmPoolUpdateStrategyType replaces stale members when they are claimed or deleted.
	OnReplenishSandboxWarmPoolUpdateStrategyType SandboxWarmPoolUpdateStrategyType = "OnReplenish"
)

// SandboxWarmPoolUpdateStrategy says how a pool reacts to changes of its template.
type SandboxWarmPoolUpdateStrategy struct {
	// type is Recreate (members of an older template are deleted and replaced immediately) or OnReplenish (they stay
	// until they are claimed or deleted). Only changes of the Pod's spec, the volumes or the service make a member
	// stale.
	// +optional
	// +kubebuilder:default=OnReplenish
	Type SandboxWarmPoolUpdateStrategyType `json:"type,omitempty"`
}

// SandboxWarmPoolSpec is the desired state of a pool.
type SandboxWarmPoolSpec struct {
	// replicas is the number of unclaimed Sandboxes that the pool keeps. kubectl scale and autoscalers set it. The
	// maximum is 150,000, the most Pods that a cluster supports
	// (https://kubernetes.io/docs/setup/best-practices/cluster-large/).
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=150000
	Replicas *int32 `json:"replicas,omitempty"`
	// sandboxTemplateRef names the template from which members are created.
	// +required
	TemplateRef SandboxTemplateRef `json:"sandboxTemplateRef"`
	// updateStrategy says how the pool reacts to changes of its template.
	// +optional
	UpdateStrategy *SandboxWarmPoolUpdateStrategy `json:"updateStrategy,omitempty"`
}

// SandboxWarmPoolStatus is the state of a pool that the operator last observed.
type SandboxWarmPoolStatus struct {
	// observedGeneration is the generation of the spec that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// replicas is the number of members.
	// +optional
	Replicas int32 `json:"replicas"`
	// readyReplicas is the number of members that are Ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// selector is the label selector of the members, for autoscalers.
	// +optional
	Selector string `json:"selector,omitempty"`
	// members records the contents of the members. A Sandbox with other content is not a member, whatever its labels
	// and owner references say.
	// +optional
	Members *SandboxWarmPoolMembers `json:"members,omitempty"`
}

// SandboxWarmPoolMembers records the contents of the members of a pool.
type SandboxWarmPoolMembers struct {
	// revisions are hashes of the contents of which there are members, the oldest first. If there are more than fit,
	// the oldest are removed and their members replaced.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Revisions []string `json:"revisions,omitempty"`
}

// SandboxWarmPool keeps Sandboxes running ahead of demand, so that a claim gets one immediately. Its name has at most
// 57 characters, because its members are called <name>-<five characters>.
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:scope=Namespaced,shortName=swp
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Template",type=string,JSONPath=`.spec.sandboxTemplateRef.name`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || size(self.metadata.name) <= 57",optionalOldSelf=true,message="a SandboxWarmPool's name has at most 57 characters: its members are called <name>-<five characters>"
type SandboxWarmPool struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`
	// spec is the desired state.
	// +required
	Spec SandboxWarmPoolSpec `json:"spec"`
	// status is the state that the operator last observed.
	// +optional
	Status SandboxWarmPoolStatus `json:"status,omitempty,omitzero"`
}

// SandboxWarmPoolList is a list of SandboxWarmPools.
// +kubebuilder:object:root=true
type SandboxWarmPoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SandboxWarmPool `json:"items"`
}
