// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// NetworkPolicyManagement says whether the operator manages the NetworkPolicy of a template's Sandboxes.
// +kubebuilder:validation:Enum=Managed;Unmanaged
type NetworkPolicyManagement string

// The values of NetworkPolicyManagement.
const (
	NetworkPolicyManagementManaged   NetworkPolicyManagement = "Managed"
	NetworkPolicyManagementUnmanaged NetworkPolicyManagement = "Unmanaged"
)

// EnvVarsInjectionPolicy says whether claims may add environment variables.
// +kubebuilder:validation:Enum=Allowed;Overrides;Disallowed
type EnvVarsInjectionPolicy string

// The policies for environment variables.
const (
	EnvVarsInjectionPolicyAllowed    EnvVarsInjectionPolicy = "Allowed"
	EnvVarsInjectionPolicyOverrides  EnvVarsInjectionPolicy = "Overrides"
	EnvVarsInjectionPolicyDisallowed EnvVarsInjectionPolicy = "Disallowed"
)

// VolumeClaimTemplatesPolicy says whether claims may add volumes.
// +kubebuilder:validation:Enum=Allowed;Overrides;Disallowed
type VolumeClaimTemplatesPolicy string

// The policies for volumes.
const (
	VolumeClaimTemplatesPolicyAllowed    VolumeClaimTemplatesPolicy = "Allowed"
	VolumeClaimTemplatesPolicyOverrides  VolumeClaimTemplatesPolicy = "Overrides"
	VolumeClaimTemplatesPolicyDisallowed VolumeClaimTemplatesPolicy = "Disallowed"
)

// NetworkPolicySpec is the part of a NetworkPolicy that a template may set. The operator sets the selector and the
// policy types, which are always Ingress and Egress.
type NetworkPolicySpec struct {
	// ingress lists the allowed connections to the Sandboxes. Without rules none is allowed.
	// +optional
	// +listType=atomic
	Ingress []networkingv1.NetworkPolicyIngressRule `json:"ingress,omitempty"`
	// egress lists the allowed connections from the Sandboxes. Without rules none is allowed.
	// +optional
	// +listType=atomic
	Egress []networkingv1.NetworkPolicyEgressRule `json:"egress,omitempty"`
}

// SandboxTemplateSpec describes the Sandboxes of a template, and what claims may change in them.
type SandboxTemplateSpec struct {
	// podTemplate describes the Pod of each Sandbox.
	// +required
	PodTemplate agentsv1beta1.PodTemplate `json:"podTemplate"`
	// volumeClaimTemplates are the PersistentVolumeClaims of each Sandbox.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a.metadata.name == b.metadata.name))",message="two volumeClaimTemplates have the same metadata.name"
	VolumeClaimTemplates []agentsv1beta1.PersistentVolumeClaimTemplate `json:"volumeClaimTemplates,omitempty"`
	// volumeClaimTemplatesPolicy says whether a claim may add new, empty volumes (Allowed), add any volumes and replace
	// the template's by name (Overrides), or neither (Disallowed). A volume with dataSource, dataSourceRef, volumeName or
	// selector is not new.
	// +optional
	// +kubebuilder:default=Disallowed
	VolumeClaimTemplatesPolicy VolumeClaimTemplatesPolicy `json:"volumeClaimTemplatesPolicy,omitempty"`
	// persistentVolumeClaimRetentionPolicy says whether the PersistentVolumeClaims of a claimed Sandbox, including
	// those that the claim added, outlive it. Those of an unclaimed pool member are always deleted with it.
	// +optional
	PersistentVolumeClaimRetentionPolicy *agentsv1beta1.PersistentVolumeClaimRetentionPolicy `json:"persistentVolumeClaimRetentionPolicy,omitempty"`
	// networkPolicy replaces the default rules of the NetworkPolicy that all Sandboxes of this template share.
	// +optional
	NetworkPolicy *NetworkPolicySpec `json:"networkPolicy,omitempty"`
	// networkPolicyManagement says whether the operator maintains a NetworkPolicy for the Sandboxes (Managed) or none
	// (Unmanaged).
	// +optional
	// +kubebuilder:default=Managed
	NetworkPolicyManagement NetworkPolicyManagement `json:"networkPolicyManagement,omitempty"`
	// envVarsInjectionPolicy says whether a claim may add environment variables (Allowed), add variables and replace
	// the template's (Overrides), or neither (Disallowed).
	// +optional
	// +kubebuilder:default=Disallowed
	EnvVarsInjectionPolicy EnvVarsInjectionPolicy `json:"envVarsInjectionPolicy,omitempty"`
	// service set to true creates a headless Service with the name of the Sandbox for each Sandbox.
	// +optional
	Service *bool `json:"service,omitempty"`
}

// SandboxTemplate is the blueprint from which claims and pools create Sandboxes. Its labels and annotations are copied
// to them, except for keys under kubernetes.io, k8s.io, agents.x-k8s.io and their subdomains. Its name has at most 238
// characters, because its NetworkPolicy is called <name>-network-policy.
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,shortName=sandboxtemplate
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Network Policy",type=string,JSONPath=`.spec.networkPolicyManagement`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || size(self.metadata.name) <= 238",optionalOldSelf=true,message="a SandboxTemplate's name has at most 238 characters: its NetworkPolicy is called <name>-network-policy"
type SandboxTemplate struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`
	// spec is the blueprint.
	// +required
	Spec SandboxTemplateSpec `json:"spec"`
}

// SandboxTemplateList is a list of SandboxTemplates.
// +kubebuilder:object:root=true
type SandboxTemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SandboxTemplate `json:"items"`
}
