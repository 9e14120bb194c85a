// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TemplateRefField is the index path of the template that a pool or a claim names.
const TemplateRefField = ".spec.sandboxTemplateRef.name"

// SandboxWarmPoolUpdateStrategyType says how members built from an older template are replaced.
// +kubebuilder:validation:Enum=Recreate;OnReplenish
type SandboxWarmPoolUpdateStrategyType string

// The update strategies.
const (
	// RecreateSandboxWarmPoolUpdateStrategyType replaces stale members at once.
	RecreateSandboxWarmPoolUpdateStrategyType SandboxWarmPoolUpdateStrategyType = "Recreate"
	// OnReplenishSandboxWarmPoolUpdateStrategyType replaces stale members as they are used up.
	OnReplenishSandboxWarmPoolUpdateStrategyType SandboxWarmPoolUpdateStrategyType = "OnReplenish"
)

// SandboxWarmPoolUpdateStrategy says how a pool follows its template.
type SandboxWarmPoolUpdateStrategy struct {
	// type is Recreate (members of an older template are deleted and replaced at once) or OnReplenish (they stay until they
	// are claimed or deleted). Only changes of the Pod's spec, the volumes or the service count.
	// +optional
	// +kubebuilder:default=OnReplenish
	Type SandboxWarmPoolUpdateStrategyType `json:"type,omitempty"`
}

// SandboxWarmPoolSpec is what a user asks of a pool.
type SandboxWarmPoolSpec struct {
	// replicas is how many unclaimed Sandboxes the pool keeps; kubectl scale and autoscalers set it. At most 150,000: no cluster holds
	// more Pods (https://kubernetes.io/docs/setup/best-practices/cluster-large/).
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=150000
	Replicas *int32 `json:"replicas,omitempty"`
	// sandboxTemplateRef names the template that members are stamped from.
	// +required
	TemplateRef SandboxTemplateRef `json:"sandboxTemplateRef"`
	// updateStrategy says how the pool follows its template.
	// +optional
	UpdateStrategy *SandboxWarmPoolUpdateStrategy `json:"updateStrategy,omitempty"`
}

// SandboxWarmPoolStatus is what the operator saw last.
type SandboxWarmPoolStatus struct {
	// observedGeneration is the generation of the spec that this status answers.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// replicas is how many members the pool has.
	// +optional
	Replicas int32 `json:"replicas"`
	// readyReplicas is how many of them are Ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`
	// selector is the label selector of the members, for autoscalers.
	// +optional
	Selector string `json:"selector,omitempty"`
	// members says what the members are made of: a Sandbox of other content is none, whatever its labels and owner references say.
	// +optional
	Members *SandboxWarmPoolMembers `json:"members,omitempty"`
}

// SandboxWarmPoolMembers says what the members of a pool are made of.
type SandboxWarmPoolMembers struct {
	// revisions are hashes of the contents of which there are members, the oldest first. Where there are more the oldest go, and
	// their members are replaced.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Revisions []string `json:"revisions,omitempty"`
}

// SandboxWarmPool keeps Sandboxes running ahead of demand, so that a claim gets one at once.
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
	// metadata is the standard metadata of an object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`
	// spec is what is asked for.
	// +required
	Spec SandboxWarmPoolSpec `json:"spec"`
	// status is what the operator saw last.
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
