// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// checkPolicyLabel fails the test if a claim's Pod lacks the label by which the template's NetworkPolicy selects it.
func checkPolicyLabel(h *harness.T, s *agentsv1beta1.Sandbox, template string) {
	h.Helper()
	if label := h.Pod(s).Labels[apis.LabelSandboxTemplateRefHash]; label != naming.Hash(template) {
		h.Errorf("the policy of %[2]s does not select the Pod of %[1]s: %[3]q", s.Name, template, label)
	}
}

// A user with permission to edit the claim changes its template reference at each event about the claim or a Sandbox,
// and thus also right after the assignment.
func TestAnEditOfTheReferenceTakesNoPodOutOfItsPolicy(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("shell"), h.NewPool("warm", "shell", 2))
	h.FullPool("warm")
	var mu sync.Mutex
	refused, others := 0, []error{}
	attack := func(name string) {
		claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{Namespace: h.Namespace, Name: name}}
		patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"sandboxTemplateRef":{"name":"no-such"}}}`))
		err := h.Client.Patch(h.Context(), claim, patch)
		mu.Lock()
		defer mu.Unlock()
		if apierrors.IsInvalid(err) {
			refused++
		} else if !apierrors.IsNotFound(err) && h.Context().Err() == nil {
			others = append(others, err)
		}
	}
	h.Watch(&extensionsv1beta1.SandboxClaimList{}, func(event watch.EventType, claim client.Object) {
		if event != watch.Deleted {
			attack(claim.GetName())
		}
	})
	h.Watch(&agentsv1beta1.SandboxList{}, func(_ watch.EventType, s client.Object) {
		if owner := metav1.GetControllerOf(s); owner != nil && owner.Kind == apis.KindSandboxClaim {
			attack(owner.Name)
		}
	})
	for i := range 8 {
		name := fmt.Sprintf("claim-%d", i)
		claim := h.NewClaim(name, "shell")
		if i%2 == 0 {
			withoutWarmPool(claim)
		}
		h.CreateAll(claim)
		checkPolicyLabel(h, h.Claimed(name), "shell")
	}
	for i := range 8 { // the operator has handled the edits
		checkPolicyLabel(h, h.Claimed(fmt.Sprintf("claim-%d", i)), "shell")
	}
	mu.Lock()
	defer mu.Unlock()
	if refused < 8 || len(others) > 0 {
		t.Errorf("%d edits were refused, others: %v", refused, others)
	}
}

// A user with permission to create Sandboxes creates fake pool members just after a claim has adopted one.
func TestAPlantedMemberIsGivenToNobody(t *testing.T) {
	t.Parallel()
	for _, strategy := range []extensionsv1beta1.SandboxWarmPoolUpdateStrategyType{
		extensionsv1beta1.OnReplenishSandboxWarmPoolUpdateStrategyType,
		extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType,
	} {
		t.Run(string(strategy), func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			pool := h.NewPool("warm", "shell", 1, func(pool *extensionsv1beta1.SandboxWarmPool) {
				pool.Spec.UpdateStrategy = &extensionsv1beta1.SandboxWarmPoolUpdateStrategy{Type: strategy}
			})
			h.CreateAll(h.NewTemplate("shell"), pool)
			member := h.FullPool("warm")[0]
			h.CreateAll(h.NewClaim("first", "shell"))
			for i := range 4 {
				createFakeMember(h, pool, &member, fmt.Sprintf("warm-evil%d", i))
			}
			for i := range 4 {
				h.CreateAll(h.NewClaim(fmt.Sprintf("next-%d", i), "shell"))
			}
			for _, name := range []string{"first", "next-0", "next-1", "next-2", "next-3"} {
				if image := h.Pod(h.Claimed(name)).Spec.Containers[0].Image; image != harness.ImageShell {
					t.Errorf("claim %s got %s", name, image)
				}
			}
			h.FullPool("warm", func(s *agentsv1beta1.Sandbox) error {
				if image := s.Spec.PodTemplate.Spec.Containers[0].Image; image != harness.ImageShell {
					return errors.New("its image is " + image)
				}
				return nil
			})
			for i := range 4 {
				h.Gone(fmt.Sprintf("warm-evil%d", i), &agentsv1beta1.Sandbox{})
			}
		})
	}
}

// createFakeMember creates a Sandbox that has a member's metadata and spec, but another image.
func createFakeMember(
	h *harness.T, pool *extensionsv1beta1.SandboxWarmPool, member *agentsv1beta1.Sandbox, name string,
) {
	h.Helper()
	planted := &agentsv1beta1.Sandbox{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: maps.Clone(member.Labels), Annotations: maps.Clone(member.Annotations),
			OwnerReferences: member.OwnerReferences,
		},
		Spec: *member.Spec.DeepCopy(),
	}
	if !metav1.IsControlledBy(planted, pool) {
		h.Fatalf("the member has other owners: %v", planted.OwnerReferences)
	}
	delete(planted.Annotations, apis.AnnotationPodName)
	planted.Spec.PodTemplate.Spec.Containers[0].Image = harness.ImagePython
	h.CreateAll(planted)
}

// A user with permission to edit Sandboxes removes the owner reference from a claimed one.
func TestASandboxThatLostItsOwnerGoesBackToItsClaim(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("shell"), h.NewClaim("mine", "shell", withoutWarmPool))
	s := h.Claimed("mine")
	h.Edit(s.Name, func(s *agentsv1beta1.Sandbox) { s.OwnerReferences = nil })
	h.Eventually("the claim controls it again", func() error {
		var claim extensionsv1beta1.SandboxClaim
		h.Get("mine", &claim)
		if !h.Get(s.Name, s) || !metav1.IsControlledBy(s, &claim) {
			return fmt.Errorf("owners are %v", s.OwnerReferences)
		}
		return nil
	})
	checkPolicyLabel(h, s, "shell")
	h.MustKubectl("delete", "sandboxclaim", "mine")
	waitUntilGone(h, s)
}

// Deleting a claim with --cascade=orphan leaves its Sandbox unchanged and under its policy, and nothing adopts it.
func TestASandboxThatItsClaimLeftStaysUnderItsPolicy(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("shell"), h.NewClaim("left", "shell", withoutWarmPool))
	s := h.Claimed("left")
	h.MustKubectl("delete", "sandboxclaim", "left", "--cascade=orphan")
	h.Gone("left", &extensionsv1beta1.SandboxClaim{})
	h.CreateAll(h.NewPool("warm", "shell", 1), h.NewClaim("other", "shell", withoutWarmPool))
	h.FullPool("warm")
	h.Claimed("other")
	var now agentsv1beta1.Sandbox
	if !h.Get(s.Name, &now) || now.UID != s.UID || len(now.OwnerReferences) > 0 {
		t.Errorf("the Sandbox has changed: owners are %v", now.OwnerReferences)
	}
	checkPolicyLabel(h, &now, "shell")
	if pod := h.Pod(&now); pod.Status.Phase != corev1.PodRunning {
		t.Errorf("its Pod is %s", pod.Status.Phase)
	}
}
