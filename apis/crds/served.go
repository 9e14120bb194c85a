// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package crds

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// storedVersion is the version that is stored, and that the operator and the tools use.
const storedVersion = apis.VersionV1beta1

// Versions returns the versions of the four kinds, the stored one first.
func Versions() []string { return []string{storedVersion, apis.VersionV1alpha1} }

// ValidateServed returns the errors in a list of versions to serve, joined.
func ValidateServed(versions []string) error {
	var all []error
	for _, version := range versions {
		if !slices.Contains(Versions(), version) {
			all = append(all, fmt.Errorf("there is no version %q: the versions are %s", version,
				strings.Join(Versions(), " and ")))
		}
	}
	if !slices.Contains(versions, storedVersion) {
		all = append(all, fmt.Errorf("%s must be served: the operator and this program use it", storedVersion))
	}
	return errors.Join(all...)
}

// Serve makes the API server serve only these versions of a definition. The definition keeps the others, because
// objects may have been stored as one of them.
func Serve(crd *apiextensionsv1.CustomResourceDefinition, versions []string) {
	for i := range crd.Spec.Versions {
		version := &crd.Spec.Versions[i]
		version.Served = slices.Contains(versions, version.Name)
	}
}

// Served returns those of our versions that the API server serves, according to its definitions. A version is left out
// only if a definition excludes it and none serves it: without any definition, all versions are returned.
func Served(definitions ...*apiextensionsv1.CustomResourceDefinition) []string {
	served, excluded := map[string]bool{}, map[string]bool{}
	for _, crd := range definitions {
		for i := range crd.Spec.Versions {
			version := &crd.Spec.Versions[i]
			served[version.Name] = served[version.Name] || version.Served
			excluded[version.Name] = excluded[version.Name] || !version.Served
		}
	}
	return slices.DeleteFunc(Versions(), func(version string) bool {
		return version != storedVersion && excluded[version] && !served[version]
	})
}
