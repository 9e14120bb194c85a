// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func (w *world) editSandbox(name string, change func(*agentsv1beta1.Sandbox)) {
	w.t.Helper()
	s := w.sandbox(name)
	change(s)
	if err := w.store.Update(context.Background(), s); err != nil {
		w.t.Fatal(err)
	}
}

func withoutOwners(s *agentsv1beta1.Sandbox) { s.OwnerReferences = nil }

// The fake API server of this test does not enforce that the reference is immutable. Whatever the claim names, the
// Sandbox stays under its first NetworkPolicy.
func TestAnEditedReferenceMovesNoSandboxToAnotherPolicy(t *testing.T) {
	ways := map[string][]client.Object{
		"warm": {newClaim("c"), newTemplate(), newPool("p"), newMember("c-1", newPool("p"))},
		"warm, by pool": {
			newClaim("c", builders.FromPool("p")), newTemplate(), newPool("p"), newMember("c-1", newPool("p")),
		},
		"cold": {newClaim("c"), newTemplate()},
	}
	forgeries := map[string]func(*agentsv1beta1.Sandbox){
		"and nothing else": nil,
		"and the Sandbox's label": func(s *agentsv1beta1.Sandbox) {
			s.Labels[apis.LabelSandboxTemplateRefHash] = naming.Hash("none")
		},
		"and the Sandbox's label and annotation": func(s *agentsv1beta1.Sandbox) {
			s.Labels[apis.LabelSandboxTemplateRefHash] = naming.Hash("none")
			s.Annotations[apis.AnnotationTemplateRef] = "none"
		},
		"and its label and annotation are gone": func(s *agentsv1beta1.Sandbox) {
			delete(s.Labels, apis.LabelSandboxTemplateRefHash)
			delete(s.Annotations, apis.AnnotationTemplateRef)
		},
	}
	for way, objects := range ways {
		for what, forge := range forgeries {
			t.Run(way+" "+what, func(t *testing.T) {
				w := newWorld(t, objects...)
				w.onWrite = func(write string, do func() error) error {
					if forge == nil && write == "patch SandboxClaim/status" { // between the adoption and the status
						w.setTemplateRef("none")
					}
					return do()
				}
				_, _ = w.reconcile("c")
				w.onWrite = nil
				w.setTemplateRef("none")
				name := w.ownedBy("c-uid")[0]
				if forge != nil {
					w.editSandbox(name, forge)
				}
				w.settle()
				s := w.sandbox(name)
				if s.Labels[apis.LabelSandboxTemplateRefHash] != naming.Hash("python") ||
					s.Annotations[apis.AnnotationTemplateRef] != "python" {
					t.Errorf("labels %v, annotations %v", s.Labels, s.Annotations)
				}
				if got := w.claim("c").Status.SandboxStatus; got.UID != s.UID || got.TemplateName != "python" || got.Name != name {
					t.Errorf("status: %+v", got)
				}
			})
		}
	}
}

// setTemplateRef changes the claim's reference, which a real API server forbids.
func (w *world) setTemplateRef(template string) {
	w.t.Helper()
	claim := w.claim("c")
	if claim.Spec.TemplateRef != nil && claim.Spec.TemplateRef.Name == template {
		return
	}
	claim.Spec.WarmPoolRef, claim.Spec.TemplateRef = nil, &extensionsv1beta1.SandboxTemplateRef{Name: template}
	if err := w.store.Update(context.Background(), claim); err != nil {
		w.t.Fatal(err)
	}
}

func TestAClaimTakesBackTheSandboxWhoseOwnerReferenceIsGone(t *testing.T) {
	w := newWorld(
		t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")), newMember("p-b", newPool("p")),
	)
	w.settle()
	name := w.claim("c").Status.SandboxStatus.Name
	w.editSandbox(name, withoutOwners)
	w.writes = nil
	w.settle()
	if s := w.sandbox(name); ownerNames(s) != "SandboxClaim/c" || !metav1.IsControlledBy(s, w.claim("c")) {
		t.Errorf("owners: %v", s.OwnerReferences)
	}
	if got := w.claim("c"); got.Status.SandboxStatus.Name != name ||
		!apis.ConditionTrue(got.Status.Conditions, apis.ConditionReady) {
		t.Errorf("status: %+v", got.Status)
	}
	if len(w.writes) != 1 {
		t.Errorf("writes: %v", w.writes)
	}
}

