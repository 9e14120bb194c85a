// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// NetworkPolicyManagement says who looks after the NetworkPolicy of a template's Sandboxes.
// +kubebuilder:validation:Enum=Managed;Unmanaged
type NetworkPolicyManagement string

// The ways to manage a NetworkPolicy.
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

// NetworkPolicySpec is the part of a NetworkPolicy that a template may set; the Pods it selects and that it covers both
// directions are given.
type NetworkPolicySpec struct {
	// ingress lists what may reach the Sandboxes; without rules nothing may.
	// +optional
	// +listType=atomic
	Ingress []networkingv1.NetworkPolicyIngressRule `json:"ingress,omitempty"`
	// egress lists what the Sandboxes may reach; without rules nothing.
	// +optional
	// +listType=atomic
	Egress []networkingv1.NetworkPolicyEgressRule `json:"egress,omitempty"`
}

// SandboxTemplateSpec describes the Sandboxes of a template and what claims may change in them.
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
	// volumeClaimTemplatesPolicy says whether a claim may add volumes (Allowed), also replace the template's by name
	// (Overrides), or neither (Disallowed).
	// +optional
	// +kubebuilder:default=Disallowed
	VolumeClaimTemplatesPolicy VolumeClaimTemplatesPolicy `json:"volumeClaimTemplatesPolicy,omitempty"`
	// persistentVolumeClaimRetentionPolicy says whether the PersistentVolumeClaims of a claimed Sandbox outlive it, those that the
	// claim added included. Those of a pool's member go with it as long as nobody has claimed it.
	// +optional
	PersistentVolumeClaimRetentionPolicy *agentsv1beta1.PersistentVolumeClaimRetentionPolicy `json:"persistentVolumeClaimRetentionPolicy,omitempty"`
	// networkPolicy replaces the secure default rules of the NetworkPolicy that all Sandboxes of this template share.
	// +optional
	NetworkPolicy *NetworkPolicySpec `json:"networkPolicy,omitempty"`
	// networkPolicyManagement set to Unmanaged leaves the network to somebody else: no NetworkPolicy is kept.
	// +optional
	// +kubebuilder:default=Managed
	NetworkPolicyManagement NetworkPolicyManagement `json:"networkPolicyManagement,omitempty"`
	// envVarsInjectionPolicy says whether a claim may add environment variables (Allowed), also replace the template's
	// (Overrides), or neither (Disallowed).
	// +optional
	// +kubebuilder:default=Disallowed
	EnvVarsInjectionPolicy EnvVarsInjectionPolicy `json:"envVarsInjectionPolicy,omitempty"`
	// service set to true gives each Sandbox a headless Service of its name.
	// +optional
	Service *bool `json:"service,omitempty"`
}

// SandboxTemplate is the blueprint that claims and pools stamp Sandboxes from.
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,shortName=sandboxtemplate
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Network Policy",type=string,JSONPath=`.spec.networkPolicyManagement`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || size(self.metadata.name) <= 238",optionalOldSelf=true,message="a SandboxTemplate's name has at most 238 characters: its NetworkPolicy is called <name>-network-policy"
type SandboxTemplate struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard metadata of an object.
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
