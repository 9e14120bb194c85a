// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// TestAPlantedMemberIsDeletedAndNamed creates Sandboxes that have a member's metadata and spec, but another image.
func TestAPlantedMemberIsDeletedAndNamed(t *testing.T) {
	const size, planted = 2, 3
	w := start(t, server, extensions)
	w.create(builders.Template("python"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(size)))
	ours := w.waitForPool("warm", size)
	var member agentsv1beta1.Sandbox
	if err := w.get(ours[0], &member); err != nil {
		t.Fatal(err)
	}
	for i := range planted {
		s := member.DeepCopy()
		s.ObjectMeta = metav1.ObjectMeta{
			Name: fmt.Sprintf("warm-evil%d", i), Labels: member.Labels, Annotations: member.Annotations,
			OwnerReferences: member.OwnerReferences,
		}
		delete(s.Annotations, apis.AnnotationPodName)
		s.Spec.PodTemplate.Spec.Containers[0].Image = "evil"
		w.create(s)
	}
	for i := range planted {
		w.gone(fmt.Sprintf("warm-evil%d", i), &agentsv1beta1.Sandbox{})
	}
	w.waitForWarning(string(apis.ReasonForeignMember))
	if now := w.waitForPool("warm", size); !slices.Equal(now, ours) {
		t.Errorf("the planted members replaced others: members are %v and were %v", now, ours)
	}
	for i := range size + 1 {
		name := fmt.Sprintf("dev-%d", i)
		w.create(builders.Claim(name, "python"))
		w.waitForPool("warm", size)
		var s agentsv1beta1.Sandbox
		if err := w.get(w.waitForClaim(name, apis.ReasonDependenciesReady).Status.SandboxStatus.Name, &s); err != nil {
			t.Fatal(err)
		}
		if image := s.Spec.PodTemplate.Spec.Containers[0].Image; image == "evil" {
			t.Errorf("claim %s got a planted member", name)
		}
	}
}
