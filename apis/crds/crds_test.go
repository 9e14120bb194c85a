// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package crds_test

import (
	"regexp"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

func TestAllFourKindsAreEmbedded(t *testing.T) {
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	var names, core []string
	for _, crd := range all {
		names = append(names, crd.Name)
		if crds.IsCore(crd) {
			core = append(core, crd.Name)
		}
	}
	want := []string{apis.CRDSandboxes, apis.CRDSandboxClaims, apis.CRDSandboxTemplates, apis.CRDSandboxWarmPools}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if !slices.Equal(core, want[:1]) {
		t.Errorf("the core is %v, want Sandbox alone", core)
	}
}

func TestTheHashChangesWithTheDefinitionsAndWithNothingElse(t *testing.T) {
	type definitions = []*apiextensionsv1.CustomResourceDefinition
	spec := func(crd *apiextensionsv1.CustomResourceDefinition) map[string]apiextensionsv1.JSONSchemaProps {
		return crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties
	}
	tests := map[string]struct {
		edit    func(definitions) definitions
		changes bool
	}{
		"the same again": {func(all definitions) definitions { return all }, false},
		"another order":  {func(all definitions) definitions { slices.Reverse(all); return all }, false},
		"labels": {
			func(all definitions) definitions { all[0].Labels = map[string]string{"a": "b"}; return all }, false,
		},
		"annotations": {func(all definitions) definitions { all[0].Annotations = nil; return all }, false},
		"status": {
			func(all definitions) definitions { all[0].Status.StoredVersions = []string{"v1beta1"}; return all }, false,
		},
		"a field less": {func(all definitions) definitions { delete(spec(all[0]), "operatingMode"); return all }, true},
		"a field more": {func(all definitions) definitions {
			spec(all[3])["more"] = apiextensionsv1.JSONSchemaProps{Type: "string"}
			return all
		}, true},
		"a version not served": {
			func(all definitions) definitions { all[1].Spec.Versions[1].Served = false; return all }, true,
		},
		"a definition less": {func(all definitions) definitions { return all[1:] }, true},
		"another name":      {func(all definitions) definitions { all[2].Name = "other"; return all }, true},
	}
	was := hash(t, nil)
	if !regexp.MustCompile("^[0-9a-f]{16}$").MatchString(was) {
		t.Errorf("%q is not 16 hexadecimal digits", was)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if now := hash(t, test.edit); (now != was) != test.changes {
				t.Errorf("%s became %s", was, now)
			}
		})
	}
}

func hash(
	t *testing.T, edit func([]*apiextensionsv1.CustomResourceDefinition) []*apiextensionsv1.CustomResourceDefinition,
) string {
	t.Helper()
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	if edit != nil {
		all = edit(all)
	}
	sum, err := crds.Hash(all)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
