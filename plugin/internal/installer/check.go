// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
)

// step is one object to apply, with the existing object of that name.
type step struct {
	want *unstructured.Unstructured
	have *unstructured.Unstructured // nil: it does not exist
	kept []keptField                // fields that stay as somebody else set them
}

// check finds out, without writing, whether all objects can be applied, and returns the plan. A namespace that somebody
// else created is used as it is and left out.
func (a *applier) check(ctx context.Context, objects []*unstructured.Unstructured, namespace string) ([]step, error) {
	if err := CheckPermissions(ctx, a.kubernetes, objects, "get", "create", "patch"); err != nil {
		return nil, err
	}
	if elsewhere, err := a.checkOtherNamespace(ctx, namespace); err != nil || elsewhere != nil {
		return nil, errors.Join(err, elsewhere)
	}
	if err := a.checkNamespaces(ctx, objects); err != nil {
		return nil, err
	}
	var plan []step
	var foreign []string
	for _, want := range objects {
		have, err := a.get(ctx, want)
		if err != nil {
			return nil, err
		}
		switch {
		case have != nil && isSigningKey(want):
			plan = append(plan, step{want: want, have: have})
		case have == nil || install.IsOurs(have):
			s := step{want: want, have: have}
			if !a.forceConflicts {
				if s.kept, err = dropForeignFields(want, have); err != nil {
					return nil, err
				}
			}
			plan = append(plan, s)
		case want.GetKind() == "Namespace":
			a.printNote("Namespace %s exists already and is used as it is.", want.GetName())
		default:
			foreign = append(foreign, install.ResourceName(want))
		}
	}
	if len(foreign) > 0 {
		return nil, fmt.Errorf("these objects exist and were not made by this command: %s. Nothing was changed. Delete "+
			"them, or let this command "+
			"take them over: kubectl label OBJECT %s=%s %s=%s", strings.Join(foreign, ", "),
			apis.LabelPartOf, install.PartOf, apis.LabelManagedBy, apis.FieldOwnerPlugin)
	}
	return plan, a.checkAdmission(ctx, plan)
}

// checkNamespaces returns an error if a namespace does not exist that the objects need and do not create.
func (a *applier) checkNamespaces(ctx context.Context, objects []*unstructured.Unstructured) error {
	checked := map[string]bool{"": true}
	for _, object := range objects {
		if object.GetKind() == "Namespace" {
			checked[object.GetName()] = true
		}
	}
	for _, object := range objects {
		namespace := object.GetNamespace()
		if checked[namespace] {
			continue
		}
		checked[namespace] = true
		_, err := a.kubernetes.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return fmt.Errorf("namespace %s does not exist. Nothing was changed: create it first", namespace)
		case err != nil && !apierrors.IsForbidden(err):
			return fmt.Errorf("read namespace %s: %w", namespace, err)
		}
	}
	return nil
}

// checkAdmission has the API server check in a dry run what does not depend on the namespace. A ClusterRole that
// exceeds the permissions of the user fails here, before anything is written.
func (a *applier) checkAdmission(ctx context.Context, plan []step) error {
	for _, s := range plan {
		switch s.want.GetKind() {
		case "CustomResourceDefinition", "ClusterRole", "Namespace":
			if _, err := a.applyObject(ctx, s, true); err != nil {
				return fmt.Errorf("nothing was changed: %w", err)
			}
		}
	}
	return nil
}

// checkOtherNamespace returns an error as problem if the operator is installed in another namespace: two operators
// would conflict.
func (a *applier) checkOtherNamespace(ctx context.Context, namespace string) (problem, err error) {
	found, err := findNamespace(ctx, a.kubernetes)
	if err != nil || found == "" || found == namespace {
		return nil, err
	}
	return fmt.Errorf("the operator is installed in namespace %s already: use --namespace %[1]s, or uninstall it first",
		found), nil
}

// findNamespace returns the namespace of the operator according to its ClusterRoleBinding, else its Deployment, or
// nothing.
func findNamespace(ctx context.Context, client kubernetes.Interface) (string, error) {
	binding, err := client.RbacV1().ClusterRoleBindings().Get(ctx, apis.OperatorName, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return "", err
	}
	if err == nil {
		for _, subject := range binding.Subjects {
			if subject.Name == apis.OperatorName && subject.Namespace != "" {
				return subject.Namespace, nil
			}
		}
	}
	deployments, err := client.AppsV1().Deployments(metav1.NamespaceAll).List(ctx, metav1.ListOptions{
		LabelSelector: apis.LabelApp + "=" + apis.OperatorName,
	})
	if apierrors.IsForbidden(err) {
		return "", nil // unknown is not an error
	}
	if err != nil {
		return "", err
	}
	for i := range deployments.Items {
		if deployments.Items[i].Name == apis.OperatorName {
			return deployments.Items[i].Namespace, nil
		}
	}
	return "", nil
}

// CheckPermissions checks whether the user may use the verbs on the resources of all objects. Its error lists what is
// missing.
func CheckPermissions(
	ctx context.Context, client kubernetes.Interface, objects []*unstructured.Unstructured, verbs ...string,
) error {
	var missing []string
	for _, object := range objects {
		resource := install.GroupVersionResource(object)
		for _, verb := range verbs {
			review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Verb: verb, Group: resource.Group, Resource: resource.Resource,
					Namespace: object.GetNamespace(), Name: object.GetName(),
				},
			}}
			answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			if err != nil {
				return fmt.Errorf("ask for permissions: %w", err)
			}
			if text := verb + " " + resource.GroupResource().String(); !answer.Status.Allowed &&
				!slices.Contains(missing, text) {
				missing = append(missing, text)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("you may not %s. Nothing was changed: this needs the ClusterRole cluster-admin, or one that "+
		"allows these verbs",
		strings.Join(missing, ", "))
}
