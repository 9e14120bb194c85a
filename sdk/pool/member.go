// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// Of returns the name of the pool that owns a Sandbox; empty if no pool does, for instance because a claim took it.
func Of(sandbox *agentsv1beta1.Sandbox) string {
	owner := metav1.GetControllerOf(sandbox)
	if owner == nil || owner.Kind != apis.KindSandboxWarmPool {
		return ""
	}
	return owner.Name
}

// WarnOfMember returns a warning for whoever enters a Sandbox that a pool owns; empty for other Sandboxes.
func WarnOfMember(sandbox *agentsv1beta1.Sandbox) string {
	owner := Of(sandbox)
	if owner == "" {
		return ""
	}
	return fmt.Sprintf("Sandbox %s is a member of pool %s that no claim has taken: whoever gets it next finds the files "+
		"and processes that you leave in it", sandbox.Name, owner)
}

// Member returns a Pod like those of the pool's members, and the volumes that each of them claims. It is the Pod of an
// up-to-date member, because limit ranges and runtime classes change Pods at admission, or else one made from the
// template. The summary must have a template.
func (c *Client) Member(
	ctx context.Context, kubernetes kubernetes.Interface, s *Summary,
) (*corev1.Pod, []corev1.PersistentVolumeClaimSpec, error) {
	var volumes []corev1.PersistentVolumeClaimSpec
	for i := range s.Template.Spec.VolumeClaimTemplates {
		volumes = append(volumes, s.Template.Spec.VolumeClaimTemplates[i].Spec)
	}
	now := c.clock.Now()
	for _, member := range s.Members {
		if Stale(s.Template, member) || VerdictOf(member, now) != diagnose.Ready {
			continue
		}
		name := member.Name
		if given := member.Annotations[apis.AnnotationPodName]; given != "" {
			name = given
		}
		pod, err := kubernetes.CoreV1().Pods(member.Namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case err == nil && metav1.IsControlledBy(pod, member):
			return pod, volumes, nil
		case err != nil && !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err):
			return nil, nil, fmt.Errorf("read Pod %s: %w", name, err)
		}
	}
	template := &s.Template.Spec.PodTemplate
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Pool.Namespace, Labels: template.ObjectMeta.Labels}, Spec: template.Spec,
	}, volumes, nil
}
