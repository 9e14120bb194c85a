// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestAPolicyStaysOverPodsWhoseTemplateIsGone(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("shell"))
	h.CreateAll(h.NewClaim("dev", "shell", withoutWarmPool))
	s := h.Claimed("dev")
	var policy networkingv1.NetworkPolicy
	h.Eventually("the policy", func() error {
		if !h.Get("shell-network-policy", &policy) {
			return fmt.Errorf("there is none")
		}
		return nil
	})
	holds := func(when string) {
		t.Helper()
		var now networkingv1.NetworkPolicy
		selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
		if !h.Get(policy.Name, &now) || now.UID != policy.UID || err != nil ||
			!selector.Matches(labels.Set(h.Pod(s).Labels)) {
			t.Errorf("%s: the policy is %+v, the Pod has the labels %v", when, now.ObjectMeta, h.Pod(s).Labels)
		}
	}
	h.Must("template", "delete", "shell", "--yes")
	h.Gone("shell", &extensionsv1beta1.SandboxTemplate{})
	began := time.Now()
	h.Eventually("the operator has reconciled the policy twice", func() error {
		if time.Since(began) < 35*time.Second { // Blocked of docs/reference/waits.md, twice
			return fmt.Errorf("not yet")
		}
		return nil
	})
	holds("with the template gone")

	h.Must("suspend", "dev", "--wait")
	h.Must("resume", "dev", "--wait")
	s = h.Claimed("dev")
	holds("after a suspension")

	h.CreateAll(h.NewTemplate("shell", func(template *extensionsv1beta1.SandboxTemplate) {
		template.Spec.NetworkPolicy = &extensionsv1beta1.NetworkPolicySpec{}
	}))
	h.Eventually("a template made anew takes the policy over", func() error {
		var now networkingv1.NetworkPolicy
		if h.Get(policy.Name, &now); now.UID != policy.UID || len(now.Spec.Egress) != 0 {
			return fmt.Errorf("it is %+v", now)
		}
		return nil
	})
	h.Must("template", "delete", "shell", "--yes")
	h.Must("delete", "claim/dev", "--yes", "--wait")
	h.Gone(policy.Name, &networkingv1.NetworkPolicy{})
}
