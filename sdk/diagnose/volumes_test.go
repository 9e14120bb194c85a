// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// unscheduled returns a Pod that no node was looked for yet.
func unscheduled(age time.Duration, gates ...corev1.PodSchedulingGate) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "dev", CreationTimestamp: metav1.NewTime(now.Add(-age))},
		Spec:       corev1.PodSpec{SchedulingGates: gates}, Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
}

func TestAVolumeThatWaitsForItsPodIsNotTheCauseItself(t *testing.T) {
	awaitsPod := warning("PersistentVolumeClaim", "data-dev", "WaitForFirstConsumer", "waiting for first consumer")
	chosen := unbound()
	chosen[0].Annotations = map[string]string{
		"volume.kubernetes.io/selected-node":       "n1",
		"volume.kubernetes.io/storage-provisioner": "disks.example.com",
	}
	tenSecondsAgo := metav1.NewTime(now.Add(-10 * time.Second))
	justChosen := unbound()
	justChosen[0].Annotations = chosen[0].Annotations
	justChosen[0].ManagedFields = []metav1.ManagedFieldsEntry{
		{Manager: "kube-scheduler", Time: &tenSecondsAgo}, {Manager: "x"},
	}
	noProvisioner := unbound()
	noProvisioner[0].Annotations = map[string]string{"volume.kubernetes.io/selected-node": "n1"}
	tests := map[string]struct {
		snapshot diagnose.Snapshot
		verdict  diagnose.Verdict
		obstacle string
		next     string
	}{
		"before its Pod has a node, that is what is waited for": {
			diagnose.Snapshot{Volumes: unbound(), Events: awaitsPod, Pod: unscheduled(time.Hour)}, diagnose.Starting,
			"Pod dev: has no node yet", "wait for it",
		},
		"a gate of its Pod is the cause": {
			diagnose.Snapshot{Volumes: unbound(), Pod: unscheduled(time.Hour, corev1.PodSchedulingGate{Name: "kueue"})},
			diagnose.Starting, "kueue", "whoever set the gates decides",
		},
		"that no node takes its Pod is the cause": {
			diagnose.Snapshot{Volumes: unbound(), Events: awaitsPod, Pod: unschedulable()}, diagnose.Blocked,
			"Insufficient cpu", "add a node that fits",
		},
		"its provisioner has a minute": {
			diagnose.Snapshot{Volumes: chosen, Events: awaitsPod, Pod: unscheduled(59 * time.Second)}, diagnose.Starting,
			"volume data-dev: is not bound yet: provisioner disks.example.com creates it for node n1", "wait for it",
		},
		"from when a node was chosen, however old its Pod is": {
			diagnose.Snapshot{Volumes: justChosen, Pod: unscheduled(time.Hour)}, diagnose.Starting,
			"creates it for node n1", "wait for it",
		},
		"after that it is the cause": {
			diagnose.Snapshot{Volumes: chosen, Events: awaitsPod, Pod: unscheduled(time.Minute)}, diagnose.Blocked,
			"volume data-dev: is not bound yet: provisioner disks.example.com has not created it for node n1",
			"working provisioner",
		},
		"a provisioner may be unknown": {
			diagnose.Snapshot{Volumes: noProvisioner, Pod: unscheduled(time.Minute)}, diagnose.Blocked,
			"volume data-dev: is not bound yet: its provisioner has not created it for node n1", "working provisioner",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.snapshot.Now, tt.snapshot.Sandbox = now, sandbox(notReady)
			d := diagnose.Of(tt.snapshot)
			if d.Verdict != tt.verdict || !strings.Contains(d.Obstacle, tt.obstacle) || d.Lasting ||
				!strings.Contains(d.Next[0].Text, tt.next) {
				t.Errorf("got %s, %q, lasting %v, next %q", d.Verdict, d.Obstacle, d.Lasting, d.Next[0].Text)
			}
		})
	}
}
