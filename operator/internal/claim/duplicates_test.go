// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// TestADuplicateIsDeletedOnlyIfTheStatusNamesTheOther covers two operators that adopted two members for one claim.
func TestADuplicateIsDeletedOnlyIfTheStatusNamesTheOther(t *testing.T) {
	start := func(t *testing.T) *world {
		w := newWorld(t, newClaim("c"), newTemplate(), newPool("p"),
			newClaimed(newClaim("c"), newMember("p-a", newPool("p"), olderBy(1))),
			newClaimed(newClaim("c"), newMember("p-b", newPool("p"))))
		w.promises.severalOperators = true
		return w
	}
	t.Run("the other operator promised the younger one, and the cache does not show it", func(t *testing.T) {
		w := start(t)
		stale := w.claim("c")
		w.setStatus("p-b")
		result, err := w.reconciler.Reconcile(t.Context(), stale)
		if err != nil || result.RequeueAfter <= 0 {
			t.Fatalf("%v, %v", result, err)
		}
		if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-a", "p-b"}) {
			t.Errorf("owned: %v", got)
		}
		w.settle()
		if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-b"}) || w.claim("c").Status.SandboxStatus.Name != "p-b" {
			t.Errorf("owned at rest: %v", got)
		}
	})
	t.Run("the cache shows what the other operator promised, but not yet who owns it", func(t *testing.T) {
		w := start(t)
		w.setStatus("p-b")
		w.staleSandboxes["p-b"] = newMember("p-b", newPool("p"))
		for range 2 {
			if _, err := w.reconcile("c"); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-b"}) || w.claim("c").Status.SandboxStatus.Name != "p-b" {
			t.Errorf("owned: %v, status: %+v", got, w.claim("c").Status.SandboxStatus)
		}
	})
	t.Run("this process adopted the other one, and its cache shows no owner of either", func(t *testing.T) {
		w := start(t)
		w.setStatus("p-b")
		w.reconciler.memory.ExpectAdoption("c-uid", "p-a")
		for _, name := range []string{"p-a", "p-b"} {
			w.staleSandboxes[name] = newMember(name, newPool("p"))
		}
		for range 2 {
			if _, err := w.reconcile("c"); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-b"}) || w.claim("c").Status.SandboxStatus.Name != "p-b" {
			t.Errorf("owned: %v, status: %+v", got, w.claim("c").Status.SandboxStatus)
		}
	})
	t.Run("this process has not adopted the one that it wanted", func(t *testing.T) {
		w := newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p"), olderBy(1)),
			newClaimed(newClaim("c"), newMember("p-b", newPool("p"))))
		w.promises.severalOperators = true
		w.setStatus("p-b")
		w.reconciler.memory.ExpectAdoption("c-uid", "p-a")
		w.staleSandboxes["p-b"] = newMember("p-b", newPool("p"))
		if _, err := w.reconcile("c"); err != nil {
			t.Fatal(err)
		}
		if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-b"}) || w.claim("c").Status.SandboxStatus.Name != "p-b" {
			t.Errorf("owned: %v, status: %+v", got, w.claim("c").Status.SandboxStatus)
		}
		if member := w.reconciler.memory.Adopting("c-uid"); member != "" {
			t.Errorf("it still wants %s", member)
		}
	})
	t.Run("the claim changes before the deletion", func(t *testing.T) {
		w := start(t)
		w.onWrite = func(what string, do func() error) error {
			err := do()
			if what == "patch SandboxClaim/status" {
				w.editClaim("c", func(c *extensionsv1beta1.SandboxClaim) { c.Labels = map[string]string{"x": "y"} })
			}
			return err
		}
		if _, err := w.reconcile("c"); err != nil {
			t.Fatal(err)
		}
		if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-a", "p-b"}) {
			t.Errorf("owned: %v", got)
		}
	})
	t.Run("at rest the status names the one that is left", func(t *testing.T) {
		w := start(t)
		w.settle()
		if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-a"}) || w.claim("c").Status.SandboxStatus.Name != "p-a" {
			t.Errorf("owned: %v", got)
		}
	})
}

// setStatus writes the status of claim c as another operator.
func (w *world) setStatus(sandbox string) {
	w.t.Helper()
	claim, s := w.claim("c"), w.sandbox(sandbox)
	claim.Status.SandboxStatus.Name, claim.Status.SandboxStatus.UID = s.Name, s.UID
	claim.Status.FirstReadyTime = new(metav1.NewMicroTime(testNow))
	if err := w.store.Status().Update(context.Background(), claim); err != nil {
		w.t.Fatal(err)
	}
}
