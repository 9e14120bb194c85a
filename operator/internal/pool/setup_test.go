// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// recordingQueue is a work queue that records the enqueued pools.
type recordingQueue struct {
	queue

	pools []string
}

func (w *recordingQueue) AddAfter(request reconcile.Request, _ time.Duration) {
	w.pools = append(w.pools, request.Name)
}

func TestWhatOfAMemberWakesItsPool(t *testing.T) {
	taken := func(s *agentsv1beta1.Sandbox) {
		s.OwnerReferences[0].Kind, s.OwnerReferences[0].UID = apis.KindSandboxClaim, "claim"
		delete(s.Labels, apis.LabelWarmPoolSandbox)
	}
	otherPool := func(s *agentsv1beta1.Sandbox) {
		s.OwnerReferences[0].Name, s.OwnerReferences[0].UID = "other", "other"
	}
	unlabel := func(s *agentsv1beta1.Sandbox) { delete(s.Labels, apis.LabelWarmPoolSandbox) }
	label := func(key string) func(*agentsv1beta1.Sandbox) {
		return func(s *agentsv1beta1.Sandbox) { s.Labels[key] = "x" }
	}
	tests := map[string]struct {
		to   func(*agentsv1beta1.Sandbox)
		want []string
	}{
		"it becomes Ready": {markReady, []string{"pool"}},
		"it finishes": {func(s *agentsv1beta1.Sandbox) {
			s.Status.Conditions = []metav1.Condition{{Type: "Finished", Status: "True"}}
		}, []string{"pool"}},
		"it is going":      {terminating, []string{"pool"}},
		"a claim takes it": {taken, []string{"pool"}},
		"its owner is taken away": {func(s *agentsv1beta1.Sandbox) { s.OwnerReferences = nil },
			[]string{"pool", "pool"}},
		"another pool has it":             {otherPool, []string{"pool", "other"}},
		"its pool's label was edited":     {unlabel, []string{"pool"}},
		"its template's label was edited": {label(apis.LabelSandboxTemplateRefHash), []string{"pool"}},
		"its hash's label was edited":     {label(apis.LabelSandboxPodTemplateHash), []string{"pool"}},
		"another label was edited":        {func(s *agentsv1beta1.Sandbox) { s.Labels["x"] = "y" }, nil},
		"it has an address, and is not Ready": {func(s *agentsv1beta1.Sandbox) { s.Status.PodIPs = []string{"10.0.0.1"} },
			nil},
		"nothing": {func(*agentsv1beta1.Sandbox) {}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, testOptions, python(), poolOfThree())
			was := member("m", time.Minute)
			is := was.DeepCopy()
			tt.to(is)
			q := &recordingQueue{queue: w.queue}
			w.reconciler.memberHandler().Update(t.Context(), event.UpdateEvent{ObjectOld: was, ObjectNew: is}, q)
			if !slices.Equal(q.pools, tt.want) {
				t.Errorf("wakes %v, want %v", q.pools, tt.want)
			}
		})
	}
	w := newWorld(t, testOptions, python(), poolOfThree())
	q := &recordingQueue{queue: w.queue}
	w.reconciler.memberHandler().Create(t.Context(), event.CreateEvent{Object: member("m", time.Minute)}, q)
	w.reconciler.memberHandler().Delete(t.Context(), event.DeleteEvent{Object: member("m", time.Minute)}, q)
	stranger := member("s", time.Minute, taken)
	w.reconciler.memberHandler().Create(t.Context(), event.CreateEvent{Object: stranger}, q)
	w.reconciler.memberHandler().Delete(t.Context(), event.DeleteEvent{Object: stranger}, q)
	if want := []string{"pool", "pool"}; !slices.Equal(q.pools, want) {
		t.Errorf("what appears and goes wakes %v, want %v", q.pools, want)
	}
}

func TestTheTemplateWakesItsPoolsOnly(t *testing.T) {
	other := poolOfThree()
	other.Name, other.UID, other.Spec.TemplateRef.Name = "other", "other-uid", "other"
	elsewhere := poolOfThree()
	elsewhere.Namespace, elsewhere.UID = "elsewhere", "elsewhere-uid"
	w := newWorld(t, testOptions, python(), poolOfThree(), other, elsewhere)
	var got []client.ObjectKey
	for _, request := range w.reconciler.poolsUsingTemplate(t.Context(), python()) {
		got = append(got, request.NamespacedName)
	}
	if want := []client.ObjectKey{key("pool")}; !slices.Equal(got, want) {
		t.Errorf("wakes %v, want %v", got, want)
	}
}
