// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"fmt"
	"maps"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

var networks = map[string]attempt{
	"let the policy of a template select Pods of others: the template has a podSelector": {
		try: func(w *tenancy) outcome {
			object := w.unstructured(builders.Template("web", open))
			set(w, object, map[string]any{}, "spec", "networkPolicy", "podSelector")
			set(w, object, []any{}, "spec", "networkPolicy", "policyTypes")
			w.creates(object)
			policy := w.policy("web")
			want := map[string]string{templateHash: naming.Hash("web")}
			if !maps.Equal(policy.Spec.PodSelector.MatchLabels, want) || len(policy.Spec.PodSelector.MatchExpressions) > 0 ||
				len(policy.Spec.PolicyTypes) != 2 {
				return outcome{nobody, fmt.Sprintf("%+v", policy.Spec)}
			}
			return outcome{bySchema, "drops the selector: the operator sets it"}
		},
		want: outcome{bySchema, "drops the selector: the operator sets it"},
	},
	"open the network of its own Pods: the template permits all traffic": {
		try: func(w *tenancy) outcome {
			w.protected(networkPolicy("deny-all"))
			w.creates(builders.Template("web", open))
			w.policy("web")
			return outcome{by: nobody}
		},
		want: outcome{nobody, "whoever may write templates decides about the network of its Pods. " +
			"NetworkPolicies add up, so " +
			"one that denies traffic to the whole namespace does not prevent it: use a ClusterNetworkPolicy, or an admission " +
			"policy for templates"},
	},
	"run Pods without a policy: delete the template": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Claim("box", "web"))
			w.claimed("box")
			before := w.policy("web")
			if err := w.tenant.Delete(w.Context(), w.in(builders.Template("web"))); err != nil {
				w.Fatal(err)
			}
			w.creates(builders.Claim("late", "web"))
			w.lacksTemplate("late") // the operator knows that the template is gone
			if now := w.policy("web"); now.UID != before.UID || now.DeletionTimestamp != nil {
				return outcome{nobody, fmt.Sprintf("%+v", now.ObjectMeta)}
			}
			return outcome{byOperator, "keeps the policy as long as there is a Sandbox of the template"}
		},
		want: outcome{byOperator, "keeps the policy as long as there is a Sandbox of the template"},
	},
	"run Pods without a policy: the rules of the template are not valid": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Template("web", builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
				s.NetworkPolicy = &extensionsv1beta1.NetworkPolicySpec{
					Egress: []networkingv1.NetworkPolicyEgressRule{{Ports: []networkingv1.NetworkPolicyPort{
						{Port: new(intstr.FromInt32(70000))},
					}}},
				}
			})))
			if policy := w.policy("web"); len(policy.Spec.Ingress)+len(policy.Spec.Egress) > 0 {
				return outcome{nobody, fmt.Sprintf("%+v", policy.Spec)}
			}
			return w.eventSays(apis.ReasonNetworkPolicyRejected)
		},
		want: outcome{inEvent(apis.ReasonNetworkPolicyRejected), "the NetworkPolicy denies all traffic"},
	},
}

// policy waits for the policy of a template.
func (w *tenancy) policy(template string) *networkingv1.NetworkPolicy {
	w.Helper()
	policy := &networkingv1.NetworkPolicy{}
	w.eventually("the policy of "+template, func() error { return w.get(template+"-network-policy", policy) })
	return policy
}
