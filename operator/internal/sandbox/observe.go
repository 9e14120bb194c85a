// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// ownerUIDIndex indexes Pods by the UID of their controller.
const ownerUIDIndex = "metadata.controllerUID"

// observed holds the children as they were when the reconcile began.
type observed struct {
	pods       []*corev1.Pod                            // controlled by the Sandbox
	unownedPod *corev1.Pod                              // has the Pod's name, but the Sandbox does not control it
	service    *corev1.Service                          // has the Sandbox's name, whoever owns it
	volumes    map[string]*corev1.PersistentVolumeClaim // by name, whoever owns them
}

func (r *Reconciler) observe(ctx context.Context, sandbox *agentsv1beta1.Sandbox) (observed, error) {
	seen := observed{volumes: map[string]*corev1.PersistentVolumeClaim{}}
	if err := r.observePods(ctx, sandbox, &seen); err != nil {
		return seen, err
	}
	for i := range seen.pods {
		pod, err := r.markEvictedByEvent(ctx, sandbox, seen.pods[i])
		if err != nil {
			return seen, err
		}
		seen.pods[i] = pod
	}
	key := client.ObjectKeyFromObject(sandbox)
	service, err := lookup.Get(ctx, r.client, key, &corev1.Service{})
	if err != nil {
		return seen, err
	}
	seen.service = service
	for i := range sandbox.Spec.VolumeClaimTemplates {
		key.Name = naming.PersistentVolumeClaim(sandbox.Spec.VolumeClaimTemplates[i].Name, sandbox.Name)
		claim, err := lookup.Get(ctx, r.client, key, &corev1.PersistentVolumeClaim{})
		if err != nil {
			return seen, err
		}
		if claim != nil {
			seen.volumes[key.Name] = claim
		}
	}
	return seen, nil
}

func (r *Reconciler) observePods(ctx context.Context, sandbox *agentsv1beta1.Sandbox, seen *observed) error {
	var list corev1.PodList
	err := r.client.List(ctx, &list,
		client.InNamespace(sandbox.Namespace), client.MatchingFields{ownerUIDIndex: string(sandbox.UID)})
	if err != nil {
		return fmt.Errorf("list Pods: %w", err)
	}
	for i := range list.Items {
		seen.pods = append(seen.pods, &list.Items[i])
	}
	if len(seen.pods) > 0 {
		return nil
	}
	reader := client.Reader(r.client)
	if r.mustConfirmAbsence(sandbox) {
		reader = r.live
	}
	key := client.ObjectKey{Namespace: sandbox.Namespace, Name: podName(sandbox)}
	pod, err := lookup.Get(ctx, reader, key, &corev1.Pod{})
	if err == nil && pod != nil && pod.Name != sandbox.Name && relationOf(pod, sandbox) == owner.Foreign {
		// The annotation names a Pod of another owner, as in a copied manifest: ignore it.
		pod, err = lookup.Get(ctx, reader, client.ObjectKeyFromObject(sandbox), &corev1.Pod{})
	}
	switch {
	case err != nil:
		return err
	case pod == nil:
	case relationOf(pod, sandbox) == owner.Owned:
		seen.pods = append(seen.pods, pod)
	default:
		seen.unownedPod = pod
	}
	return nil
}

// mustConfirmAbsence reports whether to read the Pod from the API server: before the condition Suspended becomes True.
// A Pod that was just created may not be in the cache yet, and clients rely on Suspended.
func (r *Reconciler) mustConfirmAbsence(sandbox *agentsv1beta1.Sandbox) bool {
	suspend, _ := sandbox.Spec.SuspensionRequested()
	return suspend && !apis.ConditionTrue(sandbox.Status.Conditions, apis.ConditionSuspended)
}

// podName returns the name under which to look for the Pod if no Pod is controlled by the Sandbox: the annotation's
// value, or the Sandbox's name.
func podName(sandbox *agentsv1beta1.Sandbox) string {
	if name := sandbox.Annotations[apis.AnnotationPodName]; name != "" {
		return name
	}
	return sandbox.Name
}

// controllerUID is the index function of ownerUIDIndex.
func controllerUID(object client.Object) []string {
	if ref := metav1.GetControllerOfNoCopy(object); ref != nil {
		return []string{string(ref.UID)}
	}
	return nil
}
