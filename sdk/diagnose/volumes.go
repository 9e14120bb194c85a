// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Annotations of volumes that are created for the node of their Pod (volumeBindingMode WaitForFirstConsumer).
const (
	annotationSelectedNode = "volume.kubernetes.io/selected-node"
	annotationProvisioner  = "volume.kubernetes.io/storage-provisioner"
)

// slowProvisioning is how long a volume may take to be created, once its Pod has a node, before something is wrong.
const slowProvisioning = time.Minute

func volumeFinding(snapshot *Snapshot, volume *corev1.PersistentVolumeClaim) Finding {
	finding := Finding{Subject: "volume " + volume.Name}
	switch volume.Status.Phase {
	case corev1.ClaimBound:
		finding.State, finding.Text = Good, "is bound"
	case corev1.ClaimLost:
		finding.State, finding.Text = Bad, "has lost its PersistentVolume"
	default:
		finding.State, finding.Text = unboundState(snapshot, volume)
		if finding.State == Bad {
			finding.problem = unboundVolume
		}
		latest := latestEvent(snapshot, "PersistentVolumeClaim", volume.Name, func(e *corev1.Event) bool {
			return e.Reason == eventProvisioningFailed || e.Reason == eventFailedBinding
		})
		if latest != nil {
			finding.State, finding.problem = Bad, unboundVolume
			finding.Text = "is not bound: " + latest.Reason + ": " + oneLine(latest.Message)
			finding.Lasting = cannotBind(snapshot, volume, latest.Reason)
		}
	}
	return finding
}

// unboundState returns the state of a volume that is not bound, and what it waits for. If it waits for its first
// consumer, the cause is whatever keeps the Pod from being assigned a node, and after that the provisioner.
func unboundState(snapshot *Snapshot, volume *corev1.PersistentVolumeClaim) (State, string) {
	const text = "is not bound yet"
	pod := snapshot.Pod
	consumed := latestEvent(snapshot, "PersistentVolumeClaim", volume.Name, func(e *corev1.Event) bool {
		return e.Reason == eventWaitForFirstConsumer
	})
	switch node := volume.Annotations[annotationSelectedNode]; {
	case node == "" && (consumed != nil || pod != nil && len(pod.Spec.SchedulingGates) > 0):
		return Note, text + ": it is created when its Pod has a node"
	case node == "":
		return Wait, text
	case pod != nil && snapshot.Now.Sub(nodeChosen(pod, volume)) >= slowProvisioning:
		return Bad, fmt.Sprintf("%s: %s has not created it for node %s", text, provisionerOf(volume), node)
	default:
		return Wait, fmt.Sprintf("%s: %s creates it for node %s", text, provisionerOf(volume), node)
	}
}

// nodeChosen returns when a node was chosen for a volume: not before its Pod was created, nor after the volume was
// written last.
func nodeChosen(pod *corev1.Pod, volume *corev1.PersistentVolumeClaim) time.Time {
	latest := pod.CreationTimestamp.Time
	for i := range volume.ManagedFields {
		if at := volume.ManagedFields[i].Time; at != nil && at.After(latest) {
			latest = at.Time
		}
	}
	return latest
}

func provisionerOf(volume *corev1.PersistentVolumeClaim) string {
	if name := volume.Annotations[annotationProvisioner]; name != "" {
		return "provisioner " + name
	}
	return "its provisioner"
}

// cannotBind reports whether a volume stays unbound until somebody changes something: it has no storage class, or one
// that does not exist.
func cannotBind(snapshot *Snapshot, volume *corev1.PersistentVolumeClaim, reason string) bool {
	class := volume.Spec.StorageClassName
	if reason == eventFailedBinding {
		return class == nil || *class == ""
	}
	return class != nil && slices.Contains(snapshot.MissingStorageClasses, *class)
}
