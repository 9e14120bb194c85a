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

// ShutdownPolicy says what becomes of a Sandbox when its shutdownTime comes.
// +kubebuilder:validation:Enum=Delete;Retain
type ShutdownPolicy string

// The shutdown policies of a Sandbox.
const (
	ShutdownPolicyDelete ShutdownPolicy = "Delete"
	ShutdownPolicyRetain ShutdownPolicy = "Retain"
)

// PodMetadata is the part of a Pod's metadata that a user may set.
type PodMetadata struct {
	// labels are put on the Pod. Keys under agents.x-k8s.io belong to the operator: in a podTemplate they are dropped, with a
	// warning event; in a claim they are refused.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// annotations are put on the Pod. Keys under agents.x-k8s.io belong to the operator: in a podTemplate they are dropped,
	// with a warning event; in a claim they are refused.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}

// PodTemplate describes the Pod of a Sandbox.
type PodTemplate struct {
	// metadata holds labels and annotations for the Pod. A key that is removed here is removed from the live Pod.
	// +optional
	ObjectMeta PodMetadata `json:"metadata,omitempty,omitzero"`
	// spec is the full specification of the Pod. A change takes effect at the next start of the Sandbox.
	// +required
	Spec corev1.PodSpec `json:"spec"`
}

// EmbeddedObjectMetadata is the metadata of an object that is made from a template.
type EmbeddedObjectMetadata struct {
	// name of the volume in the Pod; the PersistentVolumeClaim is called <name>-<name of the Sandbox>.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name"`
	// labels are put on the PersistentVolumeClaim when it is created.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// annotations are put on the PersistentVolumeClaim when it is created.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}

// PersistentVolumeClaimRetentionPolicyType says what becomes of PersistentVolumeClaims.
// +kubebuilder:validation:Enum=Delete;Retain
type PersistentVolumeClaimRetentionPolicyType string

// The retention policies of PersistentVolumeClaims.
const (
	PersistentVolumeClaimRetentionPolicyDelete PersistentVolumeClaimRetentionPolicyType = "Delete"
	PersistentVolumeClaimRetentionPolicyRetain PersistentVolumeClaimRetentionPolicyType = "Retain"
)

// PersistentVolumeClaimRetentionPolicy says what becomes of the PersistentVolumeClaims of a Sandbox, as that of a StatefulSet does.
type PersistentVolumeClaimRetentionPolicy struct {
	// whenDeleted says what happens when the Sandbox is deleted: Delete deletes its PersistentVolumeClaims with it. With Retain they
	// stay, and the next Sandbox of the same name takes them again. A change takes effect at once.
	// +optional
	// +kubebuilder:default=Delete
	WhenDeleted PersistentVolumeClaimRetentionPolicyType `json:"whenDeleted,omitempty"`
}

// PersistentVolumeClaimTemplate describes a PersistentVolumeClaim that lives as long as its Sandbox, or longer: see
// persistentVolumeClaimRetentionPolicy.
type PersistentVolumeClaimTemplate struct {
	// metadata names the volume and holds labels and annotations for the claim.
	// +required
	EmbeddedObjectMetadata `json:"metadata"`
	// spec is the specification of the PersistentVolumeClaim.
	// +required
	Spec corev1.PersistentVolumeClaimSpec `json:"spec"`
}

// Lifecycle says when a Sandbox ends and what becomes of it.
type Lifecycle struct {
	// shutdownTime is the instant (RFC 3339) at which the Sandbox expires: its Pod and Service are deleted. A later time
	// revives a retained Sandbox.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= timestamp('1970-01-01T00:00:00Z') && self < timestamp('9999-01-01T00:00:00Z')",message="shutdownTime is not between the years 1970 and 9998"
	ShutdownTime *metav1.Time `json:"shutdownTime,omitempty"`
	// shutdownPolicy says whether an expired Sandbox is deleted too (Delete) or kept, with its volumes and its last
	// conditions, until somebody deletes it (Retain).
	// +optional
	// +kubebuilder:default=Retain
	ShutdownPolicy *ShutdownPolicy `json:"shutdownPolicy,omitempty"`
}

// SandboxSpec is what a user asks of a Sandbox.
// +kubebuilder:validation:XValidation:rule="(has(self.volumeClaimTemplates) && size(self.volumeClaimTemplates) > 0) ? (has(oldSelf.volumeClaimTemplates) && self.volumeClaimTemplates == oldSelf.volumeClaimTemplates) : (!has(oldSelf.volumeClaimTemplates) || size(oldSelf.volumeClaimTemplates) == 0)",message="volumeClaimTemplates is immutable"
type SandboxSpec struct {
	// podTemplate describes the Pod.
	// +required
	PodTemplate PodTemplate `json:"podTemplate"`
	// volumeClaimTemplates are PersistentVolumeClaims that survive suspension and restarts, and go with the Sandbox unless
	// persistentVolumeClaimRetentionPolicy says otherwise. Each becomes a volume of the Pod under its name. Immutable.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a.metadata.name == b.metadata.name))",message="two volumeClaimTemplates have the same metadata.name"
	VolumeClaimTemplates []PersistentVolumeClaimTemplate `json:"volumeClaimTemplates,omitempty"`
	// persistentVolumeClaimRetentionPolicy says whether the PersistentVolumeClaims of volumeClaimTemplates outlive the Sandbox.
	// +optional
	PersistentVolumeClaimRetentionPolicy *PersistentVolumeClaimRetentionPolicy `json:"persistentVolumeClaimRetentionPolicy,omitempty"`
	Lifecycle                            `json:",inline"`
	// replicas is 1 for a running Sandbox and 0 for a suspended one; kubectl scale sets it. See operatingMode too.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1
	Replicas *int32 `json:"replicas,omitempty"`
	// operatingMode says whether the Sandbox should have a Pod, as replicas does. The Sandbox is suspended when operatingMode is
	// Suspended or replicas is 0, so to resume it neither may say so; unset leaves it to replicas.
	// +optional
	OperatingMode *OperatingMode `json:"operatingMode,omitempty"`
	// service set to true gives the Sandbox a headless Service of its name; false removes the one it has; unset leaves
	// things as they are.
	// +optional
	Service *bool `json:"service,omitempty"`
}

// SandboxStatus is what the operator saw last.
type SandboxStatus struct {
	// conditions are Ready, Suspended (only while suspension is asked for) and Finished (only when the Pod has ended).
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
	// podIPs are the addresses of the Pod, at most one for each address family.
	// +optional
	// +listType=atomic
	PodIPs []string `json:"podIPs,omitempty"`
	// nodeName is the node that the Pod runs on.
	// +optional
	NodeName string `json:"nodeName,omitempty"`
}

// Sandbox is one isolated, stateful Pod with a stable name, that can be suspended and resumed.
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
	// metadata is the standard metadata of an object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`
	// spec is what is asked for.
	// +required
	Spec SandboxSpec `json:"spec"`
	// status is what the operator saw last.
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

// SuspensionRequested says whether the spec asks for no Pod, and which fields do so ("replicas", "operatingMode").
func (s *SandboxSpec) SuspensionRequested() (asked bool, by []string) {
	if s.Replicas != nil && *s.Replicas == 0 {
		by = append(by, "replicas")
	}
	if s.OperatingMode != nil && *s.OperatingMode == OperatingModeSuspended {
		by = append(by, "operatingMode")
	}
	return len(by) > 0, by
}

// RetainsVolumes says whether the spec has its PersistentVolumeClaims outlive the Sandbox.
func (s *SandboxSpec) RetainsVolumes() bool { return s.PersistentVolumeClaimRetentionPolicy.Retains() }

// Retains says whether PersistentVolumeClaims outlive their Sandbox; without a policy they do not.
func (p *PersistentVolumeClaimRetentionPolicy) Retains() bool {
	return p != nil && p.WhenDeleted == PersistentVolumeClaimRetentionPolicyRetain
}
