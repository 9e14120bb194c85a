// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/provenance"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// Each forged member has the labels of a member, including the blueprint hash, and the pool's owner reference.
func TestAPlantedMemberIsTakenByNoClaim(t *testing.T) {
	foreign := func(s *agentsv1beta1.Sandbox) { s.Spec.PodTemplate.Spec.Containers[0].Image = "evil" }
	planted := map[string]sandboxOption{
		"another image":              foreign,
		"another image, edited back": func(s *agentsv1beta1.Sandbox) { s.Generation = 3 },
		"another volume": func(s *agentsv1beta1.Sandbox) {
			s.Spec.PodTemplate.Spec.Volumes = []corev1.Volume{{Name: "x"}}
		},
		"an annotation of the Pod": func(s *agentsv1beta1.Sandbox) {
			s.Spec.PodTemplate.ObjectMeta.Annotations = map[string]string{"net": "x"}
		},
		"an end": func(s *agentsv1beta1.Sandbox) {
			s.Spec.ShutdownTime = new(metav1.NewTime(testNow.AddDate(1, 0, 0)))
		},
		"the name of another template": func(s *agentsv1beta1.Sandbox) {
			s.Annotations[apis.AnnotationTemplateRef] = "other"
		},
		"the template's label, of no name": func(s *agentsv1beta1.Sandbox) {
			delete(s.Annotations, apis.AnnotationTemplateRef)
		},
	}
	for strategy, with := range map[string][]builders.PoolOption{
		"OnReplenish": nil,
		"Recreate":    {builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)},
	} {
		for what, plant := range planted {
			for by, claim := range map[string]*extensionsv1beta1.SandboxClaim{
				"template": newClaim("c"), "pool": newClaim("c", builders.FromPool("p")),
			} {
				t.Run(strategy+" by "+by+" "+what, func(t *testing.T) {
					w := newWorld(t, claim, newTemplate(), newPool("p", with...), newMember("p-evil", newPool("p"), plant))
					w.settle()
					if got := w.claim("c").Status.SandboxStatus.Name; got != "c" {
						t.Errorf("the claim got %q", got)
					}
				})
			}
		}
	}
}

func TestAStaleMemberIsTakenIfThePoolRecordedItsContent(t *testing.T) {
	older := newTemplate(builders.WithImage("before"))
	stale := newMemberFrom("p-a", newPool("p"), older)
	recorded := func(revisions ...string) builders.PoolOption {
		return builders.WithPoolStatus(
			extensionsv1beta1.SandboxWarmPoolStatus{
				Selector: "x", Members: &extensionsv1beta1.SandboxWarmPoolMembers{Revisions: revisions},
			},
		)
	}
	tests := map[string]struct {
		pool *extensionsv1beta1.SandboxWarmPool
		want string
	}{
		"recorded":            {newPool("p", recorded("x", provenance.Revision(stale))), "p-a"},
		"another is recorded": {newPool("p", recorded("x")), "c"},
		"none is":             {newPool("p", recorded()), "c"},
		"the pool of an earlier operator": {
			newPool("p", builders.WithPoolStatus(extensionsv1beta1.SandboxWarmPoolStatus{Selector: "x"})), "p-a",
		},
		"a new pool": {newPool("p"), "c"},
		"under Recreate, though it's recorded": {
			newPool(
				"p", builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType),
				recorded(provenance.Revision(stale)),
			),
			"c",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newClaim("c"), newTemplate(), tt.pool, stale.DeepCopy())
			w.settle()
			if got := w.claim("c").Status.SandboxStatus.Name; got != tt.want {
				t.Errorf("the claim got %q, not %q", got, tt.want)
			}
		})
	}
}
