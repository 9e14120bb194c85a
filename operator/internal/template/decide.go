// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// step is what is to be done about the NetworkPolicy. The set is closed.
type step interface{ isStep() }

type (
	keep          struct{}                                               // it is as it should be
	awaitDeletion struct{}                                               // what has the name is going: its end wakes us
	create        struct{ desired *networkingv1.NetworkPolicy }          // it is missing
	patch         struct{ current, desired *networkingv1.NetworkPolicy } // it is ours and differs
	remove        struct{ current *networkingv1.NetworkPolicy }          // it is ours and not wanted
	reject        struct{ message string }                               // somebody else's has the name
)

func (keep) isStep()          {}
func (awaitDeletion) isStep() {}
func (create) isStep()        {}
func (patch) isStep()         {}
func (remove) isStep()        {}
func (reject) isStep()        {}

// decide compares the policy of the name (nil: there is none) with what the template asks for. It touches nothing.
func decide(template *extensionsv1beta1.SandboxTemplate, was *networkingv1.NetworkPolicy, routers []string) step {
	managed := template.Spec.NetworkPolicyManagement != extensionsv1beta1.NetworkPolicyManagementUnmanaged
	var whose ownership
	if was != nil {
		whose = ownershipOf(was, template)
	}
	switch {
	case !managed && (was == nil || whose != owned || was.DeletionTimestamp != nil):
		return keep{}
	case !managed:
		return remove{was}
	case was == nil:
		return create{buildPolicy(template, nil, routers)}
	case whose == foreign:
		return reject{rejectionMessage(was)}
	case whose == leftover, was.DeletionTimestamp != nil:
		return awaitDeletion{}
	}
	want := buildPolicy(template, was, routers)
	if equality.Semantic.DeepEqual(was, want) {
		return keep{}
	}
	return patch{was, want}
}

// ownership is what a NetworkPolicy of our name is to a template.
type ownership int

const (
	owned    ownership = iota // the template's, or of one that had its name: what selects its Pods selects those too
	leftover                  // a deleted template of the same name controls it: it is going
	foreign                   // somebody else's
)

// isTemplatePolicy says whether the policy says that it is a template's, and nobody controls it.
func isTemplatePolicy(policy *networkingv1.NetworkPolicy) bool {
	return policy.Annotations[apis.AnnotationTemplateUID] != "" && metav1.GetControllerOfNoCopy(policy) == nil
}

// ownershipOf looks at the controller's group and kind, not at its version: templates are served in two. Policies that a template controls
// are those of operators that let them go with it; they become ours.
func ownershipOf(policy *networkingv1.NetworkPolicy, template *extensionsv1beta1.SandboxTemplate) ownership {
	controller := metav1.GetControllerOf(policy)
	switch {
	case isTemplatePolicy(policy):
		return owned
	case controller == nil:
		return foreign
	}
	gv, err := schema.ParseGroupVersion(controller.APIVersion)
	switch {
	case err != nil, gv.Group != apis.GroupExtensions, controller.Kind != apis.KindSandboxTemplate:
		return foreign
	case controller.UID == template.UID:
		return owned
	case controller.Name == template.Name:
		return leftover
	default:
		return foreign
	}
}

// rejectionMessage says why a policy is not touched and what to do about it.
func rejectionMessage(policy *networkingv1.NetworkPolicy) string {
	whose := "does not belong to this SandboxTemplate"
	if controller := metav1.GetControllerOf(policy); controller != nil {
		whose = fmt.Sprintf("is controlled by %s %q", controller.Kind, controller.Name)
	}
	return fmt.Sprintf("NetworkPolicy %q %s and stays as it is; the Sandboxes are without their own policy: delete it, or set "+
		"networkPolicyManagement to %s", policy.Name, whose, extensionsv1beta1.NetworkPolicyManagementUnmanaged)
}
