// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// confineToNamespaces replaces the operator's ClusterRoles and ClusterRoleBindings by a Role and a RoleBinding in each
// namespace. The ClusterRoles for users stay, because they grant nothing without a binding. So do those for secure
// metrics.
func confineToNamespaces(all []*unstructured.Unstructured, namespaces []string) ([]*unstructured.Unstructured, error) {
	if len(namespaces) == 0 {
		return all, nil
	}
	var confined []*unstructured.Unstructured
	for _, object := range all {
		local, err := namespaced(object)
		if err != nil {
			return nil, fmt.Errorf("confine %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		if local == nil {
			confined = append(confined, object)
			continue
		}
		for _, namespace := range namespaces {
			local := local.DeepCopy()
			local.SetNamespace(namespace)
			confined = append(confined, local)
		}
	}
	return confined, nil
}

// namespaced returns the Role or RoleBinding that replaces one of the operator's ClusterRoles or ClusterRoleBindings in
// a namespace. It returns nil for other objects.
func namespaced(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if name := object.GetName(); name != apis.OperatorName && name != apis.OperatorName+"-extensions" {
		return nil, nil
	}
	local := object.DeepCopy()
	switch object.GetKind() {
	case "ClusterRole":
		var role rbacv1.ClusterRole
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(local.Object, &role); err != nil {
			return nil, err
		}
		// A Role cannot grant access to cluster-scoped resources. An operator confined to namespaces does not read them.
		role.Rules = slices.DeleteFunc(role.Rules, func(r rbacv1.PolicyRule) bool {
			return slices.Contains(r.APIGroups, apiextensionsv1.GroupName) || slices.Contains(r.Resources, "nodes")
		})
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&role)
		if err != nil {
			return nil, err
		}
		local.Object["rules"] = content["rules"]
		local.SetKind("Role")
	case "ClusterRoleBinding":
		local.SetKind("RoleBinding")
		return local, unstructured.SetNestedField(local.Object, "Role", "roleRef", "kind")
	default:
		return nil, nil
	}
	return local, nil
}
