// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
)

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get,resourceNames=sandboxes.agents.x-k8s.io

// reportVersionSkew logs and reports the CustomResourceDefinitions that another version of the operator installed:
// fields may be missing or have no effect. It skips definitions without a version and those that cannot be read. It
// runs once, at the start.
func reportVersionSkew(
	ctx context.Context, reader client.Reader, kinds []requiredKind, version string, report func(crd string, skewed bool),
	log logr.Logger,
) {
	for _, kind := range kinds {
		var crd metav1.PartialObjectMetadata
		crd.APIVersion, crd.Kind = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
		if err := reader.Get(ctx, client.ObjectKey{Name: kind.crd}, &crd); err != nil {
			log.V(1).Info("the version of a CustomResourceDefinition is unknown", "crd", kind.crd, "reason", err.Error())
			continue
		}
		installed := crd.Labels[apis.LabelVersion]
		if installed == "" {
			continue
		}
		skewed := installed != install.VersionLabel(version)
		report(kind.crd, skewed)
		if skewed {
			log.Info("the CustomResourceDefinition has another version than the operator: run kubectl sandbox install",
				"crd", kind.crd, "installed", installed, "operator", version)
		}
	}
}
