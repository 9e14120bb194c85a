// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// addObstacles reads the objects that may explain why the operator fails to create something, or a volume stays
// unbound.
func (o *Observer) addObstacles(ctx context.Context, t *resolve.Target, f *diagnose.Snapshot) {
	f.MissingStorageClasses = o.missingStorageClasses(ctx, f.Volumes)
	if t.Sandbox == nil {
		return
	}
	ready := diagnose.Current(t.Sandbox.Status.Conditions, apis.ConditionReady, t.Sandbox.Generation)
	if ready == nil || ready.Reason != string(apis.ReasonReconcilerError) {
		return
	}
	f.ConflictingObjects = o.conflictingObjects(ctx, t, f.Volumes)
	if quotas, err := o.kubernetes.CoreV1().ResourceQuotas(t.Namespace).List(ctx, metav1.ListOptions{}); err == nil {
		f.Quotas = quotas.Items
	}
}

// conflictingObjects returns the objects that have the names of the Sandbox's children and do not belong to it. The
// name of a Service matters only if the Sandbox wants one.
func (o *Observer) conflictingObjects(
	ctx context.Context, t *resolve.Target, volumes []corev1.PersistentVolumeClaim,
) []string {
	var all []string
	name, core := t.Sandbox.Name, o.kubernetes.CoreV1()
	if t.Pod == nil && !t.PodHidden {
		if pod, err := core.Pods(t.Namespace).Get(ctx, name, metav1.GetOptions{}); err == nil && blocksName(pod, t) {
			all = append(all, "Pod "+name)
		}
	}
	if wanted := t.Sandbox.Spec.Service; wanted != nil && *wanted {
		service, err := core.Services(t.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && blocksName(service, t) {
			all = append(all, "Service "+name)
		}
	}
	for i := range volumes {
		retained := volumes[i].Labels[apis.LabelSandboxUID] == string(t.Sandbox.UID)
		if blocksName(&volumes[i], t) && !retained {
			all = append(all, "PersistentVolumeClaim "+volumes[i].Name)
		}
	}
	return all
}

// blocksName reports whether an object keeps its name from the target's Sandbox until somebody deletes it.
func blocksName(object metav1.Object, t *resolve.Target) bool {
	return object.GetDeletionTimestamp() == nil && !metav1.IsControlledBy(object, t.Sandbox)
}

// missingStorageClasses returns the storage classes of unbound volumes that do not exist.
func (o *Observer) missingStorageClasses(ctx context.Context, volumes []corev1.PersistentVolumeClaim) []string {
	var missing []string
	for i := range volumes {
		class := volumes[i].Spec.StorageClassName
		if class == nil || *class == "" || volumes[i].Status.Phase == corev1.ClaimBound || slices.Contains(missing, *class) {
			continue
		}
		if _, err := o.kubernetes.StorageV1().StorageClasses().Get(ctx, *class, metav1.GetOptions{}); apierrors.IsNotFound(
			err,
		) {
			missing = append(missing, *class)
		}
	}
	return missing
}
