// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// Addresses of the cluster, of the networks around it and of metadata servers, which a Sandbox does not reach by default.
var (
	privateIPv4 = [...]string{
		"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", // private networks
		"169.254.0.0/16",   // link-local: metadata servers
		"100.64.0.0/10",    // shared address space: clusters and metadata servers of some clouds
		"168.63.129.16/32", // a metadata server outside of all these
	}
	privateIPv6 = [...]string{
		"fc00::/7",  // unique local
		"fe80::/10", // link-local
	}
)

// buildPolicy returns the template's NetworkPolicy: given what is there it is a copy in which the keys we own are right and
// everything else is as it was. routers are the namespaces whose routers the default lets in.
func buildPolicy(template *extensionsv1beta1.SandboxTemplate, was *networkingv1.NetworkPolicy, routers []string) *networkingv1.NetworkPolicy {
	hash := naming.Hash(template.Name)
	want := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{
		Namespace: template.Namespace, Name: naming.NetworkPolicy(template.Name),
	}}
	if was != nil {
		was.ObjectMeta.DeepCopyInto(&want.ObjectMeta)
		want.TypeMeta = was.TypeMeta
	}
	// With an owner reference the garbage collector would take the policy from Pods that still run.
	want.OwnerReferences = slices.DeleteFunc(want.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == template.UID })
	metav1.SetMetaDataLabel(&want.ObjectMeta, apis.LabelSandboxTemplateRefHash, hash)
	metav1.SetMetaDataAnnotation(&want.ObjectMeta, apis.AnnotationTemplateUID, string(template.UID))
	want.Spec = networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{apis.LabelSandboxTemplateRefHash: hash}},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
	}
	if custom := template.Spec.NetworkPolicy; custom != nil {
		want.Spec.Ingress, want.Spec.Egress = customRules(custom)
	} else {
		want.Spec.Ingress, want.Spec.Egress = defaultIngress(routers), defaultEgress()
	}
	return want
}

// customRules are the template's, with the default that the API server would fill in: without it they would differ for ever
// from what is stored.
func customRules(custom *extensionsv1beta1.NetworkPolicySpec) ([]networkingv1.NetworkPolicyIngressRule, []networkingv1.NetworkPolicyEgressRule) {
	custom = custom.DeepCopy()
	for i := range custom.Ingress {
		fillProtocols(custom.Ingress[i].Ports)
	}
	for i := range custom.Egress {
		fillProtocols(custom.Egress[i].Ports)
	}
	return custom.Ingress, custom.Egress
}

func fillProtocols(ports []networkingv1.NetworkPolicyPort) {
	for i := range ports {
		if ports[i].Protocol == nil {
			ports[i].Protocol = new(corev1.ProtocolTCP)
		}
	}
}

// defaultIngress lets in routers of the namespaces. Both selectors are in one peer: a Pod of a tenant that calls itself a router
// is none.
func defaultIngress(routers []string) []networkingv1.NetworkPolicyIngressRule {
	var rule networkingv1.NetworkPolicyIngressRule
	for _, namespace := range routers {
		rule.From = append(rule.From, networkingv1.NetworkPolicyPeer{
			PodSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{apis.LabelApp: apis.AppRouter}},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
		})
	}
	return []networkingv1.NetworkPolicyIngressRule{rule}
}

// defaultEgress is the public internet.
func defaultEgress() []networkingv1.NetworkPolicyEgressRule {
	return []networkingv1.NetworkPolicyEgressRule{{To: []networkingv1.NetworkPolicyPeer{
		{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: append([]string(nil), privateIPv4[:]...)}},
		{IPBlock: &networkingv1.IPBlock{CIDR: "::/0", Except: append([]string(nil), privateIPv6[:]...)}},
	}}}
}

// denyAll is the policy without rules: nothing comes in and nothing goes out.
func denyAll(policy *networkingv1.NetworkPolicy) *networkingv1.NetworkPolicy {
	policy = policy.DeepCopy()
	policy.Spec.Ingress, policy.Spec.Egress = nil, nil
	return policy
}
