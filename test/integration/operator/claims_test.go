// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// checkLoggedErrors fails the test if operators logged more errors than the given number.
func (w *world) checkLoggedErrors(most int64) {
	w.Helper()
	if n := w.loggedErrors.Load(); n > most {
		w.Errorf("%d errors in the log, at most %d are allowed", n, most)
	}
}

// waitForClaim waits until the claim's Ready condition has the reason for its current generation, and returns the
// claim. Meanwhile it acts as the kubelet and the garbage collector.
func (w *world) waitForClaim(name string, reason apis.Reason) *extensionsv1beta1.SandboxClaim {
	w.Helper()
	var claim extensionsv1beta1.SandboxClaim
	w.eventually(fmt.Sprintf("claim %s is %s", name, reason), func() error {
		w.collectGarbage()
		w.markPodsReady()
		if err := w.get(name, &claim); err != nil {
			return err
		}
		c := apis.FindCondition(claim.Status.Conditions, apis.ConditionReady)
		if c == nil || c.Reason != string(reason) || c.ObservedGeneration != claim.Generation {
			return fmt.Errorf("status is %+v", claim.Status)
		}
		return nil
	})
	return &claim
}

// collectGarbage deletes the Pods whose Sandbox is gone, as the garbage collector does.
func (w *world) collectGarbage() {
	w.Helper()
	var pods corev1.PodList
	var sandboxes agentsv1beta1.SandboxList
	for _, list := range []client.ObjectList{&pods, &sandboxes} { // Pods first, because a Sandbox is older than its Pod
		if err := w.client.List(w.Context(), list, client.InNamespace(w.namespace)); err != nil {
			w.Fatal(err)
		}
	}
	there := map[types.UID]bool{}
	for _, s := range sandboxes.Items {
		there[s.UID] = true
	}
	for _, pod := range pods.Items {
		if ref := metav1.GetControllerOf(&pod); ref != nil && !there[ref.UID] {
			if err := w.client.Delete(w.Context(), &pod,
				client.Preconditions{UID: &pod.UID}); client.IgnoreNotFound(err) != nil {
				w.Fatal(err)
			}
		}
	}
}

// checkOwnership fails the test unless each Sandbox has one owner, and each claim owns exactly the Sandbox in its
// status.
func (w *world) checkOwnership() {
	w.Helper()
	var sandboxes agentsv1beta1.SandboxList
	var claims extensionsv1beta1.SandboxClaimList
	for _, list := range []client.ObjectList{&sandboxes, &claims} {
		if err := w.client.List(w.Context(), list, client.InNamespace(w.namespace)); err != nil {
			w.Fatal(err)
		}
	}
	owned := map[string][]string{}
	for _, s := range sandboxes.Items {
		if len(s.OwnerReferences) != 1 {
			w.Errorf("Sandbox %s has the owners %v", s.Name, s.OwnerReferences)
			continue
		}
		uid := string(s.OwnerReferences[0].UID)
		owned[uid] = append(owned[uid], s.Name)
	}
	for _, c := range claims.Items {
		if has := owned[string(c.UID)]; len(has) != 1 || has[0] != c.Status.SandboxStatus.Name {
			w.Errorf("claim %s owns %v and names %q", c.Name, has, c.Status.SandboxStatus.Name)
		}
	}
}

// checkNone returns an error if there is an object of the kind.
func (w *world) checkNone(kind client.Object) error {
	gvk, err := w.client.GroupVersionKindFor(kind)
	if err != nil {
		return err
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := w.client.List(w.Context(), list, client.InNamespace(w.namespace)); err != nil {
		return err
	}
	if len(list.Items) > 0 {
		return fmt.Errorf("%d of %s are left, %s among them", len(list.Items), gvk.Kind, list.Items[0].Name)
	}
	return nil
}
