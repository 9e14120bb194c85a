// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// deletePolicies deletes the NetworkPolicies of templates that were deleted with their definition: the policies have no
// owner, and the operator that would have deleted them is gone.
func (r *remover) deletePolicies(ctx context.Context) error {
	ofTemplates := metav1.ListOptions{LabelSelector: apis.LabelSandboxTemplateRefHash}
	list, err := r.kubernetes.NetworkingV1().NetworkPolicies(metav1.NamespaceAll).List(ctx, ofTemplates)
	if err != nil {
		return fmt.Errorf("list the NetworkPolicies that templates left behind: %w", err)
	}
	deleted := 0
	for i := range list.Items {
		policy := &list.Items[i]
		if !isTemplatePolicy(policy) {
			continue
		}
		options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &policy.UID}}
		err := r.kubernetes.NetworkingV1().NetworkPolicies(policy.Namespace).Delete(ctx, policy.Name, options)
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete NetworkPolicy %s in namespace %s: %w", policy.Name, policy.Namespace, err)
		}
		deleted++
	}
	if deleted > 0 {
		_, err = printable.Fprintf(r.streams.Out, "%d NetworkPolicies of templates deleted\n", deleted)
	}
	return err
}

// isTemplatePolicy reports whether the operator created the policy for a template.
func isTemplatePolicy(policy *networkingv1.NetworkPolicy) bool {
	return policy.Annotations[apis.AnnotationTemplateUID] != "" && metav1.GetControllerOf(policy) == nil
}
