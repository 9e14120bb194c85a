// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
)

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get,resourceNames=sandboxes.agents.x-k8s.io

// reportVersionSkew says which CustomResourceDefinitions were installed by another version than this one: fields may be missing, or mean
// nothing yet. One without a version, or that we may not read, is not judged. It runs once, at the start.
func reportVersionSkew(
	ctx context.Context, reader client.Reader, kinds []requiredKind, version string, tell func(crd string, skewed bool), log logr.Logger,
) {
	for _, kind := range kinds {
		var crd metav1.PartialObjectMetadata
		crd.APIVersion, crd.Kind = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
		if err := reader.Get(ctx, client.ObjectKey{Name: kind.crd}, &crd); err != nil {
			log.V(1).Info("the version of a CustomResourceDefinition is not known", "crd", kind.crd, "why", err.Error())
			continue
		}
		installed := crd.Labels[install.LabelVersion]
		if installed == "" {
			continue
		}
		skewed := installed != install.VersionLabel(version)
		tell(kind.crd, skewed)
		if skewed {
			log.Info("the CustomResourceDefinition is of another version than this operator: run kubectl sandbox install",
				"crd", kind.crd, "installed", installed, "operator", version)
		}
	}
}
