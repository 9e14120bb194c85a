// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/arguments"
)

const (
	// SigningKeyName is the name of the Secret with the key for scoped tokens.
	SigningKeyName = "sandbox-router-signing-key"
	// SigningKeyEntry is the entry of the Secret that has the key.
	SigningKeyEntry = "signing-key"

	// localRole is the name of the Role and RoleBinding of a router that serves only its own namespace.
	localRole = apis.AppRouter + "-local"
)

// SigningKey returns the Secret of a router without the key. It is no part of what Render returns: whoever installs a
// router makes the key, once.
func SigningKey(namespace string) *unstructured.Unstructured {
	secret := &unstructured.Unstructured{}
	secret.SetAPIVersion("v1")
	secret.SetKind("Secret")
	secret.SetNamespace(namespace)
	secret.SetName(SigningKeyName)
	labels := Labels()
	labels[apis.LabelApp] = apis.AppRouter
	secret.SetLabels(labels)
	return secret
}

// IsRouter reports whether an object is the Deployment of a router.
func IsRouter(object *unstructured.Unstructured) bool {
	return object.GetKind() == "Deployment" && object.GetName() == apis.RouterDeployment
}

// renderRouters returns the objects of all routers, in the order in which they must be created. The options are
// complete.
func renderRouters(options Options) ([]*unstructured.Unstructured, error) {
	if len(options.Routers) == 0 {
		return nil, nil
	}
	all, err := renderShared(options)
	if err != nil {
		return nil, err
	}
	for _, router := range options.Routers {
		objects, err := renderRouter(options, router)
		if err != nil {
			return nil, fmt.Errorf("render the router in namespace %s: %w", router.Namespace, err)
		}
		all = append(all, objects...)
	}
	for _, object := range all {
		labels := Labels()
		labels[apis.LabelApp] = apis.AppRouter
		object.SetLabels(labels)
	}
	return all, nil
}

// renderShared returns the objects that there are once for all routers.
func renderShared(options Options) ([]*unstructured.Unstructured, error) {
	all, err := readManifest("router-reviews.yaml")
	if err != nil {
		return nil, err
	}
	var subjects []any
	for _, router := range options.Routers {
		subjects = append(subjects, map[string]any{
			"kind": "ServiceAccount", "name": apis.AppRouter, "namespace": router.Namespace,
		})
	}
	for _, object := range all {
		if object.GetKind() == "ClusterRoleBinding" {
			if err := unstructured.SetNestedSlice(object.Object, subjects, "subjects"); err != nil {
				return nil, err
			}
		}
	}
	tenants := options.tenantNamespaces()
	if len(tenants) == 0 {
		return all, nil
	}
	identity, err := readManifest("router-identity.yaml")
	if err != nil {
		return nil, err
	}
	for _, object := range identity {
		if object.GetKind() == "ValidatingAdmissionPolicyBinding" {
			if err := selectNamespaces(object, tenants); err != nil {
				return nil, err
			}
		}
	}
	return append(all, identity...), nil
}

// selectNamespaces makes a binding of an admission policy apply to the namespaces.
func selectNamespaces(binding *unstructured.Unstructured, namespaces []string) error {
	path := []string{"spec", "matchResources", "namespaceSelector", "matchExpressions"}
	expressions, _, err := unstructured.NestedSlice(binding.Object, path...)
	if err != nil {
		return err
	}
	for _, expression := range expressions {
		fields, ok := expression.(map[string]any)
		if !ok {
			return fmt.Errorf("an expression is %T", expression)
		}
		if err := unstructured.SetNestedStringSlice(fields, namespaces, "values"); err != nil {
			return err
		}
	}
	return unstructured.SetNestedSlice(binding.Object, expressions, path...)
}

// renderRouter returns the objects of one router.
func renderRouter(options Options, router Router) ([]*unstructured.Unstructured, error) {
	serves := options.WatchNamespaces
	if router.Namespace != options.Namespace {
		serves = []string{router.Namespace}
	}
	all, err := renderRole(options, router, serves)
	if err != nil {
		return nil, err
	}
	objects, err := readManifest("router.yaml")
	if err != nil {
		return nil, err
	}
	args := router.Args
	if len(serves) > 0 {
		args = append([]string{argWatchNamespaces + strings.Join(serves, ",")}, args...)
	}
	for _, object := range objects {
		object.SetNamespace(router.Namespace)
		if !IsRouter(object) {
			continue
		}
		err := customizeWorkload(object, apis.AppRouter, *router.Replicas, func(container map[string]any) error {
			container["image"] = router.Image
			if domain, given := options.Flag(arguments.ClusterDomain); given {
				container["env"] = []any{map[string]any{"name": "CLUSTER_DOMAIN", "value": domain}}
			}
			return errors.Join(appendArgs(container, args), addVariables(container, router.Env))
		})
		if err != nil {
			return nil, err
		}
	}
	return append(all, objects...), nil
}

// renderRole returns the router's ClusterRole and its binding, or a Role and a RoleBinding in each namespace that the
// router serves.
func renderRole(options Options, router Router, serves []string) ([]*unstructured.Unstructured, error) {
	objects, err := readManifest("router-role.yaml")
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		if err := customizeGrant(object, router); err != nil {
			return nil, err
		}
	}
	if len(serves) == 0 {
		return objects, nil
	}
	var all []*unstructured.Unstructured
	for _, object := range objects {
		object.SetKind(strings.TrimPrefix(object.GetKind(), "Cluster"))
		if router.Namespace != options.Namespace {
			object.SetName(localRole)
		}
		if object.GetKind() == "RoleBinding" {
			role := map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": object.GetName()}
			object.Object["roleRef"] = role
		}
		for _, namespace := range serves {
			local := object.DeepCopy()
			local.SetNamespace(namespace)
			all = append(all, local)
		}
	}
	return all, nil
}

// customizeGrant sets the subject of a binding, and removes the permission to resume from a role.
func customizeGrant(object *unstructured.Unstructured, router Router) error {
	if strings.HasSuffix(object.GetKind(), "Binding") {
		return setSubjectNamespace(object, router.Namespace)
	}
	if router.resumes() {
		return nil
	}
	rules, _, err := unstructured.NestedSlice(object.Object, "rules")
	if err != nil {
		return err
	}
	rules = slices.DeleteFunc(rules, func(rule any) bool {
		fields, _ := rule.(map[string]any)
		verbs, _, _ := unstructured.NestedStringSlice(fields, "verbs")
		return slices.Contains(verbs, "patch")
	})
	return unstructured.SetNestedSlice(object.Object, rules, "rules")
}
