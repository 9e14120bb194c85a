// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package volume

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

var now = time.Date(2026, 4, 13, 12, 0, 0, 0, time.UTC)

const unusedSince = "agents.x-k8s.io/unused-since"

// retained returns a volume "data-box" that outlived its Sandbox "box".
func retained(change func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
	v := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: builders.Namespace, Name: "data-box", Labels: map[string]string{"agents.x-k8s.io/sandbox-name-hash": "x"},
		Annotations: map[string]string{"agents.x-k8s.io/sandbox-name": "box"},
	}}
	if change != nil {
		change(v)
	}
	return v
}

func cluster(t *testing.T, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, agentsv1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

func TestSinceWhenAVolumeIsUnused(t *testing.T) {
	box := builders.Sandbox("box", builders.WithUID("box-uid"), builders.WithVolume("data", "1Gi"))
	const stamp = "2026-04-13T12:00:00Z"
	tests := map[string]struct {
		change func(*corev1.PersistentVolumeClaim)
		cached []client.Object
		live   []client.Object
		want   string
	}{
		"one whose Sandbox is gone":                     {want: stamp},
		"one whose Sandbox is there":                    {cached: []client.Object{box}},
		"one whose Sandbox the cache does not show yet": {live: []client.Object{box}},
		"one whose name is now that of a Sandbox without it": {
			cached: []client.Object{builders.Sandbox("box")}, want: stamp,
		},
		"one that says it already": {
			change: func(v *corev1.PersistentVolumeClaim) { v.Annotations[unusedSince] = "before" }, want: "before",
		},
		"one that goes with its owner": {
			change: func(v *corev1.PersistentVolumeClaim) { builders.OwnedBy(box)(v) },
		},
		"one that is nobody's that we know": {
			change: func(v *corev1.PersistentVolumeClaim) { delete(v.Annotations, "agents.x-k8s.io/sandbox-name") },
		},
		"one that is not labelled as ours, whatever it notes": {
			change: func(v *corev1.PersistentVolumeClaim) { v.Labels = nil },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			volume := retained(tt.change)
			cached := cluster(t, append(tt.cached, volume)...)
			r, err := New(cached, cluster(t, tt.live...), clocktesting.NewFakePassiveClock(now))
			if err != nil {
				t.Fatal(err)
			}
			is := &corev1.PersistentVolumeClaim{}
			key := client.ObjectKeyFromObject(volume)
			for range 2 { // the second reconcile changes nothing
				if err := cached.Get(t.Context(), key, is); err != nil {
					t.Fatal(err)
				}
				if result, err := r.Reconcile(t.Context(), is.DeepCopy()); err != nil || result.RequeueAfter != 0 {
					t.Errorf("%+v, %v", result, err)
				}
			}
			if err := cached.Get(t.Context(), key, is); err != nil {
				t.Fatal(err)
			}
			if is.Annotations[unusedSince] != tt.want {
				t.Errorf("unused since %q, want %q", is.Annotations[unusedSince], tt.want)
			}
		})
	}
}

func TestAVolumeThatWasTakenMeanwhileIsNotCalledUnused(t *testing.T) {
	cached := cluster(t, retained(nil))
	old := &corev1.PersistentVolumeClaim{}
	if err := cached.Get(t.Context(), client.ObjectKeyFromObject(retained(nil)), old); err != nil {
		t.Fatal(err)
	}
	taken := old.DeepCopy()
	taken.Labels["agents.x-k8s.io/sandbox-uid"] = "second-life"
	if err := cached.Update(t.Context(), taken); err != nil {
		t.Fatal(err)
	}
	r, err := New(cached, cluster(t), clocktesting.NewFakePassiveClock(now))
	if err != nil {
		t.Fatal(err)
	}
	if result, err := r.Reconcile(t.Context(), old); err != nil || result.RequeueAfter != waits.Conflict {
		t.Errorf("%+v, %v", result, err)
	}
	if err := cached.Get(t.Context(), client.ObjectKeyFromObject(old), taken); err != nil ||
		taken.Annotations[unusedSince] != "" {
		t.Errorf("%v, %v", err, taken.Annotations)
	}
}

func TestTheEndOfASandboxWakesItsVolumes(t *testing.T) {
	got := volumesOfDeleted(
		context.Background(), builders.Sandbox("box", builders.WithVolume("data", "1Gi"), builders.WithVolume("work", "1Gi")),
	)
	if len(got) != 2 || got[0].Name != "data-box" || got[1].Name != "work-box" || got[0].Namespace != builders.Namespace {
		t.Errorf("got %v", got)
	}
}
