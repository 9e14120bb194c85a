// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

var owners = map[string]attempt{
	"give a pool a Sandbox with another image: it names the pool as its owner": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Pool("web", "web"))
			member := w.member("web").DeepCopy()
			planted := &agentsv1beta1.Sandbox{
				ObjectMeta: metav1.ObjectMeta{
					Name: "web-evil0", Labels: member.Labels, Annotations: member.Annotations,
					OwnerReferences: withoutBlocking(member.OwnerReferences),
				},
				Spec: member.Spec,
			}
			planted.Spec.PodTemplate.Spec.Containers[0].Image = "evil"
			w.creates(planted)
			w.eventually("it is gone", func() error { return w.isGone("web-evil0", &agentsv1beta1.Sandbox{}) })
			if now := w.member("web"); now.UID != member.UID {
				return outcome{nobody, "it took the place of " + member.Name}
			}
			return w.eventSays(apis.ReasonForeignMember)
		},
		want: outcome{inEvent(apis.ReasonForeignMember), "Deleted web-evil0"},
	},
	"give a pool a Sandbox with another image: it has the labels of a member that lost its owner": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Pool("web", "web"))
			member := w.member("web").DeepCopy()
			orphan := &agentsv1beta1.Sandbox{
				ObjectMeta: metav1.ObjectMeta{Name: "web-evil0", Labels: member.Labels, Annotations: member.Annotations},
				Spec:       member.Spec,
			}
			orphan.Spec.PodTemplate.Spec.Containers[0].Image = "evil"
			w.creates(orphan)
			w.given(builders.Claim("one", "", builders.FromPool("web")), builders.Claim("two", "", builders.FromPool("web")))
			for _, claim := range []string{"one", "two"} {
				if image := w.claimed(claim).Spec.PodTemplate.Spec.Containers[0].Image; image == "evil" {
					return outcome{nobody, "a claim has it"}
				}
			}
			return outcome{byOperator, "gives claims only what a pool has created"}
		},
		want: outcome{byOperator, "gives claims only what a pool has created"},
	},
	"give a claim that has its Sandbox another one: it names the claim as its owner": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Claim("box", "web"))
			theirs := w.claimed("box")
			w.creates(builders.Sandbox("evil", ownedBy(w.claim("box"))))
			w.eventually("it is gone", func() error { return w.isGone("evil", &agentsv1beta1.Sandbox{}) })
			if now := w.claimed("box"); now.UID != theirs.UID {
				return outcome{nobody, "the claim has " + now.Name}
			}
			return outcome{byOperator, "deletes it: the claim keeps the Sandbox of its status"}
		},
		want: outcome{byOperator, "deletes it: the claim keeps the Sandbox of its status"},
	},
	"give a claim that waits a Sandbox of its own: it names the claim as its owner": {
		try: func(w *tenancy) outcome {
			w.given(builders.Claim("box", "web"))
			w.lacksTemplate("box")
			w.creates(builders.Sandbox("evil", ownedBy(w.claim("box"))))
			w.claimed("box")
			return outcome{by: nobody}
		},
		want: outcome{nobody, "the owner commits. Whoever may create Sandboxes can serve a claim of the namespace that has " +
			"none, just as whoever may edit them can change the one that it has: do not give these rights to anybody whom " +
			"those who create claims do not trust"},
	},
	"take the Sandbox of another claim: remove its owner": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Claim("box", "web"))
			theirs := w.claimed("box")
			edits(w, theirs.Name, &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) { s.OwnerReferences = nil })
			return w.becomes("restores the owner, by its UID", func() error {
				var s agentsv1beta1.Sandbox
				if err := w.get(theirs.Name, &s); err != nil || controllerOf(&s) != "SandboxClaim box" || s.UID != theirs.UID {
					return fmt.Errorf("it is controlled by %s, %w", controllerOf(&s), err)
				}
				return nil
			})
		},
		want: outcome{byOperator, "restores the owner, by its UID"},
	},
	"take the Sandbox of another claim: make a claim of its own the owner": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Claim("box", "web"))
			theirs := w.claimed("box")
			w.creates(builders.Claim("mine", "none"))
			w.lacksTemplate("mine")
			edits(w, theirs.Name, &agentsv1beta1.Sandbox{}, func(s *agentsv1beta1.Sandbox) {
				s.OwnerReferences = nil
				ownedBy(w.claim("mine"))(s)
			})
			w.eventually("the other claim says so", func() error { return w.claimHas("box", apis.ReasonReconcilerError) })
			return outcome{by: nobody}
		},
		want: outcome{nobody, "whoever may edit Sandboxes may use those of the namespace. The claim says " +
			"who has its Sandbox, " +
			"and gets no other one in silence"},
	},
	"block the deletion of a pool: a Sandbox that names it as its owner has blockOwnerDeletion": {
		try: func(w *tenancy) outcome {
			w.given(builders.Pool("web", "none"))
			var pool extensionsv1beta1.SandboxWarmPool
			if err := w.get("web", &pool); err != nil {
				w.Fatal(err)
			}
			return w.tries(builders.Sandbox("box", builders.OwnedBy(&pool)))
		},
		want: outcome{byAdmission, "cannot set blockOwnerDeletion"},
	},
	"give a Pod an owner or a finalizer: the metadata of a podTemplate has them": {
		try: func(w *tenancy) outcome {
			object := w.unstructured(builders.Sandbox("box"))
			set(w, object, []any{"example.com/keep"}, "spec", "podTemplate", "metadata", "finalizers")
			set(w, object, []any{map[string]any{
				"apiVersion": "v1", "kind": "Pod", "name": "other", "uid": "other",
			}}, "spec", "podTemplate", "metadata", "ownerReferences")
			set(w, object, "other", "spec", "podTemplate", "metadata", "name")
			set(w, object, "kube-system", "spec", "podTemplate", "metadata", "namespace")
			w.creates(object)
			if pod := w.pod("box"); len(pod.Finalizers) > 0 || len(pod.OwnerReferences) != 1 {
				return outcome{nobody, fmt.Sprintf("%+v", pod.ObjectMeta)}
			}
			return outcome{bySchema, "drops all metadata but labels and annotations"}
		},
		want: outcome{bySchema, "drops all metadata but labels and annotations"},
	},
	"keep its Pod alive when its Sandbox is deleted: the Sandbox has a finalizer": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Sandbox("box", finalized))
			w.pod("box")
			w.delete(&agentsv1beta1.Sandbox{}, "box")
			w.eventually("it is being deleted", func() error {
				var s agentsv1beta1.Sandbox
				if err := w.get("box", &s); err != nil || s.DeletionTimestamp == nil {
					return errors.Join(err, errors.New("it is not"))
				}
				return nil
			})
			w.pod("box")
			return outcome{by: nobody}
		},
		want: outcome{nobody, "it is the tenant's own Pod, which the quotas and policies of the namespace " +
			"still hold; whoever " +
			"may delete Pods can end it"},
	},
}

