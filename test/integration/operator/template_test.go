// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func (w *world) policy(template string) *networkingv1.NetworkPolicy {
	w.Helper()
	var policy networkingv1.NetworkPolicy
	w.eventually("the NetworkPolicy of "+template, func() error { return w.get(template+"-network-policy", &policy) })
	return &policy
}

func TestTheNetworkPolicySelectsThePodsOfTheTemplateAndNoOthers(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python"))
	w.create(builders.Template("other"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(1)))
	w.create(builders.Claim("cold", "python", builders.WithWarmPool("none")))
	w.create(builders.Pool("stranger", "other", builders.WithReplicas(1)))
	w.waitForPool("warm", 1)
	w.waitForPool("stranger", 1)
	selector, err := metav1.LabelSelectorAsSelector(&w.policy("python").Spec.PodSelector)
	if err != nil {
		t.Fatal(err)
	}
	w.eventually("the policy selects the warm Pod and the cold one", func() error {
		var pods corev1.PodList
		if err := w.client.List(t.Context(), &pods, client.InNamespace(w.namespace)); err != nil {
			return err
		}
		selected := 0
		for _, pod := range pods.Items {
			if selector.Matches(labels.Set(pod.Labels)) {
				selected++
			}
		}
		if len(pods.Items) != 3 || selected != 2 {
			return fmt.Errorf("%d of %d Pods are selected", selected, len(pods.Items))
		}
		return nil
	})
}

func TestANetworkPolicyIsMendedFollowsItsTemplateAndGoes(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python"))
	policy := w.policy("python")
	peer := policy.Spec.Ingress[0].From[0]
	if peer.PodSelector.MatchLabels["app"] != "sandbox-router" ||
		peer.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] != "agent-sandbox-system" {
		t.Errorf("ingress from %+v", peer)
	}
	was := policy.DeepCopy()
	policy.Labels, policy.Spec.Egress = nil, nil
	if err := w.client.Patch(t.Context(), policy, client.MergeFrom(was)); err != nil {
		t.Fatal(err)
	}
	w.eventually("the policy is repaired", func() error {
		if p := w.policy("python"); len(p.Spec.Egress) != 1 || len(p.Labels) != 1 || p.UID != was.UID {
			return fmt.Errorf("labels %v, egress %v", p.Labels, p.Spec.Egress)
		}
		return nil
	})
	port := intstr.FromInt32(8080)
	w.editTemplate("python", func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.NetworkPolicy = &extensionsv1beta1.NetworkPolicySpec{
			Ingress: []networkingv1.NetworkPolicyIngressRule{{Ports: []networkingv1.NetworkPolicyPort{{Port: &port}}}},
		}
	})
	var version string
	w.eventually("the policy follows the template", func() error {
		p := w.policy("python")
		version = p.ResourceVersion
		if len(p.Spec.Egress) != 0 || len(p.Spec.Ingress) != 1 || len(p.Spec.Ingress[0].Ports) != 1 ||
			len(p.Spec.PolicyTypes) != 2 {
			return fmt.Errorf("spec %+v", p.Spec)
		}
		return nil
	})
	w.create(builders.Template("other"))
	w.policy("other")
	if now := w.policy("python").ResourceVersion; now != version {
		t.Errorf("the policy changed without a cause, from version %s to %s", version, now)
	}
	w.editTemplate("python", func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
	})
	w.gone("python-network-policy", &networkingv1.NetworkPolicy{})
}

func TestANetworkPolicyOfSomebodyElseIsLeftAloneWithAWarning(t *testing.T) {
	w := start(t, server, extensions)
	theirs := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "python-network-policy"}}
	w.create(theirs)
	w.create(builders.Template("python"))
	w.waitForWarning("NetworkPolicyRefused")
	if now := w.policy("python"); now.ResourceVersion != theirs.ResourceVersion {
		t.Errorf("it was changed: %+v", now)
	}
}

func TestRulesThatNoServerTakesLeaveTheSandboxesClosed(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python", builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.NetworkPolicy = &extensionsv1beta1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{
			From: []networkingv1.NetworkPolicyPeer{
				{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8", Except: []string{"192.168.0.0/16"}}},
			},
		}}}
	})))
	w.waitForWarning("NetworkPolicyRejected")
	if p := w.policy("python"); len(p.Spec.Ingress) != 0 || len(p.Spec.Egress) != 0 || len(p.Spec.PolicyTypes) != 2 {
		t.Errorf("the policy is open: %+v", p.Spec)
	}
}

// waitForWarning waits for a warning event with the reason.
func (w *world) waitForWarning(reason string) {
	w.Helper()
	w.eventually("an event "+reason, func() error {
		var list eventsv1.EventList
		if err := w.client.List(w.Context(), &list, client.InNamespace(w.namespace)); err != nil {
			return err
		}
		for _, event := range list.Items {
			if event.Reason == reason && event.Type == corev1.EventTypeWarning {
				return nil
			}
		}
		return errors.New("there is none")
	})
}
