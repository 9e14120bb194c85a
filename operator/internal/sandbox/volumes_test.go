// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
)

func volumeRetention(policy agentsv1beta1.PersistentVolumeClaimRetentionPolicyType) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) {
		s.Spec.PersistentVolumeClaimRetentionPolicy = &agentsv1beta1.PersistentVolumeClaimRetentionPolicy{WhenDeleted: policy}
	}
}

func claimed(s *agentsv1beta1.Sandbox) {
	controlledBy(apis.GroupExtensions, apis.KindSandboxClaim)(s)
	metadata.Set(&s.Labels, "agents.x-k8s.io/claim-uid", "holder")
}

func pooled(s *agentsv1beta1.Sandbox) {
	controlledBy(apis.GroupExtensions, apis.KindSandboxWarmPool)(s)
}

// volumeOf returns the volume of a Sandbox with the given options and UID.
func volumeOf(uid types.UID, with ...sandboxOption) *corev1.PersistentVolumeClaim {
	s := box(append([]sandboxOption{volume("data")}, with...)...)
	s.UID = uid
	return buildVolume(s, &s.Spec.VolumeClaimTemplates[0], nil)
}

var (
	deleteVolumes = volumeRetention("Delete")
	retainVolumes = volumeRetention("Retain")
)

func TestWhatAVolumeCarries(t *testing.T) {
	const (
		hash  = "agents.x-k8s.io/sandbox-name-hash"
		uid   = "agents.x-k8s.io/sandbox-uid"
		of    = "agents.x-k8s.io/sandbox-name"
		claim = "agents.x-k8s.io/claim-uid"
	)
	tests := map[string]struct {
		with   []sandboxOption
		owned  bool
		labels []string
	}{
		"without a policy it goes with its Sandbox": {owned: true, labels: []string{of, hash}},
		"with Delete too": {with: []sandboxOption{deleteVolumes}, owned: true, labels: []string{of, hash}},
		"with Retain nothing takes it along, and labels say whose": {
			with: []sandboxOption{retainVolumes}, labels: []string{of, hash, uid},
		},
		"of a claimed Sandbox they say which claim's": {
			with: []sandboxOption{retainVolumes, claimed}, labels: []string{claim, of, hash, uid},
		},
		"of a claimed Sandbox with Delete it goes": {
			with: []sandboxOption{deleteVolumes, claimed}, owned: true, labels: []string{of, hash},
		},
		"of a pool's member it goes, for nobody has worked in it": {
			with: []sandboxOption{retainVolumes, pooled}, owned: true, labels: []string{of, hash},
		},
		"a label that somebody wrote on a Sandbox makes no claim of": {
			with: []sandboxOption{retainVolumes, labelled(claim, "forged")}, labels: []string{of, hash, uid},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := []*corev1.PersistentVolumeClaim{
				nil,
				volumeOf(testUID, deleteVolumes),
				volumeOf(testUID, retainVolumes),
				volumeOf(testUID, retainVolumes, claimed),
				volumeOf("before", retainVolumes, claimed),
			}
			for i, was := range before {
				s := box(append([]sandboxOption{volume("data")}, tt.with...)...)
				if was != nil {
					was.Annotations["agents.x-k8s.io/unused-since"] = "2026-01-01T00:00:00Z"
				}
				got := buildVolume(s, &s.Spec.VolumeClaimTemplates[0], was)
				var labels []string
				for key := range got.Labels {
					labels = append(labels, key)
				}
				slices.Sort(labels)
				if metav1.IsControlledBy(got, s) != tt.owned || !slices.Equal(labels, tt.labels) ||
					got.Annotations["agents.x-k8s.io/unused-since"] != "" ||
					got.Annotations[of] != "box" || got.Labels[of] != "box" ||
					(got.Labels[uid] != "" && got.Labels[uid] != string(testUID)) {
					t.Errorf("from state %d: owned by %v, labels %v, annotations %v", i, owners(got), got.Labels, got.Annotations)
				}
			}
		})
	}
}

