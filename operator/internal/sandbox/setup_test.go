// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestWhatOfAPodWakesItsSandbox(t *testing.T) {
	running := builders.Pod("box", builders.Ready())
	tests := map[string]struct {
		from *corev1.Pod // nil: a running Pod
		to   func(*corev1.Pod)
		want bool
	}{
		"it is no longer ready":  {to: func(p *corev1.Pod) { p.Status.Conditions = nil }, want: true},
		"it ended":               {to: func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, want: true},
		"it has other addresses": {to: func(p *corev1.Pod) { p.Status.PodIPs = nil }, want: true},
		"it is going": {
			to: func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(testNow)) }, want: true,
		},
		"its labels were edited":   {to: func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} }, want: true},
		"another one has its name": {to: func(p *corev1.Pod) { p.UID = "other" }, want: true},
		"no node takes it": {
			from: builders.Pod("box"),
			to:   func(p *corev1.Pod) { p.Status = builders.Pod("box", builders.Unschedulable("no room")).Status }, want: true,
		},
		"it got a node, which is no news": {
			from: builders.Pod("box"), to: func(p *corev1.Pod) { p.Spec.NodeName = "node-1" },
		},
		"its kubelet reports nothing new":   {to: func(p *corev1.Pod) { p.Status.StartTime = new(metav1.NewTime(testNow)) }},
		"the same once more, from a relist": {to: func(*corev1.Pod) {}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			was := running
			if tt.from != nil {
				was = tt.from
			}
			is := was.DeepCopy()
			tt.to(is)
			if got := podStatusChanged().Update(event.UpdateEvent{ObjectOld: was, ObjectNew: is}); got != tt.want {
				t.Errorf("wakes: %t", got)
			}
		})
	}
	appears := func(pod *corev1.Pod) bool { return podStatusChanged().Create(event.CreateEvent{Object: pod}) }
	if appears(builders.Pod("box")) {
		t.Error("a Pod that was just made wakes the Sandbox whose pass made it")
	}
	if !appears(running) || !appears(builders.Pod("box", builders.DeletedAt(testNow))) {
		t.Error("a Pod that the watch shows late has news")
	}
	if !podStatusChanged().Delete(event.DeleteEvent{Object: running}) {
		t.Error("a Pod's end wakes nobody")
	}
}
