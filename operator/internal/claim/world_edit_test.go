// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// updateSandbox edits a Sandbox including its status, as another client.
func (w *world) updateSandbox(name string, with sandboxOption) {
	w.t.Helper()
	s := w.sandbox(name)
	with(s)
	status := s.Status
	if err := w.store.Update(context.Background(), s); err != nil {
		w.t.Fatal(err)
	}
	s.Status = status
	if err := w.store.Status().Update(context.Background(), s); client.IgnoreNotFound(
		err,
	) != nil { // without its finalizer it is deleted
		w.t.Fatal(err)
	}
}

func (w *world) deleteSandbox(name string) {
	w.t.Helper()
	w.promises.deletedByUser[w.sandbox(name).UID] = true
	if err := w.store.Delete(context.Background(), w.sandbox(name)); err != nil {
		w.t.Fatal(err)
	}
}

// editClaim changes the spec of a claim, as a user.
func (w *world) editClaim(name string, with func(*extensionsv1beta1.SandboxClaim)) {
	w.t.Helper()
	claim := w.claim(name)
	with(claim)
	claim.Generation++
	if err := w.store.Update(context.Background(), claim); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) create(objects ...client.Object) {
	w.t.Helper()
	for _, o := range objects {
		if err := w.store.Create(context.Background(), o); err != nil {
			w.t.Fatal(err)
		}
	}
}

// ownedBy returns the names of the Sandboxes that a claim owns, by its UID.
func (w *world) ownedBy(uid string) (names []string) {
	for _, s := range w.sandboxes() {
		for _, ref := range s.OwnerReferences {
			if string(ref.UID) == uid {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// checkOneToOne checks that each Sandbox has one owner, that each claim has at most one Sandbox, and that its status
// names it.
func (w *world) checkOneToOne() {
	w.t.Helper()
	for _, s := range w.sandboxes() {
		if len(s.OwnerReferences) != 1 {
			w.t.Errorf("Sandbox %s has the owners %s", s.Name, ownerNames(&s))
		}
	}
	served := map[string]string{}
	for _, c := range w.claims() {
		owned := w.ownedBy(string(c.UID))
		if len(owned) > 1 {
			w.t.Errorf("claim %s owns %v", c.Name, owned)
		}
		name := c.Status.SandboxStatus.Name
		if name == "" {
			continue
		}
		if other := served[name]; other != "" {
			w.t.Errorf("claims %s and %s both have Sandbox %s", other, c.Name, name)
		}
		served[name] = c.Name
		if len(owned) == 1 && owned[0] != name {
			w.t.Errorf("claim %s says %s and owns %v", c.Name, name, owned)
		}
	}
}