func TestASandboxThatIsNotTheClaimsIsNotTakenBack(t *testing.T) {
	another := func(s *agentsv1beta1.Sandbox) {
		s.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "example.com/v1", Kind: "Workspace", Name: "w", UID: "w-uid", Controller: new(true),
		}}
	}
	bound := func(uid types.UID) *extensionsv1beta1.SandboxClaim {
		claim := newClaim("c", withAssignment("p-a"))
		claim.Status.SandboxStatus = extensionsv1beta1.SandboxStatus{Name: "p-a", UID: uid, TemplateName: "python"}
		return claim
	}
	tests := map[string]struct {
		claim   *extensionsv1beta1.SandboxClaim
		sandbox *agentsv1beta1.Sandbox
		want    string // of the claim's message
		owner   string
	}{
		"another one of its name, which carries the claim's label": {
			claim:   bound("earlier"),
			sandbox: newClaimed(newClaim("c"), newMember("p-a", newPool("p")), withoutOwners),
			want:    "is no longer available",
		},
		"one that somebody else controls now": {
			claim:   bound("p-a-uid"),
			sandbox: newClaimed(newClaim("c"), newMember("p-a", newPool("p")), another),
			owner:   "Workspace/w",
			want:    `controlled by Workspace "w": remove that owner reference to give the Sandbox back to the claim, or delete the Sandbox`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.claim, newTemplate(), tt.sandbox)
			_, _ = w.reconcile("c")
			if got := ownerNames(w.sandbox("p-a")); got != tt.owner {
				t.Errorf("owner: %s", got)
			}
			ready := apis.FindCondition(w.claim("c").Status.Conditions, apis.ConditionReady)
			if ready == nil || ready.Status != metav1.ConditionFalse || !strings.Contains(ready.Message, tt.want) {
				t.Errorf("Ready: %+v", ready)
			}
			if n := len(w.sandboxes()); n != 1 {
				t.Errorf("%d Sandboxes", n)
			}
		})
	}
}

// A deletion with --cascade=orphan removes the owner reference first: see owner.Recheck.
func TestAClaimThatIsGoingTakesNothingBack(t *testing.T) {
	w := newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
	w.settle()
	w.editSandbox("p-a", withoutOwners)
	claim := w.claim("c")
	live := interceptor.NewClient(w.store, interceptor.Funcs{
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
		) error {
			err := c.Get(ctx, key, o, opts...)
			if claim, ok := o.(*extensionsv1beta1.SandboxClaim); ok {
				claim.DeletionTimestamp = new(metav1.NewTime(testNow))
			}
			return err
		},
	})
	w.reconciler.live = live
	if _, err := w.reconciler.Reconcile(context.Background(), claim); err != nil {
		t.Errorf("it is a conflict and nothing else: %v", err)
	}
	if owner := ownerNames(w.sandbox("p-a")); owner != "" {
		t.Errorf("owner: %s", owner)
	}
}

// Earlier versions of the operator wrote only the name of the Sandbox to the status.
func TestAClaimOfAnEarlierVersionLearnsWhatItHas(t *testing.T) {
	w := newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
	w.settle()
	claim := w.claim("c")
	claim.Status.SandboxStatus.UID, claim.Status.SandboxStatus.TemplateName = "", ""
	if err := w.store.Status().Update(context.Background(), claim); err != nil {
		t.Fatal(err)
	}
	w.writes = nil
	w.settle()
	if got := w.claim("c").Status.SandboxStatus; got.UID != "p-a-uid" || got.TemplateName != "python" {
		t.Errorf("status: %+v", got)
	}
	if len(w.writes) != 1 {
		t.Errorf("writes: %v", w.writes)
	}
}
