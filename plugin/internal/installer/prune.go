// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"context"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
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
const installedSelector = apis.LabelPartOf + "=" + install.PartOf + "," +
	apis.LabelManagedBy + "=" + apis.FieldOwnerPlugin

// ofRouters selects what the installer created for routers.
const ofRouters = installedSelector + "," + apis.LabelApp + "=" + apis.AppRouter

// grantResources are the resources of roles and bindings.
func grantResources() []schema.GroupVersionResource {
	group := rbacv1.SchemeGroupVersion
	return []schema.GroupVersionResource{
		group.WithResource("clusterrolebindings"), group.WithResource("rolebindings"), group.WithResource("clusterroles"),
		group.WithResource("roles"),
	}
}

// routerResources are the other resources of routers, in the order of their creation.
func routerResources() []schema.GroupVersionResource {
	return []schema.GroupVersionResource{
		admissionregistrationv1.SchemeGroupVersion.WithResource("validatingadmissionpolicies"),
		admissionregistrationv1.SchemeGroupVersion.WithResource("validatingadmissionpolicybindings"),
		corev1.SchemeGroupVersion.WithResource("serviceaccounts"), corev1.SchemeGroupVersion.WithResource("services"),
		networkingv1.SchemeGroupVersion.WithResource("networkpolicies"),
		policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets"),
		corev1.SchemeGroupVersion.WithResource("secrets"), appsv1.SchemeGroupVersion.WithResource("deployments"),
	}
}

// ListInstalled lists what the installer may have created in any namespace: all roles and bindings, and the other
// objects of routers. It skips resources that the user may not list.
func ListInstalled(ctx context.Context, client dynamic.Interface) ([]*unstructured.Unstructured, error) {
	grants, err := list(ctx, client, grantResources(), installedSelector)
	if err != nil {
		return nil, err
	}
	others, err := list(ctx, client, routerResources(), ofRouters)
	return append(grants, others...), err
}

func list(
	ctx context.Context, client dynamic.Interface, resources []schema.GroupVersionResource, selector string,
) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, resource := range resources {
		list, err := client.Resource(resource).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if apierrors.IsForbidden(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", resource.Resource, err)
		}
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
	}
	return all, nil
}

// obsolete returns what is installed and not among the objects: grants of an earlier version or of namespaces that are
// no longer watched, and routers that are no longer wanted.
func (a *applier) obsolete(
	ctx context.Context, objects []*unstructured.Unstructured,
) ([]*unstructured.Unstructured, error) {
	have, err := ListInstalled(ctx, a.dynamic)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(have, func(old *unstructured.Unstructured) bool {
		if !a.routersKnown && old.GetLabels()[apis.LabelApp] == apis.AppRouter {
			return true // it may be that of a router that stays
		}
		return slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool {
			return o.GetKind() == old.GetKind() && o.GetName() == old.GetName() && o.GetNamespace() == old.GetNamespace()
		})
	}), nil
}

// deleteObsolete deletes the objects and prints each.
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
