// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fakecluster provides clientsets that hold given objects, for tests of the SDK and the plugin.
package fakecluster

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned/fake"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// Cluster is a pair of clientsets.
type Cluster struct {
	Sandboxes  *fake.Clientset
	Kubernetes *kubefake.Clientset
}

// New returns a cluster that holds the objects.
func New(objects ...runtime.Object) *Cluster {
	var core []runtime.Object
	c := &Cluster{Sandboxes: fake.NewSimpleClientset()}
	for _, object := range objects {
		switch o := object.(type) {
		case *agentsv1beta1.Sandbox:
			c.add(agentsv1beta1.SchemeGroupVersion.WithResource(apis.ResourceSandboxes), o)
		case *extensionsv1beta1.SandboxClaim:
			c.add(extensionsv1beta1.SchemeGroupVersion.WithResource(apis.ResourceClaims), o)
		case *extensionsv1beta1.SandboxTemplate:
			c.add(extensionsv1beta1.SchemeGroupVersion.WithResource(apis.ResourceTemplates), o)
		case *extensionsv1beta1.SandboxWarmPool:
			c.add(extensionsv1beta1.SchemeGroupVersion.WithResource(apis.ResourceWarmPools), o)
		default:
			core = append(core, object)
		}
	}
	c.Kubernetes = kubefake.NewClientset(core...)
	return c
}

// add names the resource explicitly: the tracker's own Add guesses a plural that Sandboxes do not have.
func (c *Cluster) add(resource schema.GroupVersionResource, object runtime.Object) {
	accessor, err := meta.Accessor(object)
	if err == nil {
		err = c.Sandboxes.Tracker().Create(resource, object, accessor.GetNamespace())
	}
	if err != nil {
		panic(fmt.Sprintf("a test's object cannot be added: %v", err))
	}
}

// Refuse makes requests of a verb and resource ("get pods", or "* sandboxes") fail with an error.
func (c *Cluster) Refuse(verb, resource string, err error) *Cluster {
	react := func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, err }
	c.Sandboxes.PrependReactor(verb, resource, react)
	c.Kubernetes.PrependReactor(verb, resource, react)
	return c
}

// NotServed returns an API server's error about an unknown kind.
func NotServed() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Code: 404, Reason: metav1.StatusReasonNotFound, Message: "the server could not find the requested resource",
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: metav1.CauseTypeUnexpectedServerResponse}}},
	}}
}

// Forbidden returns an API server's error about a request that RBAC does not allow.
func Forbidden(verb, resource, group string) error {
	return apierrors.NewForbidden(schema.GroupResource{Group: group, Resource: resource}, "",
		fmt.Errorf("User %q cannot %s resource %q in API group %q in the namespace %q", "jane", verb, resource, group, "ns"))
}
