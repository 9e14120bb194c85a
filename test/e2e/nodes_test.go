// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// The test adds a second node without a kubelet, which is never Ready. It acts as the scheduler for the pool, and as
// the kubelet for the member on that node, which is Ready first.
func TestAClaimTakesTheMemberOnTheNodeThatStays(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ghost := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: h.Namespace}}
	if err := h.Client.Create(t.Context(), ghost); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.KubectlWithoutNamespace("delete", "node", ghost.Name, "--ignore-not-found") })
	h.CreateAll(h.NewTemplate("shell", func(template *extensionsv1beta1.SandboxTemplate) {
		template.Spec.PodTemplate.Spec.SchedulerName = "nobody"
	}), h.NewPool("warm", "shell", 2))

	var pods corev1.PodList
	h.Eventually("the Pods of both members", func() error {
		if err := h.Client.List(h.Context(), &pods, client.InNamespace(h.Namespace)); err != nil {
			return err
		}
		if len(pods.Items) != 2 {
			return fmt.Errorf("%d Pods", len(pods.Items))
		}
		return nil
	})
	leaves, stays := &pods.Items[0], &pods.Items[1]
	bind := func(pod *corev1.Pod, node string) {
		h.Helper()
		binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: node}}
		if err := h.Client.SubResource("binding").Create(h.Context(), pod, binding); err != nil {
			h.Fatal(err)
		}
	}
	bind(leaves, ghost.Name)
	h.Eventually("a member that is Ready on the node that leaves", func() error {
		if !h.Get(leaves.Name, leaves) {
			return fmt.Errorf("there is no Pod %s", leaves.Name)
		}
		leaves.Status.Phase, leaves.Status.PodIP, leaves.Status.PodIPs = corev1.PodRunning, "203.0.113.7", []corev1.PodIP{
			{IP: "203.0.113.7"},
		}
		leaves.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		return h.Client.Status().Update(h.Context(), leaves)
	})
	h.Condition(leaves.Name, "Ready=True/DependenciesReady")
	var nodes corev1.NodeList
	if err := h.Client.List(h.Context(), &nodes, client.HasLabels{corev1.LabelHostname}); err != nil ||
		len(nodes.Items) == 0 {
		t.Fatalf("the node of the cluster: %v", err)
	}
	bind(stays, nodes.Items[0].Name)
	h.FullPool("warm")

	h.CreateAll(h.NewClaim("first", "shell"))
	if s := h.Claimed("first"); s.Name != stays.Name {
		t.Errorf("the claim got %s, whose node is not Ready, and not %s", s.Name, stays.Name)
	}
	if got := h.MustKubectl("exec", stays.Name, "--", "echo", "serves"); got != "serves\n" {
		t.Errorf("its sandbox says %q", got)
	}
	h.CreateAll(h.NewClaim("second", "shell")) // a member on a node that is not Ready is better than a cold start
	if s := h.Claimed("second"); s.Name != leaves.Name {
		t.Errorf("the claim got %s, and not the warm %s", s.Name, leaves.Name)
	}
}
