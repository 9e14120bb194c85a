// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package owner

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func controlledBy(apiVersion, kind, name string, uid types.UID) *corev1.Pod {
	return builders.Pod("box", builders.PodWith(func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{
			{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid, Controller: new(true)},
		}
	}))
}

func TestRelations(t *testing.T) {
	box := builders.Sandbox("box", builders.WithUID("uid"))
	tests := map[string]struct {
		pod  *corev1.Pod
		want Relation
	}{
		"an object without a controller is what its kind's rule says": {builders.Pod("box"), Adoptable},
		"the owner's UID decides, in any API version": {
			controlledBy("agents.x-k8s.io/v1alpha1", "Sandbox", "box", "uid"), Owned,
		},
		"an earlier owner of the name leaves it over": {
			controlledBy("agents.x-k8s.io/v1beta1", "Sandbox", "box", "old"), Leftover,
		},
		"another object of the kind owns it": {
			controlledBy("agents.x-k8s.io/v1beta1", "Sandbox", "other", "old"), Foreign,
		},
		"another kind owns it, whatever its name and UID": {
			controlledBy("apps/v1", "ReplicaSet", "box", "uid"), Foreign,
		},
		"another group's kind owns it": {
			controlledBy("example.com/v1", "Sandbox", "box", "old"), Foreign,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := RelationOf(tt.pod, box, Adoptable); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestAControllerIsReplacedAndOtherOwnersStay(t *testing.T) {
	pool, claim := builders.Pool("pool", "python", builders.WithUID("pool-uid")), builders.Claim(
		"claim", "python", builders.WithUID("claim-uid"),
	)
	other := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: "other-uid"}
	box := builders.Sandbox("box", builders.OwnedBy(pool))
	box.OwnerReferences = append(box.OwnerReferences, other)
	SetController(box, claim)
	SetController(box, claim) // the second call changes nothing
	want := []metav1.OwnerReference{other, {
		APIVersion: "extensions.agents.x-k8s.io/v1beta1", Kind: "SandboxClaim", Name: "claim", UID: "claim-uid",
		Controller: new(true), BlockOwnerDeletion: new(true),
	}}
	if diff := cmp.Diff(want, box.OwnerReferences); diff != "" {
		t.Error(diff)
	}
	RemoveReference(box, "claim-uid")
	if diff := cmp.Diff([]metav1.OwnerReference{other}, box.OwnerReferences); diff != "" {
		t.Error(diff)
	}
}

func TestAnOwnerThatIsDeletedAdoptsNothing(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := agentsv1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	box := builders.Sandbox("box", builders.WithUID("uid"))
	tests := map[string]struct {
		live *agentsv1beta1.Sandbox
		want error
	}{
		"it exists":  {live: box},
		"it is gone": {want: errorclass.ErrChangedMeanwhile},
		"it is being deleted": {
			builders.Sandbox("box", builders.WithUID("uid"), builders.DeletedAt(metav1.Unix(1, 0).Time)),
			errorclass.ErrChangedMeanwhile,
		},
		"another one has the same name": {builders.Sandbox("box", builders.WithUID("other")), errorclass.ErrChangedMeanwhile},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fake.NewClientBuilder().WithScheme(scheme)
			if tt.live != nil {
				cluster = cluster.WithObjects(tt.live)
			}
			if err := Recheck(t.Context(), cluster.Build(), box); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
