// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// ownership is what an object under a name that we need is to a Sandbox.
type ownership int

const (
	owned     ownership = iota // the Sandbox controls it, or uses it although it is to outlive it
	adoptable                  // nobody controls it, and a label says that the Sandbox may
	leftover                   // a deleted Sandbox of the same name controls it: it is going
	foreign                    // somebody else's
)

func ownershipOf(object client.Object, sandbox *agentsv1beta1.Sandbox) ownership {
	controller := metav1.GetControllerOf(object)
	switch {
	case controller == nil && inUse(object, sandbox):
		return owned
	case controller == nil && offered(object, sandbox):
		return adoptable
	case controller == nil:
		return foreign
	case controller.UID == sandbox.UID:
		return owned
	case isSandbox(controller) && controller.Name == sandbox.Name:
		return leftover
	default:
		return foreign
	}
}

// offered says whether an uncontrolled object may be taken: its owner says so, or it is ours from before an orphaning
// deletion, or outlived an earlier Sandbox of the name, and carries our tracking label with the right value. A volume may hold what
// somebody wrote: it goes to no other name of the same hash, and to no member of a pool, whose name is used for the first time.
func offered(object client.Object, sandbox *agentsv1beta1.Sandbox) bool {
	if object.GetLabels()[apis.LabelAdoptable] == apis.ValueTrue {
		return true
	}
	if _, volume := object.(*corev1.PersistentVolumeClaim); volume {
		name := object.GetAnnotations()[apis.AnnotationAssignedSandboxName]
		if controlledByKind(sandbox, apis.KindSandboxWarmPool) || (name != "" && name != sandbox.Name) {
			return false
		}
	}
	return object.GetLabels()[apis.LabelSandboxNameHash] == naming.Hash(sandbox.Name)
}

// inUse says whether a volume that is to outlive the Sandbox is the Sandbox's: a label stands for the owner reference.
func inUse(object client.Object, sandbox *agentsv1beta1.Sandbox) bool {
	_, volume := object.(*corev1.PersistentVolumeClaim)
	return volume && object.GetLabels()[apis.LabelSandboxUID] == string(sandbox.UID)
}

func isSandbox(ref *metav1.OwnerReference) bool {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	return err == nil && gv.Group == apis.GroupAgents && ref.Kind == apis.KindSandbox
}

// heldByExtensions says whether one of our claims or pools controls the Sandbox, by group and kind: members made under
// another API version count too.
func heldByExtensions(sandbox *agentsv1beta1.Sandbox) bool {
	return claimed(sandbox) || controlledByKind(sandbox, apis.KindSandboxWarmPool)
}

// claimed says whether one of our claims controls the Sandbox.
func claimed(sandbox *agentsv1beta1.Sandbox) bool {
	return controlledByKind(sandbox, apis.KindSandboxClaim)
}

func controlledByKind(sandbox *agentsv1beta1.Sandbox, kind string) bool {
	ref := metav1.GetControllerOf(sandbox)
	if ref == nil {
		return false
	}
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	return err == nil && gv.Group == apis.GroupExtensions && ref.Kind == kind
}

// refuseChild says why an object may not be taken and what to do about it.
func refuseChild(kind string, object client.Object) error {
	if controller := metav1.GetControllerOf(object); controller != nil {
		return &refusal{fmt.Sprintf("%s %q is controlled by %s %q: delete it, or give the Sandbox another name",
			kind, object.GetName(), controller.Kind, controller.Name)}
	}
	return &refusal{fmt.Sprintf("%s %q exists and does not belong to this Sandbox: delete it, give the Sandbox another name, "+
		"or let the Sandbox take it over with the label %s=%s", kind, object.GetName(), apis.LabelAdoptable, apis.ValueTrue)}
}

// controllerReference makes the Sandbox the controller of a child.
func controllerReference(sandbox *agentsv1beta1.Sandbox) metav1.OwnerReference {
	return *metav1.NewControllerRef(sandbox, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox))
}

// refuseClusterIP says why a Service that may be taken cannot be: clusterIP is immutable.
func refuseClusterIP(service client.Object) error {
	return &refusal{fmt.Sprintf("Service %q is not headless and its clusterIP cannot change: delete it, and the Sandbox makes "+
		"its own", service.GetName())}
}
