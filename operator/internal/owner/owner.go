// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package owner holds the ownership rules that all reconcilers share: which object controls a child, whether a child
// may be adopted, and how a controller reference is set.
//
// Owners are compared by UID, group and kind, never by API version: the kinds are served in two versions, and an owner
// reference may name either.
package owner

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
)

// Owner is one of our kinds that control children.
type Owner interface {
	*agentsv1beta1.Sandbox |
		*extensionsv1beta1.SandboxClaim | *extensionsv1beta1.SandboxWarmPool | *extensionsv1beta1.SandboxTemplate

	client.Object
}

// Relation is what an object is to an owner that needs an object of its name.
type Relation int

// The relations. The set is closed.
const (
	// Owned means that the object is the owner's.
	Owned Relation = iota
	// Adoptable means that nobody controls the object and that the owner may take it.
	Adoptable
	// Leftover means that a deleted owner of the same kind and name controls the object: the garbage collector removes it.
	Leftover
	// Foreign means that the object is somebody else's and must not be changed.
	Foreign
)

// RelationOf returns what the object is to the owner. uncontrolled is the answer for an object without a controller:
// each kind of child has its own rule for those.
func RelationOf[T Owner](object metav1.Object, owner T, uncontrolled Relation) Relation {
	if metav1.GetControllerOfNoCopy(object) == nil {
		return uncontrolled
	}
	switch controller := ControllerOf(object, gvk(owner).Kind); {
	case controller == nil:
		return Foreign
	case controller.UID == owner.GetUID():
		return Owned
	case controller.Name == owner.GetName():
		return Leftover
	default:
		return Foreign
	}
}

// ControllerOf returns the reference to the object's controller if that is of the kind, which is one of ours; otherwise
// nil. Callers must not modify what it points to.
func ControllerOf(object metav1.Object, kind string) *metav1.OwnerReference {
	controller := metav1.GetControllerOfNoCopy(object)
	if controller == nil || controller.Kind != kind {
		return nil
	}
	gv, err := schema.ParseGroupVersion(controller.APIVersion)
	if err != nil || gv.Group != groupVersion(kind).Group {
		return nil
	}
	return controller
}

// HasController reports whether an object of the kind, which is one of ours, controls the object.
func HasController(object metav1.Object, kind string) bool { return ControllerOf(object, kind) != nil }

// SetController makes the owner the controller of a child. It replaces any other controller; owners that are not
// controllers stay.
func SetController[T Owner](child metav1.Object, owner T) {
	if metav1.IsControlledBy(child, owner) {
		return
	}
	refs := slices.DeleteFunc(slices.Clone(child.GetOwnerReferences()), func(ref metav1.OwnerReference) bool {
		return ref.Controller != nil && *ref.Controller
	})
	child.SetOwnerReferences(append(refs, *metav1.NewControllerRef(owner, gvk(owner))))
}

// RemoveReference removes the references to the owner of that UID from a child.
func RemoveReference(child metav1.Object, uid types.UID) {
	child.SetOwnerReferences(slices.DeleteFunc(child.GetOwnerReferences(), func(ref metav1.OwnerReference) bool {
		return ref.UID == uid
	}))
}

// Recheck asks the API server whether the owner still exists and is not being deleted. Call it before an owner adopts a
// child, after the child was seen without a controller. It returns a conflict if the owner is deleted or has another
// UID.
//
// A deletion with --cascade=orphan removes the owner's references from its children and then removes the owner. The
// watch of the children may show that first. An owner that adopted a child back at that moment would be deleted soon
// after, and the garbage collector would delete the child with it. Kubernetes' own controllers do the same
// (k8s.io/kubernetes/pkg/controller, RecheckDeletionTimestamp).
func Recheck[T Owner](ctx context.Context, live client.Reader, owner T) error {
	fresh, err := lookup.Get(ctx, live, client.ObjectKeyFromObject(owner), lookup.New(owner))
	switch {
	case err != nil:
		return fmt.Errorf("recheck that the owner exists: %w", err)
	case fresh == nil, fresh.GetUID() != owner.GetUID(), fresh.GetDeletionTimestamp() != nil:
		return errorclass.ErrChangedMeanwhile
	}
	return nil
}

func gvk[T Owner](owner T) schema.GroupVersionKind {
	kind := apis.KindSandbox
	switch any(owner).(type) {
	case *extensionsv1beta1.SandboxClaim:
		kind = apis.KindSandboxClaim
	case *extensionsv1beta1.SandboxWarmPool:
		kind = apis.KindSandboxWarmPool
	case *extensionsv1beta1.SandboxTemplate:
		kind = apis.KindSandboxTemplate
	}
	return groupVersion(kind).WithKind(kind)
}

func groupVersion(kind string) schema.GroupVersion {
	if kind == apis.KindSandbox {
		return agentsv1beta1.SchemeGroupVersion
	}
	return extensionsv1beta1.SchemeGroupVersion
}
