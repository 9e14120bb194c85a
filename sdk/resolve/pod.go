// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// PodOf returns the Pod that the Sandbox controls, or nil if there is none.
func (r *Resolver) PodOf(ctx context.Context, sandbox *agentsv1beta1.Sandbox) (*corev1.Pod, error) {
	pods, err := r.kubernetes.CoreV1().Pods(sandbox.Namespace).List(
		ctx, metav1.ListOptions{LabelSelector: PodSelector(sandbox.Name)},
	)
	if err != nil && !apierrors.IsForbidden(err) {
		return nil, fmt.Errorf("find the Pod of Sandbox %s: %w", sandbox.Name, err)
	}
	if err == nil {
		if pod := ChoosePod(sandbox, pods.Items); pod != nil {
			return pod, nil
		}
	}
	pod, hintErr := r.podByName(ctx, sandbox)
	if hintErr != nil {
		return nil, hintErr
	}
	if pod == nil && err != nil {
		return nil, fmt.Errorf("find the Pod of Sandbox %s: %w", sandbox.Name, err)
	}
	return pod, nil
}

// PodSelector selects the Pods that may belong to a Sandbox of this name. Several names can have the same hash:
// ChoosePod decides.
func PodSelector(sandbox string) string {
	return apis.LabelSandboxNameHash + "=" + naming.Hash(sandbox)
}

// podByName finds Pods that lost their label, and serves users who may get Pods but not list them.
func (r *Resolver) podByName(ctx context.Context, sandbox *agentsv1beta1.Sandbox) (*corev1.Pod, error) {
	names := []string{sandbox.Name}
	if hint := sandbox.Annotations[apis.AnnotationPodName]; hint != "" && hint != sandbox.Name {
		names = []string{hint, sandbox.Name}
	}
	for _, name := range names {
		pod, err := r.kubernetes.CoreV1().Pods(sandbox.Namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read Pod %s: %w", name, err)
		}
		if metav1.IsControlledBy(pod, sandbox) {
			return pod, nil
		}
	}
	return nil, nil
}

// ChoosePod returns the Pod that the Sandbox controls, or nil. Of several it prefers one that is not being deleted,
// then one that has not ended, then the newest.
func ChoosePod(sandbox *agentsv1beta1.Sandbox, pods []corev1.Pod) *corev1.Pod {
	var best *corev1.Pod
	for i := range pods {
		pod := &pods[i]
		if metav1.IsControlledBy(pod, sandbox) && (best == nil || better(pod, best)) {
			best = pod
		}
	}
	return best
}

func better(a, b *corev1.Pod) bool {
	if stays := a.DeletionTimestamp == nil; stays != (b.DeletionTimestamp == nil) {
		return stays
	}
	if ended := Ended(a); ended != Ended(b) {
		return !ended
	}
	return b.CreationTimestamp.Before(&a.CreationTimestamp)
}

// Ended reports whether the Pod has reached a terminal phase: nothing runs in it any more. Package ending determines
// whether its work has finished.
func Ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
