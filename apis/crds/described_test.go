// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package crds_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

func definitions(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTheDescriptionOfAKindNamesTheLimitOfItsName compares the descriptions, which `kubectl explain` shows, with the
// rules.
func TestTheDescriptionOfAKindNamesTheLimitOfItsName(t *testing.T) {
	limit := regexp.MustCompile(`(?:\(|\|\| )size\(self\.metadata\.name\) <= (\d+)`) // of the name alone
	for _, crd := range definitions(t) {
		for _, version := range crd.Spec.Versions {
			schema, limits := version.Schema.OpenAPIV3Schema, 0
			for _, rule := range schema.XValidations {
				for _, match := range limit.FindAllStringSubmatch(rule.Rule, -1) {
					limits++
					if !regexp.MustCompile(`\b` + match[1] + `\b`).MatchString(schema.Description) {
						t.Errorf("%s %s: the description does not say that a name has at most %s characters", crd.Name,
							version.Name, match[1])
					}
				}
			}
			if limits == 0 {
				t.Errorf("%s %s: the length of a name has no limit", crd.Name, version.Name)
			}
		}
	}
}

// TestLabelsAndAnnotationsNameTheReservedDomains checks the fields of ours in which users set labels and annotations.
func TestLabelsAndAnnotationsNameTheReservedDomains(t *testing.T) {
	found := 0
	for _, crd := range definitions(t) {
		spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		walk(spec, "spec", func(path string, s apiextensionsv1.JSONSchemaProps) {
			isMetadata := strings.HasSuffix(path, "etadata.labels") || strings.HasSuffix(path, "etadata.annotations")
			if !isMetadata || strings.Contains(path, ".spec.") {
				return // a field of a Pod's specification
			}
			found++
			if !strings.Contains(s.Description, "agents.x-k8s.io and its subdomains") &&
				!strings.Contains(s.Description, "agents.x-k8s.io and their subdomains") {
				t.Errorf("%s: %s does not name the reserved domains: %s", crd.Name, path, s.Description)
			}
		})
	}
	if found < 10 {
		t.Errorf("found only %d fields", found)
	}
}

// walk calls a function for each property below a schema, with its path.
func walk(
	s apiextensionsv1.JSONSchemaProps, path string, visit func(path string, s apiextensionsv1.JSONSchemaProps),
) {
	visit(path, s)
	for name, property := range s.Properties {
		walk(property, path+"."+name, visit)
	}
	if s.Items != nil && s.Items.Schema != nil {
		walk(*s.Items.Schema, path, visit)
	}
}

// TestADefinitionFitsTheAnnotationOfAClientSideApply holds because kubectl apply without --server-side stores the whole
// object in an annotation, and the annotations of an object have 256 KiB.
func TestADefinitionFitsTheAnnotationOfAClientSideApply(t *testing.T) {
	const limit = 256 << 10
	for _, crd := range definitions(t) {
		text, err := json.Marshal(crd)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > limit*9/10 {
			t.Errorf("%s has %d bytes of at most %d: install.md says that a client-side apply works", crd.Name, len(text), limit)
		}
	}
}
