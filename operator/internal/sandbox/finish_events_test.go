// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// setPodStatus changes the Pod's status as a kubelet would.
func (w *world) setPodStatus(changes ...podOption) {
	w.t.Helper()
	var pod corev1.Pod
	if err := w.store.Get(context.Background(), client.ObjectKeyFromObject(box()), &pod); err != nil {
		w.t.Fatal(err)
	}
	for _, change := range changes {
		change(&pod)
	}
	if err := w.store.Status().Update(context.Background(), &pod); err != nil {
		w.t.Fatal(err)
	}
}

// deletePod deletes the Pod as a user would. A finalizer simulates the time that its process takes to exit.
func (w *world) deletePod() {
	w.t.Helper()
	var pod corev1.Pod
	if err := w.store.Get(context.Background(), client.ObjectKeyFromObject(box()), &pod); err != nil {
		w.t.Fatal(err)
	}
	pod.Finalizers = []string{"test/process"}
	if err := w.store.Update(context.Background(), &pod); err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Delete(context.Background(), &pod); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) recordedEvents() []string {
	var all []string
	for len(w.recorder.Events) > 0 {
		all = append(all, <-w.recorder.Events)
	}
	return all
}

func TestADeletionAndAnEvictionAreNoEventsOfAnEnd(t *testing.T) {
	w := newWorld(t, box(volume("data")))
	w.settle()
	w.makePodsReady()
	w.settle()
	w.deletePod()
	w.settle()
	w.setPodStatus(exitedZero)
	w.settle()
	if said := w.recordedEvents(); len(said) > 0 {
		t.Errorf("events of a deletion: %q", said)
	}
	var pod corev1.Pod
	if err := w.store.Get(context.Background(), client.ObjectKeyFromObject(box()), &pod); err != nil {
		t.Fatal(err)
	}
	pod.Finalizers = nil
	if err := w.store.Update(context.Background(), &pod); err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.makePodsReady()
	w.settle()

	w.setPodStatus(evicted)
	w.settle()
	if got := conditionStrings(w.sandbox().Status); len(got) != 1 ||
		!strings.HasPrefix(got[0], "Ready=False/DependenciesNotReady: Pod does not exist") &&
			!strings.HasPrefix(got[0], "Ready=False/DependenciesNotReady: Pod exists with phase: Pending") {
		t.Errorf("after an eviction: %v", got)
	}
	said := w.recordedEvents()
	if len(said) != 1 || !strings.Contains(said[0], "RecreatingFailedPod") ||
		!strings.Contains(said[0], "The node was low on resource: memory.") {
		t.Errorf("events of an eviction: %q", said)
	}
	w.makePodsReady()
	w.settle()
	if got := conditionStrings(w.sandbox().Status); !slices.Equal(
		got,
		[]string{"Ready=True/DependenciesReady: Pod is Ready"},
	) {
		t.Errorf("its next Pod: %v", got)
	}
	var claim corev1.PersistentVolumeClaim
	if err := w.store.Get(
		context.Background(),
		client.ObjectKey{Namespace: "team", Name: "data-box"},
		&claim,
	); err != nil ||
		claim.DeletionTimestamp != nil {
		t.Errorf("the volume did not stay: %v", err)
	}
}

// After a conflict the status is computed again, and its events are recorded once.
func TestAnEventIsToldOnceThoughItsStatusMetAConflict(t *testing.T) {
	w := newWorld(t, box())
	w.settle()
	w.makePodsReady()
	w.settle()
	w.recordedEvents()
	w.setPodStatus(exitedZero)
	conflicts := 0
	w.intercept = func(what string, do func() error) error {
		if what == "patch Sandbox/status" && conflicts < 2 {
			conflicts++
			return apierrors.NewConflict(corev1.Resource("sandboxes"), "box", nil)
		}
		return do()
	}
	for range 4 {
		if _, err := w.pass(); err != nil {
			t.Fatal(err)
		}
	}
	if said := w.recordedEvents(); conflicts != 2 || len(said) != 1 || !strings.Contains(said[0], "Finished") {
		t.Errorf("after %d conflicts: %q", conflicts, said)
	}
}
