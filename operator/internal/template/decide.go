// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// step is what a reconcile does about the NetworkPolicy. The set is closed.
type step interface{ isStep() }

type (
	keep          struct{}                                               // the policy is as desired
	awaitDeletion struct{}                                               // the policy is being deleted
	create        struct{ desired *networkingv1.NetworkPolicy }          // the policy does not exist
	patch         struct{ current, desired *networkingv1.NetworkPolicy } // the template's policy differs
	remove        struct{ current *networkingv1.NetworkPolicy }          // the template does not want its policy
	reject        struct{ message string }                               // a policy of somebody else has the name
)

func (keep) isStep()          {}
func (awaitDeletion) isStep() {}
func (create) isStep()        {}
func (patch) isStep()         {}
func (remove) isStep()        {}
func (reject) isStep()        {}

// decide compares the policy of the name, which is nil if there is none, with the template. rival is the older policy
// of another template that selects the same Pods, or nil. It is a pure function.
func decide(
	template *extensionsv1beta1.SandboxTemplate, current, rival *networkingv1.NetworkPolicy, routerNamespaces []string,
) step {
	managed := template.Spec.NetworkPolicyManagement != extensionsv1beta1.NetworkPolicyManagementUnmanaged
	var relation owner.Relation
	if current != nil {
		relation = relationOf(current, template)
	}
	switch {
	case !managed && (current == nil || relation != owner.Owned || current.DeletionTimestamp != nil):
		return keep{}
	case !managed:
		return remove{current}
	case rival != nil && current != nil && relation == owner.Owned && current.DeletionTimestamp == nil:
		return remove{current} // policies add up: this one would permit to the other template's Pods what it permits
	case rival != nil:
		return reject{rivalMessage(rival)}
	case current == nil:
		return create{buildPolicy(template, nil, routerNamespaces)}
	case relation == owner.Foreign:
		return reject{rejectionMessage(current)}
	case relation == owner.Leftover, current.DeletionTimestamp != nil:
		return awaitDeletion{}
	}
	desired := buildPolicy(template, current, routerNamespaces)
	if equality.Semantic.DeepEqual(current, desired) {
		return keep{}
	}
	return patch{current, desired}
}

// isTemplatePolicy reports whether the annotation says that the policy is a template's, and nobody controls it.
func isTemplatePolicy(policy *networkingv1.NetworkPolicy) bool {
	return policy.Annotations[apis.AnnotationTemplateUID] != "" && metav1.GetControllerOfNoCopy(policy) == nil
}

// belongsToTemplate reports whether the operator created the policy for a template. Earlier versions of the operator
// made the template its controller.
func belongsToTemplate(policy *networkingv1.NetworkPolicy) bool {
	return isTemplatePolicy(policy) || owner.HasController(policy, apis.KindSandboxTemplate)
}

// isOlder reports whether a policy was created before another one, which may be nil.
func isOlder(policy, other *networkingv1.NetworkPolicy) bool {
	if other == nil || policy.CreationTimestamp.Before(&other.CreationTimestamp) {
		return true
	}
	return policy.CreationTimestamp.Equal(&other.CreationTimestamp) && policy.Name < other.Name
}

// relationOf returns what a policy of the template's name is to the template. The policy of a deleted template of that
// name is owned: it selects the Pods of both. So is one that the template controls, as earlier versions of the operator
// created them.
func relationOf(policy *networkingv1.NetworkPolicy, template *extensionsv1beta1.SandboxTemplate) owner.Relation {
	uncontrolled := owner.Foreign
	if isTemplatePolicy(policy) {
		uncontrolled = owner.Owned
	}
	return owner.RelationOf(policy, template, uncontrolled)
}

// rejectionMessage says why the operator does not touch a policy, and what to do about it.
func rejectionMessage(policy *networkingv1.NetworkPolicy) string {
	problem := "does not belong to this SandboxTemplate"
	if controller := metav1.GetControllerOf(policy); controller != nil {
		problem = fmt.Sprintf("is controlled by %s %q", controller.Kind, controller.Name)
	}
	return fmt.Sprintf(
		"NetworkPolicy %q %s and is not changed, so the Sandboxes have no policy of their own: delete it, or set "+
			"networkPolicyManagement to %s",
		policy.Name, problem, extensionsv1beta1.NetworkPolicyManagementUnmanaged,
	)
}

// rivalMessage says why the template gets no policy, and what to do about it.
func rivalMessage(rival *networkingv1.NetworkPolicy) string {
	return fmt.Sprintf(
		"NetworkPolicy %q of another SandboxTemplate selects the same Pods, because the names of both templates have the "+
			"same hash, so this template gets no policy of its own: give it another name",
		rival.Name,
	)
}
