// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// Addresses of the cluster, of private networks and of metadata servers, which a Sandbox cannot reach by default.
var (
	privateIPv4 = [...]string{
		"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", // private networks
		"169.254.0.0/16",   // link-local: metadata servers
		"100.64.0.0/10",    // shared address space: clusters and metadata servers of some clouds
		"168.63.129.16/32", // a metadata server outside of these ranges
	}
	privateIPv6 = [...]string{
		"fc00::/7",  // unique local
		"fe80::/10", // link-local
	}
)

// buildPolicy returns the template's NetworkPolicy. If current is not nil, the result is a copy of it in which the
// operator's keys are corrected and everything else is kept. The default policy lets in routers of routerNamespaces.
func buildPolicy(
	template *extensionsv1beta1.SandboxTemplate, current *networkingv1.NetworkPolicy, routerNamespaces []string,
) *networkingv1.NetworkPolicy {
	hash := naming.Hash(template.Name)
	desired := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{
		Namespace: template.Namespace, Name: naming.NetworkPolicy(template.Name),
	}}
	if current != nil {
		current.ObjectMeta.DeepCopyInto(&desired.ObjectMeta)
		desired.TypeMeta = current.TypeMeta
	}
	// With an owner reference, the garbage collector would delete the policy while Pods still run.
	owner.RemoveReference(desired, template.UID)
	metav1.SetMetaDataLabel(&desired.ObjectMeta, apis.LabelSandboxTemplateRefHash, hash)
	metav1.SetMetaDataAnnotation(&desired.ObjectMeta, apis.AnnotationTemplateUID, string(template.UID))
	desired.Spec = networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{apis.LabelSandboxTemplateRefHash: hash}},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
	}
	if custom := template.Spec.NetworkPolicy; custom != nil {
		desired.Spec.Ingress, desired.Spec.Egress = customRules(custom)
	} else {
		desired.Spec.Ingress, desired.Spec.Egress = defaultIngress(routerNamespaces), defaultEgress()
	}
	return desired
}

// customRules returns the template's rules with the API server's default protocol filled in. Without it they would
// always differ from the stored rules.
func customRules(
	custom *extensionsv1beta1.NetworkPolicySpec,
) ([]networkingv1.NetworkPolicyIngressRule, []networkingv1.NetworkPolicyEgressRule) {
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

// defaultIngress lets in the routers of the namespaces. Both selectors are in one peer, so a Pod with the router's
// label in another namespace does not match.
func defaultIngress(routerNamespaces []string) []networkingv1.NetworkPolicyIngressRule {
	var rule networkingv1.NetworkPolicyIngressRule
	for _, namespace := range routerNamespaces {
		rule.From = append(rule.From, networkingv1.NetworkPolicyPeer{
			PodSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{apis.LabelApp: apis.AppRouter}},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
		})
	}
	return []networkingv1.NetworkPolicyIngressRule{rule}
}

// defaultEgress allows the public internet.
func defaultEgress() []networkingv1.NetworkPolicyEgressRule {
	return []networkingv1.NetworkPolicyEgressRule{{To: []networkingv1.NetworkPolicyPeer{
		{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: append([]string(nil), privateIPv4[:]...)}},
		{IPBlock: &networkingv1.IPBlock{CIDR: "::/0", Except: append([]string(nil), privateIPv6[:]...)}},
	}}}
}

// denyAll returns the policy without rules, which denies all ingress and egress.
func denyAll(policy *networkingv1.NetworkPolicy) *networkingv1.NetworkPolicy {
	policy = policy.DeepCopy()
	policy.Spec.Ingress, policy.Spec.Egress = nil, nil
	return policy
}
