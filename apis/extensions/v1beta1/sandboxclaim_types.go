// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// ShutdownPolicy says what happens to a claim when it expires.
// +kubebuilder:validation:Enum=Delete;DeleteForeground;Retain
type ShutdownPolicy string

// The shutdown policies of a claim.
const (
	ShutdownPolicyDelete           ShutdownPolicy = "Delete"
	ShutdownPolicyDeleteForeground ShutdownPolicy = "DeleteForeground"
	ShutdownPolicyRetain           ShutdownPolicy = "Retain"
)

// WarmPoolPolicy says which pools may serve a claim that names a template: "default" (any pool of the template), "none"
// (no pool: the claim gets a new Sandbox), or the name of a pool.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=253
type WarmPoolPolicy string

// SandboxTemplateRef names a SandboxTemplate in the same namespace.
type SandboxTemplateRef struct {
	// name of the SandboxTemplate.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// WarmPoolRef names a SandboxWarmPool in the same namespace.
type WarmPoolRef struct {
	// name of the SandboxWarmPool.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// Metadata contains labels and annotations.
type Metadata struct {
	// labels to set. A key that is removed here is also removed from the live object, unless the template sets it. Keys
	// under kubernetes.io, k8s.io, agents.x-k8s.io and their subdomains, and the label app=sandbox-router, are refused.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// annotations to set. A key that is removed here is also removed from the live object, unless the template sets it.
	// Keys under kubernetes.io, k8s.io, agents.x-k8s.io and their subdomains are refused.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
}

// EnvVar is an environment variable for a container of the Sandbox.
type EnvVar struct {
	// name of the variable.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Name string `json:"name"`
	// value of the variable; it may be empty.
	// +required
	// +kubebuilder:validation:MaxLength=131072
	Value string `json:"value"`
	// containerName is the container or init container that gets the variable. The default is the first container.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	ContainerName string `json:"containerName,omitempty"`
}

// Lifecycle says when a claim expires and what happens then.
type Lifecycle struct {
	// shutdownTime is the time (RFC 3339) at which the claim expires.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= timestamp('1970-01-01T00:00:00Z') && self < timestamp('9999-01-01T00:00:00Z')",message="shutdownTime is not between the years 1970 and 9998"
	ShutdownTime *metav1.Time `json:"shutdownTime,omitempty"`
	// ttlSecondsAfterFinished is the time in seconds between the end of the Sandbox's work and the expiry of the claim.
	// +optional
	// +kubebuilder:validation:Minimum=0
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
	// shutdownPolicy says whether an expired claim is deleted (Delete), deleted only after its Sandbox is gone
	// (DeleteForeground), or kept without a Sandbox (Retain). Its Sandbox is deleted in any case. Whether the volumes
	// are deleted, too, depends on the persistentVolumeClaimRetentionPolicy of the template.
	// +optional
	// +kubebuilder:default=Retain
	ShutdownPolicy ShutdownPolicy `json:"shutdownPolicy,omitempty"`
}

// SandboxClaimSpec is the desired state of a claim.
// +kubebuilder:validation:XValidation:rule="has(self.sandboxTemplateRef) != has(self.warmPoolRef)",message="set exactly one of sandboxTemplateRef and warmPoolRef"
// +kubebuilder:validation:XValidation:rule="has(self.sandboxTemplateRef) == has(oldSelf.sandboxTemplateRef) && (!has(self.sandboxTemplateRef) || self.sandboxTemplateRef == oldSelf.sandboxTemplateRef) && has(self.warmPoolRef) == has(oldSelf.warmPoolRef) && (!has(self.warmPoolRef) || self.warmPoolRef == oldSelf.warmPoolRef)",message="sandboxTemplateRef and warmPoolRef cannot change: make a new claim"
// +kubebuilder:validation:XValidation:rule="!has(self.warmpool) || has(self.sandboxTemplateRef)",message="warmpool goes with sandboxTemplateRef only: warmPoolRef names the pool itself"
type SandboxClaimSpec struct {
	// sandboxTemplateRef names the template of the Sandbox. Exactly one of sandboxTemplateRef and warmPoolRef is set.
	// Immutable.
	// +optional
	TemplateRef *SandboxTemplateRef `json:"sandboxTemplateRef,omitempty"`
	// warmpool says which pools of the template may serve the claim: default (any pool; the same as unset), none (the
	// claim gets a new Sandbox), or the name of a pool.
	// +optional
	WarmPool *WarmPoolPolicy `json:"warmpool,omitempty"`
	// warmPoolRef names the pool that serves the claim. If the pool is empty, the claim gets a new Sandbox from the
	// pool's template. Immutable.
	// +optional
	WarmPoolRef *WarmPoolRef `json:"warmPoolRef,omitempty"`
	// lifecycle says when the claim expires and what happens then. Without it the claim does not expire.
	// +optional
	Lifecycle *Lifecycle `json:"lifecycle,omitempty"`
	// env adds environment variables, if the template's envVarsInjectionPolicy allows it. A running Sandbox cannot get
	// new variables, so a claim with sandboxTemplateRef is refused unless it sets warmpool to none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	Env []EnvVar `json:"env,omitempty"`
	// additionalPodMetadata adds labels and annotations to the Pod. A key that the template sets to another value is
	// refused, and so are keys under kubernetes.io, k8s.io, agents.x-k8s.io and their subdomains.
	// +optional
	AdditionalPodMetadata agentsv1beta1.PodMetadata `json:"additionalPodMetadata,omitempty,omitzero"`
	// sandboxMetadata adds labels and annotations to the Sandbox. They override those of the template. Keys under
	// kubernetes.io, k8s.io, agents.x-k8s.io and their subdomains are refused.
	// +optional
	SandboxMetadata *Metadata `json:"sandboxMetadata,omitempty"`
	// podMetadata adds labels and annotations to the Pod. They override those of the template. Keys under
	// kubernetes.io, k8s.io, agents.x-k8s.io and their subdomains are refused.
	// +optional
	PodMetadata *Metadata `json:"podMetadata,omitempty"`
	// volumeClaimTemplates adds PersistentVolumeClaims, if the template's volumeClaimTemplatesPolicy allows it. As with
	// env, a claim with sandboxTemplateRef is refused unless it sets warmpool to none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a.metadata.name == b.metadata.name))",message="two volumeClaimTemplates have the same metadata.name"
	VolumeClaimTemplates []agentsv1beta1.PersistentVolumeClaimTemplate `json:"volumeClaimTemplates,omitempty"`
}

// SandboxStatus is the Sandbox that serves a claim.
type SandboxStatus struct {
	// name of the Sandbox. It is never the name of another claim's Sandbox.
	// +optional
	Name string `json:"name,omitempty"`
	// uid of the Sandbox. Another Sandbox with the same name does not belong to the claim.
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// templateName is the SandboxTemplate that the Sandbox was created from, whose NetworkPolicy applies to the
	// Sandbox.
	// +optional
	TemplateName string `json:"templateName,omitempty"`
	// podIPs are the IP addresses of its Pod.
	// +optional
	// +listType=atomic
	PodIPs []string `json:"podIPs,omitempty"`
}

// SandboxClaimStatus is the state of a claim that the operator last observed.
type SandboxClaimStatus struct {
	// conditions are Ready and Finished. While the claim has a Sandbox, they mirror those of the Sandbox.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// sandbox is the Sandbox that serves the claim.
	// +optional
	SandboxStatus SandboxStatus `json:"sandbox,omitempty,omitzero"`
	// firstReadyTime is the time at which the claim was Ready for the first time. It never changes afterwards.
	// +optional
	FirstReadyTime *metav1.MicroTime `json:"firstReadyTime,omitempty"`
}

// SandboxClaim requests one Sandbox: a warm one from a pool if there is one, otherwise a new one, which has the name of
// the claim. The name of a claim has at most 154 characters.
// +genclient
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,shortName=sandboxclaim
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Sandbox",type=string,JSONPath=`.status.sandbox.name`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.sandbox) || !has(oldSelf.status.sandbox.name) || size(oldSelf.status.sandbox.name) == 0 || (has(self.spec.warmpool) == has(oldSelf.spec.warmpool) && (!has(self.spec.warmpool) || self.spec.warmpool == oldSelf.spec.warmpool))",message="the claim has its Sandbox: warmpool cannot change any more; make a new claim"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.sandbox) || !has(oldSelf.status.sandbox.name) || size(oldSelf.status.sandbox.name) == 0 || (has(self.spec.env) == has(oldSelf.spec.env) && (!has(self.spec.env) || self.spec.env == oldSelf.spec.env))",message="the claim has its Sandbox: env cannot change any more; make a new claim"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.sandbox) || !has(oldSelf.status.sandbox.name) || size(oldSelf.status.sandbox.name) == 0 || (has(self.spec.volumeClaimTemplates) == has(oldSelf.spec.volumeClaimTemplates) && (!has(self.spec.volumeClaimTemplates) || self.spec.volumeClaimTemplates == oldSelf.spec.volumeClaimTemplates))",message="the claim has its Sandbox: volumeClaimTemplates cannot change any more; make a new claim"
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || size(self.metadata.name) <= 154",optionalOldSelf=true,message="a SandboxClaim's name has at most 154 characters: a node keeps a Pod's logs in a directory that is called <namespace>_<name>_<UID>"
type SandboxClaim struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`
	// spec is the desired state.
	// +required
	Spec SandboxClaimSpec `json:"spec"`
	// status is the state that the operator last observed.
	// +optional
	Status SandboxClaimStatus `json:"status,omitempty,omitzero"`
}

// SandboxClaimList is a list of SandboxClaims.
// +kubebuilder:object:root=true
type SandboxClaimList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SandboxClaim `json:"items"`
}
