// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OperatingMode says whether a Sandbox should have a Pod.
// +kubebuilder:validation:Enum=Running;Suspended
type OperatingMode string

// The operating modes.
const (
	OperatingModeRunning   OperatingMode = "Running"
	OperatingModeSuspended OperatingMode = "Suspended"
)

// ShutdownPolicy says what happens to a Sandbox when it expires.
// +kubebuilder:validation:Enum=Delete;Retain
type ShutdownPolicy string

// The shutdown policies of a Sandbox.
const (
	ShutdownPolicyDelete ShutdownPolicy = "Delete"
	ShutdownPolicyRetain ShutdownPolicy = "Retain"
)

// PodMetadata is the part of a Pod's metadata that a user may set.
type PodMetadata struct {
	// labels are set on the Pod. Keys under agents.x-k8s.io and its subdomains, and the label app=sandbox-router, are
	// reserved: in a podTemplate they are ignored, with a warning event; in a claim they are refused, and so are keys
	// under kubernetes.io, k8s.io and their subdomains.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// annotations are set on the Pod. Keys under agents.x-k8s.io and its subdomains are reserved: in a podTemplate they
	// are ignored, with a warning event; in a claim they are refused, and so are keys under kubernetes.io, k8s.io and
	// their subdomains.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}

// PodTemplate describes the Pod of a Sandbox.
type PodTemplate struct {
	// metadata contains labels and annotations for the Pod. A key that is removed here is also removed from the running
	// Pod.
	// +optional
	ObjectMeta PodMetadata `json:"metadata,omitempty,omitzero"`
	// spec is the complete specification of the Pod. A change takes effect the next time the Sandbox starts.
	// +required
	Spec corev1.PodSpec `json:"spec"`
}

// EmbeddedObjectMetadata is the metadata of an object that is created from a template.
type EmbeddedObjectMetadata struct {
	// name of the volume in the Pod: at most 63 lower-case letters, digits and hyphens. The PersistentVolumeClaim is
	// called <name>-<name of the Sandbox>, which has at most 253 characters.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`
	// labels are set on the PersistentVolumeClaim when it is created. Keys under agents.x-k8s.io and its subdomains are
	// reserved, and ignored.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// annotations are set on the PersistentVolumeClaim when it is created. Keys under agents.x-k8s.io and its
	// subdomains are reserved, and ignored.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}

// PersistentVolumeClaimRetentionPolicyType says what happens to PersistentVolumeClaims.
// +kubebuilder:validation:Enum=Delete;Retain
type PersistentVolumeClaimRetentionPolicyType string

// The retention policies of PersistentVolumeClaims.
const (
	PersistentVolumeClaimRetentionPolicyDelete PersistentVolumeClaimRetentionPolicyType = "Delete"
	PersistentVolumeClaimRetentionPolicyRetain PersistentVolumeClaimRetentionPolicyType = "Retain"
)

// PersistentVolumeClaimRetentionPolicy says what happens to the PersistentVolumeClaims of a Sandbox, like the field of
// the same name of a StatefulSet.
type PersistentVolumeClaimRetentionPolicy struct {
	// whenDeleted says what happens when the Sandbox is deleted. Delete deletes its PersistentVolumeClaims, too. Retain
	// keeps them, and the next Sandbox with the same name uses them again. A change takes effect immediately.
	// +optional
	// +kubebuilder:default=Delete
	WhenDeleted PersistentVolumeClaimRetentionPolicyType `json:"whenDeleted,omitempty"`
}

// PersistentVolumeClaimTemplate describes a PersistentVolumeClaim that exists as long as its Sandbox, or longer: see
// persistentVolumeClaimRetentionPolicy.
type PersistentVolumeClaimTemplate struct {
	// metadata contains the name of the volume, and labels and annotations for the PersistentVolumeClaim.
	// +required
	EmbeddedObjectMetadata `json:"metadata"`
	// spec is the specification of the PersistentVolumeClaim.
	// +required
	Spec corev1.PersistentVolumeClaimSpec `json:"spec"`
}

// Lifecycle says when a Sandbox expires and what happens then.
type Lifecycle struct {
	// shutdownTime is the time (RFC 3339) at which the Sandbox expires: its Pod and Service are deleted. Setting a
	// later time restarts a retained Sandbox.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= timestamp('1970-01-01T00:00:00Z') && self < timestamp('9999-01-01T00:00:00Z')",message="shutdownTime is not between the years 1970 and 9998"
	ShutdownTime *metav1.Time `json:"shutdownTime,omitempty"`
	// shutdownPolicy says whether an expired Sandbox is deleted (Delete), or kept with its volumes and its last
	// conditions until somebody deletes it (Retain).
	// +optional
	// +kubebuilder:default=Retain
	ShutdownPolicy *ShutdownPolicy `json:"shutdownPolicy,omitempty"`
}

// SandboxSpec is the desired state of a Sandbox.
// +kubebuilder:validation:XValidation:rule="(has(self.volumeClaimTemplates) && size(self.volumeClaimTemplates) > 0) ? (has(oldSelf.volumeClaimTemplates) && self.volumeClaimTemplates == oldSelf.volumeClaimTemplates) : (!has(oldSelf.volumeClaimTemplates) || size(oldSelf.volumeClaimTemplates) == 0)",message="volumeClaimTemplates is immutable"
type SandboxSpec struct {
	// podTemplate describes the Pod.
	// +required
	PodTemplate PodTemplate `json:"podTemplate"`
	// volumeClaimTemplates are PersistentVolumeClaims that survive suspension and restarts. They are deleted with the
	// Sandbox unless persistentVolumeClaimRetentionPolicy says otherwise. Each is a volume of the Pod, with the same
	// name. Immutable.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a.metadata.name == b.metadata.name))",message="two volumeClaimTemplates have the same metadata.name"
	VolumeClaimTemplates []PersistentVolumeClaimTemplate `json:"volumeClaimTemplates,omitempty"`
	// persistentVolumeClaimRetentionPolicy says whether the PersistentVolumeClaims of volumeClaimTemplates outlive the
	// Sandbox.
	// +optional
	PersistentVolumeClaimRetentionPolicy *PersistentVolumeClaimRetentionPolicy `json:"persistentVolumeClaimRetentionPolicy,omitempty"`
	Lifecycle                            `json:",inline"`
	// replicas is 1 for a running Sandbox and 0 for a suspended one. kubectl scale sets it. See also operatingMode.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	Replicas *int32 `json:"replicas,omitempty"`
	// operatingMode says whether the Sandbox should have a Pod, as replicas does. The Sandbox is suspended if
	// operatingMode is Suspended or replicas is 0. To resume it, neither may be the case. If unset, only replicas
	// counts.
	// +optional
	OperatingMode *OperatingMode `json:"operatingMode,omitempty"`
	// service set to true creates a headless Service with the name of the Sandbox, and false deletes it. If unset, an
	// existing Service is kept and none is created.
	// +optional
	Service *bool `json:"service,omitempty"`
}

// SandboxStatus is the state of a Sandbox that the operator last observed.
type SandboxStatus struct {
	// conditions are Ready, Suspended (only while the spec requests suspension) and Finished (only after the work has
	// ended by itself).
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// replicas is 1 while the Sandbox has a Pod.
	// +optional
	Replicas int32 `json:"replicas"`
	// selector is the label selector of the Pod, for kubectl scale and autoscalers.
	// +optional
	LabelSelector string `json:"selector,omitempty"`
	// service is the name of the headless Service.
	// +optional
	Service string `json:"service,omitempty"`
	// serviceFQDN is the fully qualified domain name of the Service.
	// +optional
	ServiceFQDN string `json:"serviceFQDN,omitempty"`
	// podIPs are the IP addresses of the Pod, at most one per address family.
	// +optional
	// +listType=atomic
	PodIPs []string `json:"podIPs,omitempty"`
	// nodeName is the node that the Pod runs on.
	// +optional
	NodeName string `json:"nodeName,omitempty"`
}

// Sandbox is an isolated, stateful Pod with a stable name that can be suspended and resumed. Its name has at most 154
// characters; with service true, it has at most 63 and no dots, because the Service has the same name.
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:scope=Namespaced,shortName=sandbox;sbx
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Pod IPs",type=string,priority=1,JSONPath=`.status.podIPs`
// +kubebuilder:printcolumn:name="Node",type=string,priority=1,JSONPath=`.status.nodeName`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || !has(self.spec.service) || !self.spec.service || (size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'))",optionalOldSelf=true,message="with spec.service true the Sandbox's name is the Service's name: at most 63 lower-case letters, digits and hyphens, without dots"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || !has(self.spec.volumeClaimTemplates) || self.spec.volumeClaimTemplates.all(t, size(t.metadata.name) + 1 + size(self.metadata.name) <= 253)",optionalOldSelf=true,message="the name of a PersistentVolumeClaim (<template>-<sandbox>) is longer than 253 characters: use shorter names"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || size(self.metadata.name) <= 154",optionalOldSelf=true,message="a Sandbox's name has at most 154 characters: a node keeps a Pod's logs in a directory that is called <namespace>_<name>_<UID>"
type Sandbox struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`
	// spec is the desired state.
	// +required
	Spec SandboxSpec `json:"spec"`
	// status is the state that the operator last observed.
	// +optional
	Status SandboxStatus `json:"status,omitempty,omitzero"`
}

// SandboxList is a list of Sandboxes.
// +kubebuilder:object:root=true
type SandboxList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Sandbox `json:"items"`
}

// SuspensionRequested reports whether the spec requests suspension, and which fields do so ("replicas",
// "operatingMode").
func (s *SandboxSpec) SuspensionRequested() (requested bool, by []string) {
	if s.Replicas != nil && *s.Replicas == 0 {
		by = append(by, "replicas")
	}
	if s.OperatingMode != nil && *s.OperatingMode == OperatingModeSuspended {
		by = append(by, "operatingMode")
	}
	return len(by) > 0, by
}

// RetainsVolumes reports whether the PersistentVolumeClaims outlive the Sandbox.
func (s *SandboxSpec) RetainsVolumes() bool { return s.PersistentVolumeClaimRetentionPolicy.Retains() }

// Retains reports whether PersistentVolumeClaims outlive their Sandbox. Without a policy they do not.
func (p *PersistentVolumeClaimRetentionPolicy) Retains() bool {
	return p != nil && p.WhenDeleted == PersistentVolumeClaimRetentionPolicyRetain
}