func TestWhoMayTakeAVolume(t *testing.T) {
	orphan := volumeOf("before", deleteVolumes)
	orphan.OwnerReferences = nil
	older := orphan.DeepCopy()
	delete(older.Annotations, "agents.x-k8s.io/sandbox-name")
	sameHash := volumeOf("before", retainVolumes)
	sameHash.Annotations["agents.x-k8s.io/sandbox-name"] = "other"
	offered := sameHash.DeepCopy()
	offered.Labels["agents.x-k8s.io/adoptable"] = "true"
	tests := map[string]struct {
		with []sandboxOption
		was  *corev1.PersistentVolumeClaim
		want action
	}{
		"one that outlived a Sandbox of the name is taken": {
			with: []sandboxOption{retainVolumes}, was: volumeOf("before", retainVolumes), want: patch,
		},
		"and by one that is to delete it": {
			was: volumeOf("before", retainVolumes), want: patch,
		},
		"one that was a claim's too": {
			with: []sandboxOption{retainVolumes}, was: volumeOf("before", retainVolumes, claimed), want: patch,
		},
		"one that the Sandbox has already is left": {
			with: []sandboxOption{retainVolumes}, was: volumeOf(testUID, retainVolumes), want: leave,
		},
		"one that was orphaned is taken":         {was: orphan, want: patch},
		"by an operator that wrote no names too": {was: older, want: patch},
		"one of another name of the same hash is refused": {
			with: []sandboxOption{retainVolumes}, was: sameHash, want: refuse,
		},
		"unless its owner offers it": {
			with: []sandboxOption{retainVolumes}, was: offered, want: patch,
		},
		"a pool's member takes none": {
			with: []sandboxOption{retainVolumes, pooled}, was: volumeOf("before", retainVolumes, claimed), want: refuse,
		},
		"nor one that was orphaned": {
			with: []sandboxOption{pooled}, was: orphan, want: refuse,
		},
		"a pool that took a Sandbox over goes on with the Sandbox's own": {
			with: []sandboxOption{retainVolumes, pooled}, was: volumeOf(testUID, retainVolumes), want: patch,
		},
		"one of a Sandbox that goes is waited for": {
			with: []sandboxOption{retainVolumes}, was: volumeOf("before", deleteVolumes), want: wait,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := box(append([]sandboxOption{volume("data")}, tt.with...)...)
			got := decideVolume(s, &s.Spec.VolumeClaimTemplates[0], tt.was)
			if got.action != tt.want {
				t.Errorf("verb %v, want %v: %v", got.action, tt.want, got.refusal)
			}
		})
	}
}

func (w *world) volume() *corev1.PersistentVolumeClaim {
	w.t.Helper()
	var v corev1.PersistentVolumeClaim
	if err := w.store.Get(context.Background(), client.ObjectKey{Namespace: "team", Name: "data-box"}, &v); err != nil {
		w.t.Fatal(err)
	}
	return &v
}

func TestAVolumeOutlivesItsSandboxAndIsTakenAgain(t *testing.T) {
	w := newWorld(t, box(volume("data"), retainVolumes))
	w.settle()
	for _, gone := range []client.Object{box(), builtPod(box())} { // the garbage collector deletes the Pod
		gone.SetResourceVersion("")
		if err := w.store.Delete(context.Background(), gone); err != nil {
			t.Fatal(err)
		}
	}
	left := w.volume()
	left.Annotations["agents.x-k8s.io/unused-since"] = "2026-04-13T12:00:00Z"
	if err := w.store.Update(context.Background(), left); err != nil {
		t.Fatal(err)
	}
	if len(left.OwnerReferences) > 0 {
		t.Errorf("the garbage collector would delete it: %v", left.OwnerReferences)
	}
	again := box(volume("data"), retainVolumes)
	again.UID, again.ResourceVersion = "second-life", ""
	if err := w.store.Create(context.Background(), again); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.makePodsReady()
	w.settle()
	v := w.volume()
	if v.Labels["agents.x-k8s.io/sandbox-uid"] != "second-life" || v.UID != left.UID ||
		v.Annotations["agents.x-k8s.io/unused-since"] != "" {
		t.Errorf("not taken again: %+v", v.ObjectMeta)
	}
	if !apis.ConditionTrue(w.sandbox().Status.Conditions, apis.ConditionReady) {
		t.Errorf("not ready: %v", conditionStrings(w.sandbox().Status))
	}
}

func TestAChangedPolicyMovesTheOwnerReferenceAtOnce(t *testing.T) {
	states := map[string]func(*world){
		"running":   func(w *world) { w.makePodsReady() },
		"suspended": func(w *world) { w.edit(scaledTo(0)) },
		"expired":   func(w *world) { w.clock.SetTime(testNow.Add(time.Hour)) },
	}
	for name, enter := range states {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, box(volume("data"), shutdown(time.Hour, agentsv1beta1.ShutdownPolicyRetain)))
			w.settle()
			enter(w)
			w.settle()
			for _, policy := range []agentsv1beta1.PersistentVolumeClaimRetentionPolicyType{"Retain", "Delete", "Retain"} {
				w.writes = nil
				w.edit(volumeRetention(policy))
				w.settle()
				if owned := len(w.volume().OwnerReferences) > 0; owned != (policy == "Delete") {
					t.Errorf("with %s it is owned: %v", policy, owned)
				}
				if !slices.Contains(w.writes, "patch PersistentVolumeClaim") ||
					slices.Contains(w.writes, "create PersistentVolumeClaim") {
					t.Errorf("with %s: %v", policy, w.writes)
				}
			}
		})
	}
}
