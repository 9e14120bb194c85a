// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stamp makes Sandboxes from templates. Pools and claims build through it, so that a warm Sandbox and a cold one of
// the same template are the same.
//
// Invariants:
//   - the template is not changed;
//   - secure defaults are applied here and nowhere else, before anything is hashed or compared;
//   - the identity labels live in the Sandbox's metadata and never pass through spec.podTemplate.
package sandboxspec

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/blueprint"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// Resolvers that a Pod gets in secure-by-default mode: the cluster's own DNS would tell it what else is there.
var publicResolvers = [...]string{"8.8.8.8", "1.1.1.1"}

// FromTemplate returns a FromTemplate of the template, without a name and without an owner.
func FromTemplate(template *extensionsv1beta1.SandboxTemplate) *agentsv1beta1.Sandbox {
	labels, annotations := InheritedMetadata(template)
	labels[apis.LabelSandboxTemplateRefHash] = naming.Hash(template.Name)
	annotations[apis.AnnotationTemplateRef] = template.Name
	s := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: template.Namespace, Labels: labels, Annotations: annotations}}
	template.Spec.PodTemplate.DeepCopyInto(&s.Spec.PodTemplate)
	for i := range template.Spec.VolumeClaimTemplates {
		s.Spec.VolumeClaimTemplates = append(s.Spec.VolumeClaimTemplates, *template.Spec.VolumeClaimTemplates[i].DeepCopy())
	}
	s.Spec.PersistentVolumeClaimRetentionPolicy = template.Spec.PersistentVolumeClaimRetentionPolicy.DeepCopy()
	if template.Spec.Service != nil {
		service := *template.Spec.Service
		s.Spec.Service = &service
	}
	running := int32(1)
	s.Spec.Replicas = &running
	applySecureDefaults(template, &s.Spec.PodTemplate.Spec)
	return s
}

// InheritedMetadata is what a template hands on of its own labels and annotations to the metadata of its Sandboxes: what people say of it, and
// nothing of what Kubernetes, we or a tracer note there. The maps are the caller's.
func InheritedMetadata(template *extensionsv1beta1.SandboxTemplate) (labels, annotations map[string]string) {
	return inheritable(template.Labels), inheritable(template.Annotations)
}

func inheritable(all map[string]string) map[string]string {
	some := make(map[string]string, len(all)+1)
	for key, value := range all {
		if apis.ReservedDomain(key) == "" && key != apis.AnnotationTraceContext {
			some[key] = value
		}
	}
	return some
}

// TemplateHash is the hash of the blueprint that Sandbox gives: what a pool's members are compared by. Neither metadata nor the retention policy
// is part of it: both reach a member that runs, and a claim that takes one brings them up to date.
func TemplateHash(template *extensionsv1beta1.SandboxTemplate) string {
	s := FromTemplate(template)
	return SandboxHash(s)
}

// SandboxHash is the hash of the blueprint that a Sandbox has now.
func SandboxHash(s *agentsv1beta1.Sandbox) string {
	return blueprint.Hash(s.Spec.PodTemplate.Spec, s.Spec.VolumeClaimTemplates, s.Spec.Service)
}

// applySecureDefaults applies the defaults of a Pod that runs what nobody trusts: no credentials for the Kubernetes API, and, where the
// default NetworkPolicy holds, no DNS of the cluster. What the template says stays.
func applySecureDefaults(template *extensionsv1beta1.SandboxTemplate, spec *corev1.PodSpec) {
	if spec.AutomountServiceAccountToken == nil {
		no := false
		spec.AutomountServiceAccountToken = &no
	}
	if !UsesDefaultNetworkPolicy(template) || spec.DNSPolicy != "" {
		return
	}
	spec.DNSPolicy = corev1.DNSNone
	if spec.DNSConfig == nil {
		spec.DNSConfig = &corev1.PodDNSConfig{Nameservers: append([]string(nil), publicResolvers[:]...)}
	}
}

// UsesDefaultNetworkPolicy says whether the template's Sandboxes are under the default NetworkPolicy.
func UsesDefaultNetworkPolicy(template *extensionsv1beta1.SandboxTemplate) bool {
	return template.Spec.NetworkPolicyManagement != extensionsv1beta1.NetworkPolicyManagementUnmanaged &&
		template.Spec.NetworkPolicy == nil
}
