// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/yaml"
)

const generated = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sandboxes.example.org}
spec:
  group: example.org
  names: {kind: Sandbox, plural: sandboxes}
  scope: Namespaced
  versions:
  - name: v1beta1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        description: a Sandbox
        type: object
        properties:
          spec:
            description: the spec
            type: object
            properties:
              podTemplate:
                description: the template
                type: object
                properties:
                  metadata:
                    description: the metadata
                    type: object
                    additionalProperties: {description: a value, type: string}
                  spec:
                    description: our words
                    type: object
                    properties:
                      containers: {description: theirs, type: array, items: {description: theirs, type: object}}
                      nodeSelector: {type: object, additionalProperties: {description: theirs, type: string}}
              special: {description: ours, type: string}
          status:
            type: object
            properties:
              conditions:
                description: our conditions
                type: array
                items:
                  description: theirs
                  type: object
                  properties: {type: {description: theirs, type: string, maxLength: 316}}
`

func finished(t *testing.T, text string) (*apiextensionsv1.CustomResourceDefinition, string) {
	t.Helper()
	file := write(t, text)
	if err := finish(file); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(raw, crd); err != nil {
		t.Fatal(err)
	}
	return crd, string(raw)
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "crd.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestDescriptionsOfCoreTypesGoAndOursStay(t *testing.T) {
	_, raw := finished(t, generated)
	if strings.Contains(raw, "theirs") {
		t.Errorf("a core type kept its description:\n%s", raw)
	}
	for _, ours := range []string{
		"a Sandbox", "the spec", "the template", "the metadata", "a value", "our words", "ours", "our conditions",
	} {
		if got := strings.Count(raw, "description: "+ours+"\n"); got != 2 {
			t.Errorf("%q is there %d times, want once in each version:\n%s", ours, got, raw)
		}
	}
}

func TestRulesOfCoreTypesStay(t *testing.T) {
	crd, _ := finished(t, generated)
	conditions := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"].Properties["conditions"]
	if got := conditions.Items.Schema.Properties["type"].MaxLength; got == nil || *got != 316 {
		t.Errorf("the rule on a condition's type is gone: %v", got)
	}
}

func TestBothVersionsAreServedWithOneSchemaAndOneIsStored(t *testing.T) {
	crd, _ := finished(t, generated)
	if len(crd.Spec.Versions) != 2 {
		t.Fatalf("got %d versions", len(crd.Spec.Versions))
	}
	beta, alpha := crd.Spec.Versions[0], crd.Spec.Versions[1]
	if beta.Name != "v1beta1" || !beta.Storage || !beta.Served || alpha.Name != "v1alpha1" || alpha.Storage ||
		!alpha.Served {
		t.Errorf("got %s (stored %t, served %t) and %s (stored %t, served %t)",
			beta.Name, beta.Storage, beta.Served, alpha.Name, alpha.Storage, alpha.Served)
	}
	if !equality.Semantic.DeepEqual(beta.Schema, alpha.Schema) ||
		!equality.Semantic.DeepEqual(beta.Subresources, alpha.Subresources) {
		t.Error("the versions differ in more than name and storage")
	}
	if crd.Spec.Conversion == nil || crd.Spec.Conversion.Strategy != apiextensionsv1.NoneConverter {
		t.Errorf("conversion is %v, want none: there is no webhook", crd.Spec.Conversion)
	}
}

func TestTheFileSaysItsLicenceAndNothingOfStatus(t *testing.T) {
	_, raw := finished(t, generated)
	if !strings.HasPrefix(
		raw, "# Copyright 2026 The kubectl-sandbox Authors.\n# SPDX-License-Identifier: Apache-2.0\n---\napiVersion:",
	) {
		t.Errorf("it begins with\n%s", raw[:120])
	}
	if strings.Contains(raw, "acceptedNames") {
		t.Error("the file carries a status, which a client that applies it would own")
	}
}

func TestTheFileHasTheLabelsOfAnInstallation(t *testing.T) {
	crd, _ := finished(t, generated)
	want := map[string]string{
		"app":                          "agent-sandbox-controller",
		"app.kubernetes.io/managed-by": "kubectl-sandbox",
		"app.kubernetes.io/part-of":    "agent-sandbox",
		"app.kubernetes.io/version":    "v0.0.0-dev",
	}
	if diff := cmp.Diff(want, crd.Labels); diff != "" {
		t.Error(diff)
	}
}

func TestFinishRefuses(t *testing.T) {
	tests := map[string]struct{ text, word string }{
		"a file that it finished already": {
			strings.Replace(generated, "  versions:\n", "  versions:\n  - {name: v1alpha1, served: true, storage: false}\n", 1),
			"want one version v1beta1",
		},
		"a version that it does not know": {
			strings.Replace(generated, "name: v1beta1", "name: v1", 1), "want one version v1beta1",
		},
		"a field that is none": {generated + "nonsense: true\n", "nonsense"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := write(t, test.text)
			err := finish(file)
			if err == nil || !strings.Contains(err.Error(), test.word) || !strings.Contains(err.Error(), file) {
				t.Errorf("got %v, want an error with the file and %q", err, test.word)
			}
		})
	}
	if err := finish(filepath.Join(t.TempDir(), "none.yaml")); err == nil {
		t.Error("a file that is not there: no error")
	}
}
