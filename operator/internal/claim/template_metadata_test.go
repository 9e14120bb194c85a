// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// replaceTemplate updates the template of that name.
func (w *world) replaceTemplate(is *extensionsv1beta1.SandboxTemplate) {
	w.t.Helper()
	was := &extensionsv1beta1.SandboxTemplate{}
	if err := w.store.Get(context.Background(), keyOf(is.Name), was); err != nil {
		w.t.Fatal(err)
	}
	is.ResourceVersion = was.ResourceVersion
	if err := w.store.Update(context.Background(), is); err != nil {
		w.t.Fatal(err)
	}
}

func TestAClaimedSandboxFollowsTheMetadataOfItsTemplateAndNothingElse(t *testing.T) {
	from := newTemplate(
		builders.WithPodLabel("tier", "1"), builders.WithPodLabel("gone", "1"), builders.WithLabel("team", "1"),
	)
	later := newTemplate(
		builders.WithPodLabel("tier", "2"), builders.WithPodLabel("mine", "template"),
		builders.WithPodLabel("strict", "template"),
		builders.WithLabel("team", "2"),
		builders.WithLabel("agents.x-k8s.io/claim-uid", "x"),
		builders.WithAnnotation("note", "2"),
		builders.WithPodSpec(func(s *corev1.PodSpec) { s.Containers[0].Image = "other" }),
	)
	claim := newClaim("c", withPodLabels(keys{"strict": "claim"}, keys{"mine": "claim"}))
	for name, start := range map[string]func() *world{
		"warm": func() *world {
			return newWorld(t, claim.DeepCopy(), from.DeepCopy(), newPool("p"), newMemberFrom("p-a", newPool("p"), from))
		},
		"cold": func() *world { return newWorld(t, claim.DeepCopy(), from.DeepCopy()) },
	} {
		w := start()
		w.settle()
		s := w.ownedBy("c-uid")[0]
		w.updateSandbox(s, func(s *agentsv1beta1.Sandbox) { s.Spec.PodTemplate.ObjectMeta.Labels["foreign"] = "1" })
		before := w.sandbox(s)
		w.replaceTemplate(later.DeepCopy())
		writes := len(w.writes)
		w.settle()
		if n := len(w.writes) - writes; n != 1 {
			t.Errorf("%s: %d writes: %v", name, n, w.writes[writes:])
		}
		is := w.sandbox(s)
		want := keys{"tier": "2", "gone": "1", "foreign": "1", "mine": "claim", "strict": "claim"}
		if diff := cmp.Diff(want, is.Spec.PodTemplate.ObjectMeta.Labels); diff != "" {
			t.Errorf("%s: the Pod's labels (-want +got):\n%s", name, diff)
		}
		if is.Labels["team"] != "2" || is.Annotations["note"] != "2" || is.Labels[apis.LabelClaimUID] != "c-uid" {
			t.Errorf("%s: metadata of the Sandbox: %v %v", name, is.Labels, is.Annotations)
		}
		if diff := cmp.Diff(before.Spec.PodTemplate.Spec, is.Spec.PodTemplate.Spec); diff != "" {
			t.Errorf("%s: the spec of the Pod changed:\n%s", name, diff)
		}
	}
}

func TestASandboxFollowsNoTemplateThatItWasNotMadeFrom(t *testing.T) {
	other := builders.Template("other", builders.WithLabel("team", "other"), builders.WithPodLabel("team", "other"))
	s := newClaimed(
		newClaim("c"), newMember("p-a", newPool("p")),
		func(s *agentsv1beta1.Sandbox) { s.Annotations[apis.AnnotationTemplateRef] = "other" },
	)
	w := newWorld(t, newClaim("c", withAssignment("p-a")), other, s)
	w.settle()
	if is := w.sandbox("p-a"); is.Labels["team"] != "" || is.Spec.PodTemplate.ObjectMeta.Labels["team"] != "" {
		t.Errorf("an annotation names the template that is followed: %v", is.Labels)
	}
}

func TestWhichClaimsATemplatesMetadataWakes(t *testing.T) {
	was, labelled := newTemplate(), newTemplate(builders.WithLabel("a", "1"))
	w := newWorld(
		t, was, newClaimed(newClaim("c"), newMember("p-a", newPool("p"))),
		newClaimed(newClaim("by-pool", builders.FromPool("p")), newMember("p-c", newPool("p"))),
		newMember("p-b", newPool("p")),
		newClaimed(
			newClaim("other", builders.FromPool("o")),
			newMemberFrom("o-a", builders.Pool("o", "node"), builders.Template("node")),
		),
	)
	update := func(is *extensionsv1beta1.SandboxTemplate) event.UpdateEvent {
		return event.UpdateEvent{ObjectOld: was, ObjectNew: is}
	}
	tests := map[string]struct {
		update event.UpdateEvent
		create event.CreateEvent
		want   int
	}{
		"a label":            {update: update(labelled), want: 2},
		"an annotation":      {update: update(newTemplate(builders.WithAnnotation("a", "1"))), want: 2},
		"a label of the Pod": {update: update(newTemplate(builders.WithPodLabel("a", "1"))), want: 2},
		"its spec only": {
			update: update(newTemplate(builders.WithGeneration(2), builders.WithVolume("x", "1Gi"))),
		},
		"a key that is not handed on": {update: update(newTemplate(builders.WithAnnotation("kubectl.kubernetes.io/x", "1")))},
		"made anew":                   {create: event.CreateEvent{Object: labelled}, want: 2},
		"seen at the start":           {create: event.CreateEvent{Object: labelled, IsInInitialList: true}},
	}
	for name, tt := range tests {
		queue := priorityqueue.New[reconcile.Request](name)
		if tt.create.Object != nil {
			w.reconciler.enqueueClaimsOfTemplate().Create(t.Context(), tt.create, queue)
		} else {
			w.reconciler.enqueueClaimsOfTemplate().Update(t.Context(), tt.update, queue)
		}
		queue.Add(reconcile.Request{NamespacedName: keyOf("new")}) // with the normal priority
		var got []string
		for range tt.want + 1 {
			next, _ := queue.Get()
			got = append(got, next.Name)
			queue.Done(next)
		}
		if got[0] != "new" || (tt.want > 0 && got[1] == got[2]) || queue.Len() != 0 {
			t.Errorf("%s: woken are %v and %d more", name, got, queue.Len())
		}
		queue.ShutDown()
	}
}
