// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package crds_test

import (
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

// definition returns a definition with versions; those with a minus are not served.
func definition(versions ...string) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	for _, version := range versions {
		name, excluded := strings.CutPrefix(version, "-")
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: name, Served: !excluded,
		})
	}
	return crd
}

func TestWhichVersionsTheDefinitionsServe(t *testing.T) {
	type definitions = []*apiextensionsv1.CustomResourceDefinition
	both, stored := []string{"v1beta1", "v1alpha1"}, []string{"v1beta1"}
	tests := map[string]struct {
		definitions definitions
		want        []string
	}{
		"without definitions, all":      {nil, both},
		"both are served":               {definitions{definition("v1beta1", "v1alpha1")}, both},
		"one is excluded":               {definitions{definition("v1beta1", "-v1alpha1")}, stored},
		"all definitions exclude it":    {definitions{definition("v1beta1", "-v1alpha1"), definition("-v1alpha1")}, stored},
		"one definition still has it":   {definitions{definition("-v1alpha1"), definition("v1alpha1")}, both},
		"what nobody chose is served":   {definitions{definition("v1beta1")}, both},
		"the stored version is served":  {definitions{definition("-v1beta1", "v1alpha1")}, both},
		"a version of others is theirs": {definitions{definition("v2", "v1beta1", "-v1alpha1")}, stored},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := crds.Served(tt.definitions...); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestServeExcludesVersionsAndServesThemAgain(t *testing.T) {
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range all {
		count := len(crd.Spec.Versions)
		for _, versions := range [][]string{{"v1beta1"}, {"v1alpha1", "v1beta1"}} {
			crds.Serve(crd, versions)
			for _, version := range crd.Spec.Versions {
				if version.Served != slices.Contains(versions, version.Name) {
					t.Errorf("%s: with %v, served is %v for %s", crd.Name, versions, version.Served, version.Name)
				}
			}
		}
		if len(crd.Spec.Versions) != count {
			t.Errorf("%s lost a version in which objects may be stored", crd.Name)
		}
	}
}

func TestTheFirstVersionIsTheStoredOne(t *testing.T) {
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range all {
		var names []string
		for _, version := range crd.Spec.Versions {
			names = append(names, version.Name)
			if version.Storage != (version.Name == crds.Versions()[0]) {
				t.Errorf("%s: storage is %v for %s", crd.Name, version.Storage, version.Name)
			}
		}
		if !slices.Equal(names, crds.Versions()) {
			t.Errorf("%s has the versions %v", crd.Name, names)
		}
	}
}

func TestWhichVersionsMayBeServed(t *testing.T) {
	tests := map[string]struct {
		versions []string
		want     string // empty: valid
	}{
		"both":                   {[]string{"v1alpha1", "v1beta1"}, ""},
		"the stored one":         {[]string{"v1beta1"}, ""},
		"not without the stored": {[]string{"v1alpha1"}, "v1beta1 must be served"},
		"not none":               {[]string{}, "v1beta1 must be served"},
		"no unknown one":         {[]string{"v1beta1", "v1"}, `no version "v1": the versions are v1beta1 and v1alpha1`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := crds.ValidateServed(tt.versions)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
