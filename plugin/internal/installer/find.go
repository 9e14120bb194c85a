// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

// Namespace is where the operator is, or would be: what the user says, else where it is found, else the default.
func Namespace(ctx context.Context, f factory.Factory, client kubernetes.Interface) (string, error) {
	namespace, explicit, err := f.Namespace()
	if err != nil || explicit {
		return namespace, err
	}
	return FindNamespace(ctx, client)
}

// FindNamespace is where the operator is, or would be by default.
func FindNamespace(ctx context.Context, client kubernetes.Interface) (string, error) {
	found, err := findNamespace(ctx, client)
	if apierrors.IsForbidden(err) || (err == nil && found == "") {
		return apis.OperatorNamespace, nil // who may not look finds it where it usually is
	}
	return found, err
}

// GetDeployment reads the operator's Deployment; nil if there is none, or it cannot be read: the client returns an empty one then.
func GetDeployment(ctx context.Context, client kubernetes.Interface, namespace string) (*appsv1.Deployment, error) {
	deployment, err := client.AppsV1().Deployments(namespace).Get(ctx, apis.OperatorName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return deployment, nil
}
