// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package builders creates objects for tests. The caller sets what matters to the test; the builder fills in the rest
// so that an API server would accept the object.
//
// Invariants: no builder reads a clock, so an object contains only times that the test passed in; two calls with the
// same arguments return equal objects that share no memory.
package builders

import (
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// Namespace is the namespace of objects that are built without InNamespace.
const Namespace = "default"

// Image is the image of containers that are built without WithImage.
const Image = "localhost/python:test"

// Container is the name of the first container.
const Container = "main"

// Meta is an option that changes the metadata of any object.
type Meta func(metav1.Object)

func (m Meta) sandbox(s *agentsv1beta1.Sandbox)              { m(s) }
func (m Meta) claim(c *extensionsv1beta1.SandboxClaim)       { m(c) }
func (m Meta) template(t *extensionsv1beta1.SandboxTemplate) { m(t) }
func (m Meta) pool(p *extensionsv1beta1.SandboxWarmPool)     { m(p) }
func (m Meta) pod(p *corev1.Pod)                             { m(p) }
func (m Meta) volume(p *corev1.PersistentVolumeClaim)        { m(p) }
func (m Meta) service(s *corev1.Service)                     { m(s) }

// InNamespace sets the object's namespace.
func InNamespace(namespace string) Meta { return func(o metav1.Object) { o.SetNamespace(namespace) } }

// WithUID sets the object's UID, as an API server would.
func WithUID(uid types.UID) Meta { return func(o metav1.Object) { o.SetUID(uid) } }

// WithGeneration sets the object's generation.
func WithGeneration(generation int64) Meta {
	return func(o metav1.Object) { o.SetGeneration(generation) }
}

// WithResourceVersion sets the object's resource version.
func WithResourceVersion(version string) Meta {
	return func(o metav1.Object) { o.SetResourceVersion(version) }
}

// WithLabel adds a label.
func WithLabel(key, value string) Meta {
	return func(o metav1.Object) { o.SetLabels(with(o.GetLabels(), key, value)) }
}

// WithAnnotation adds an annotation.
func WithAnnotation(key, value string) Meta {
	return func(o metav1.Object) { o.SetAnnotations(with(o.GetAnnotations(), key, value)) }
}

// CreatedAt sets the creation timestamp.
func CreatedAt(at time.Time) Meta {
	return func(o metav1.Object) { o.SetCreationTimestamp(metav1.NewTime(at)) }
}

// DeletedAt sets the deletion timestamp, and adds a finalizer if the object has none.
func DeletedAt(at time.Time) Meta {
	return func(o metav1.Object) {
		deleted := metav1.NewTime(at)
		o.SetDeletionTimestamp(&deleted)
		if len(o.GetFinalizers()) == 0 {
			o.SetFinalizers([]string{"example.com/hold"})
		}
	}
}

// OwnedBy makes one of this project's objects the controller. It panics if the owner has no UID.
func OwnedBy(owner metav1.Object) Meta {
	return func(o metav1.Object) {
		o.SetOwnerReferences(append(o.GetOwnerReferences(), reference(owner)))
	}
}

func reference(owner metav1.Object) metav1.OwnerReference {
	if owner.GetUID() == "" {
		panic(fmt.Sprintf("builders: %s has no UID, so it owns nothing", owner.GetName()))
	}
	kinds := extensionsv1beta1.SchemeGroupVersion
	switch owner.(type) {
	case *agentsv1beta1.Sandbox:
		return *metav1.NewControllerRef(owner, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox))
	case *extensionsv1beta1.SandboxClaim:
		return *metav1.NewControllerRef(owner, kinds.WithKind(apis.KindSandboxClaim))
	case *extensionsv1beta1.SandboxTemplate:
		return *metav1.NewControllerRef(owner, kinds.WithKind(apis.KindSandboxTemplate))
	case *extensionsv1beta1.SandboxWarmPool:
		return *metav1.NewControllerRef(owner, kinds.WithKind(apis.KindSandboxWarmPool))
	}
	panic(fmt.Sprintf("builders: %T owns nothing in our system; set the owner reference by hand", owner))
}

// OwnedByStranger makes an object of another kind the controller.
func OwnedByStranger() Meta {
	return func(o metav1.Object) {
		yes := true
		o.SetOwnerReferences([]metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "stranger", UID: "stranger-uid", Controller: &yes,
			BlockOwnerDeletion: &yes,
		}})
	}
}

func metadata(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: Namespace}
}

func with(all map[string]string, key, value string) map[string]string {
	all = maps.Clone(all)
	if all == nil {
		all = map[string]string{}
	}
	all[key] = value
	return all
}
