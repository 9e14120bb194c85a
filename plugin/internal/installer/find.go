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

// Namespace returns the namespace of the operator: that of the command line, else that of the installation, else the
// default.
func Namespace(ctx context.Context, f factory.Factory, client kubernetes.Interface) (string, error) {
	namespace, explicit, err := f.Namespace()
	if err != nil || explicit {
		return namespace, err
	}
	return FindNamespace(ctx, client)
}

// FindNamespace returns the namespace of the installation, or the default if there is none or it cannot be read.
func FindNamespace(ctx context.Context, client kubernetes.Interface) (string, error) {
	found, err := findNamespace(ctx, client)
	if apierrors.IsForbidden(err) || (err == nil && found == "") {
		return apis.OperatorNamespace, nil // without permission, assume the default
	}
	return found, err
}

// GetDeployment returns the operator's Deployment, or nil if it does not exist. On an error it is nil too, although the
// client returns an empty object.
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
