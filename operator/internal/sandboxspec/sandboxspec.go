// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sandboxspec makes Sandboxes from templates. Pools and claims build through it, so that a warm Sandbox and a
// cold one of the same template are the same.
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

// publicResolvers are the DNS servers of a Pod under the default NetworkPolicy. The cluster's DNS would reveal its
// Services.
var publicResolvers = [...]string{"8.8.8.8", "1.1.1.1"}

// FromTemplate returns a FromTemplate of the template, without a name and without an owner.
func FromTemplate(template *extensionsv1beta1.SandboxTemplate) *agentsv1beta1.Sandbox {
	labels, annotations := InheritedMetadata(template)
	labels[apis.LabelSandboxTemplateRefHash] = naming.Hash(template.Name)
	annotations[apis.AnnotationTemplateRef] = template.Name
	s := &agentsv1beta1.Sandbox{
		ObjectMeta: metav1.ObjectMeta{Namespace: template.Namespace, Labels: labels, Annotations: annotations},
	}
	template.Spec.PodTemplate.DeepCopyInto(&s.Spec.PodTemplate)
	for i := range template.Spec.VolumeClaimTemplates {
		s.Spec.VolumeClaimTemplates = append(s.Spec.VolumeClaimTemplates, *template.Spec.VolumeClaimTemplates[i].DeepCopy())
	}
	s.Spec.PersistentVolumeClaimRetentionPolicy = template.Spec.PersistentVolumeClaimRetentionPolicy.DeepCopy()
	if template.Spec.Service != nil {
		service := *template.Spec.Service
		s.Spec.Service = &service
	}
	s.Spec.Replicas = new(int32(1))
	applySecureDefaults(template, &s.Spec.PodTemplate.Spec)
	return s
}

// InheritedMetadata returns the labels and annotations of a template that its Sandboxes inherit: all but those in
// reserved domains and the trace context. The caller may modify the maps.
func InheritedMetadata(template *extensionsv1beta1.SandboxTemplate) (labels, annotations map[string]string) {
	return inheritable(template.Labels), inheritable(template.Annotations)
}

func inheritable(all map[string]string) map[string]string {
	inherited := make(map[string]string, len(all)+1)
	for key, value := range all {
		if apis.ReservedDomain(key) == "" && key != apis.AnnotationTraceContext {
			inherited[key] = value
		}
	}
	return inherited
}

// BlueprintHash returns the blueprint hash of the Sandboxes that FromTemplate makes. Pools compare their members by it.
// Metadata and the retention policy are not part of it: a claim updates them on the member that it adopts.
func BlueprintHash(template *extensionsv1beta1.SandboxTemplate) string {
	return SandboxHash(FromTemplate(template))
}

// SandboxHash returns the blueprint hash of a Sandbox as it is now.
func SandboxHash(s *agentsv1beta1.Sandbox) string {
	return blueprint.Hash(s.Spec.PodTemplate.Spec, s.Spec.VolumeClaimTemplates, s.Spec.Service)
}

// applySecureDefaults sets what the template leaves unset for a Pod that runs untrusted code: no credentials for the
// Kubernetes API, and, under the default NetworkPolicy, public resolvers instead of the cluster's DNS.
func applySecureDefaults(template *extensionsv1beta1.SandboxTemplate, spec *corev1.PodSpec) {
	if spec.AutomountServiceAccountToken == nil {
		spec.AutomountServiceAccountToken = new(false)
	}
	if !usesDefaultNetworkPolicy(template) || spec.DNSPolicy != "" {
		return
	}
	spec.DNSPolicy = corev1.DNSNone
	if spec.DNSConfig == nil {
		spec.DNSConfig = &corev1.PodDNSConfig{Nameservers: append([]string(nil), publicResolvers[:]...)}
	}
}

// usesDefaultNetworkPolicy reports whether the default NetworkPolicy applies to the template's Sandboxes.
func usesDefaultNetworkPolicy(template *extensionsv1beta1.SandboxTemplate) bool {
	return template.Spec.NetworkPolicyManagement != extensionsv1beta1.NetworkPolicyManagementUnmanaged &&
		template.Spec.NetworkPolicy == nil
}
