// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// GroupVersionResource returns the resource of an object of the manifests. It is guessed from the kind: all kinds of
// the manifests have regular plurals.
func GroupVersionResource(object *unstructured.Unstructured) schema.GroupVersionResource {
	plural, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
	return plural
}

// Resource returns the client for an object of the manifests.
func Resource(client dynamic.Interface, object *unstructured.Unstructured) dynamic.ResourceInterface {
	resource := client.Resource(GroupVersionResource(object))
	if namespace := object.GetNamespace(); namespace != "" {
		return resource.Namespace(namespace)
	}
	return resource
}

// ResourceName returns the name of an object as kubectl prints it, as in "deployment.apps/agent-sandbox-controller".
func ResourceName(object *unstructured.Unstructured) string {
	_, singular := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
	return singular.GroupResource().String() + "/" + object.GetName()
}
