// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
)

// relationOf returns what an object under a name that the Sandbox needs is to the Sandbox. A controller reference with
// the Sandbox's UID suffices, whatever kind it names: the index by which observe finds Pods does not compare kinds
// either.
func relationOf(object client.Object, sandbox *agentsv1beta1.Sandbox) owner.Relation {
	if metav1.IsControlledBy(object, sandbox) {
		return owner.Owned
	}
	uncontrolled := owner.Foreign
	switch {
	case isRetainedVolume(object, sandbox):
		uncontrolled = owner.Owned
	case mayAdopt(object, sandbox):
		uncontrolled = owner.Adoptable
	}
	return owner.RelationOf(object, sandbox, uncontrolled)
}

// mayAdopt reports whether the Sandbox may adopt an object without a controller: the object has the adoptable label, or
// our tracking label for this name, as after an orphaning deletion. A volume may hold somebody's data: it goes to no
// other name with the same hash, and to no member of a pool, whose name is new.
func mayAdopt(object client.Object, sandbox *agentsv1beta1.Sandbox) bool {
	if object.GetLabels()[apis.LabelAdoptable] == apis.ValueTrue {
		return true
	}
	if _, isVolume := object.(*corev1.PersistentVolumeClaim); isVolume {
		name := object.GetAnnotations()[apis.AnnotationAssignedSandboxName]
		if isPoolMember(sandbox) || (name != "" && name != sandbox.Name) {
			return false
		}
	}
	return object.GetLabels()[apis.LabelSandboxNameHash] == naming.Hash(sandbox.Name)
}

// isRetainedVolume reports whether the object is a volume of the Sandbox that outlives it: a label replaces the owner
// reference.
func isRetainedVolume(object client.Object, sandbox *agentsv1beta1.Sandbox) bool {
	_, isVolume := object.(*corev1.PersistentVolumeClaim)
	return isVolume && object.GetLabels()[apis.LabelSandboxUID] == string(sandbox.UID)
}

// isPoolMember reports whether a SandboxWarmPool controls the Sandbox.
func isPoolMember(sandbox *agentsv1beta1.Sandbox) bool {
	return owner.HasController(sandbox, apis.KindSandboxWarmPool)
}

// isClaimed reports whether a SandboxClaim controls the Sandbox.
func isClaimed(sandbox *agentsv1beta1.Sandbox) bool {
	return owner.HasController(sandbox, apis.KindSandboxClaim)
}

// adopt makes the Sandbox the controller of a child that nobody controls.
func adopt(child metav1.Object, sandbox *agentsv1beta1.Sandbox) {
	if metav1.GetControllerOfNoCopy(child) == nil {
		owner.SetController(child, sandbox)
	}
}

// refuseChild returns why the Sandbox may not use an object and what the user can do about it.
func refuseChild(kind string, object client.Object) error {
	if controller := metav1.GetControllerOfNoCopy(object); controller != nil {
		return &refusal{fmt.Sprintf("%s %q is controlled by %s %q: delete it, or give the Sandbox another name",
			kind, object.GetName(), controller.Kind, controller.Name)}
	}
	return &refusal{fmt.Sprintf("%s %q exists and does not belong to this Sandbox: delete it, give the Sandbox another "+
		"name, or let the Sandbox take it over with the label %s=%s", kind, object.GetName(),
		apis.LabelAdoptable, apis.ValueTrue)}
}

// refuseClusterIP returns why the Sandbox may not adopt a Service that it otherwise could: clusterIP is immutable.
func refuseClusterIP(service client.Object) error {
	return &refusal{fmt.Sprintf("Service %q is not headless and its clusterIP cannot change: delete it, and the Sandbox "+
		"makes its own", service.GetName())}
}