var finalized = builders.Meta(func(o metav1.Object) { o.SetFinalizers([]string{"example.com/keep"}) })

// ownedBy makes a claim the controller, without blocking its deletion.
func ownedBy(claim *extensionsv1beta1.SandboxClaim) builders.Meta {
	return func(o metav1.Object) {
		builders.OwnedBy(claim)(o)
		o.SetOwnerReferences(withoutBlocking(o.GetOwnerReferences()))
	}
}

// withoutBlocking returns references that need no permission on the owner.
func withoutBlocking(references []metav1.OwnerReference) []metav1.OwnerReference {
	all := append([]metav1.OwnerReference(nil), references...)
	for i := range all {
		all[i].BlockOwnerDeletion = nil
	}
	return all
}

func (w *tenancy) claim(name string) *extensionsv1beta1.SandboxClaim {
	w.Helper()
	claim := &extensionsv1beta1.SandboxClaim{}
	if err := w.get(name, claim); err != nil {
		w.Fatal(err)
	}
	return claim
}

// unstructured returns the object for fields that its Go type does not have.
func (w *tenancy) unstructured(object runtime.Object) *unstructured.Unstructured {
	w.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		w.Fatal(err)
	}
	kinds, _, err := w.scheme.ObjectKinds(object)
	if err != nil {
		w.Fatal(err)
	}
	result := &unstructured.Unstructured{Object: content}
	result.SetGroupVersionKind(kinds[0])
	return result
}

func set(w *tenancy, object *unstructured.Unstructured, value any, path ...string) {
	w.Helper()
	if err := unstructured.SetNestedField(object.Object, value, path...); err != nil {
		w.Fatal(err)
	}
}

// checkPodLabels returns an error unless the Pod has the value of the label; an empty value is none.
func checkPodLabel(pod *corev1.Pod, key, value string) error {
	if pod.Labels[key] != value {
		return fmt.Errorf("the label %s of the Pod is %q, not %q", key, pod.Labels[key], value)
	}
	return nil
}
