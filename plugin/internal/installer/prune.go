// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// installedSelector selects what the installer created.
const installedSelector = install.LabelPartOf + "=" + install.PartOf + "," +
	install.LabelManagedBy + "=" + apis.FieldOwnerPlugin

// ListGrants lists the roles and bindings that the installer created, in all namespaces. It skips resources that the
// user may not list.
func ListGrants(ctx context.Context, client dynamic.Interface) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, resource := range []string{"clusterrolebindings", "rolebindings", "clusterroles", "roles"} {
		list, err := client.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1",
			Resource: resource}).
			List(ctx, metav1.ListOptions{LabelSelector: installedSelector})
		if apierrors.IsForbidden(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", resource, err)
		}
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
	}
	return all, nil
}

// obsoleteGrants returns the grants that are not among the objects: those of an earlier version, or of namespaces that
// are no longer watched.
func (a *applier) obsoleteGrants(
	ctx context.Context, objects []*unstructured.Unstructured,
) ([]*unstructured.Unstructured, error) {
	have, err := ListGrants(ctx, a.dynamic)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(have, func(old *unstructured.Unstructured) bool {
		return slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool {
			return o.GetKind() == old.GetKind() && o.GetName() == old.GetName() && o.GetNamespace() == old.GetNamespace()
		})
	}), nil
}

// deleteObsolete deletes the grants and prints each.
func (a *applier) deleteObsolete(ctx context.Context, obsolete []*unstructured.Unstructured) error {
	for _, object := range obsolete {
		err := install.Resource(a.dynamic, object).Delete(ctx, object.GetName(), metav1.DeleteOptions{
			Preconditions: &metav1.Preconditions{UID: new(object.GetUID())},
		})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete %s, which is no longer needed: %w", install.ResourceName(object), err)
		}
		if _, err := printable.Fprintf(a.streams.Out, "%s deleted\n", install.ResourceName(object)); err != nil {
			return err
		}
	}
	return nil
}
