// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

// embedded are the fields with the schema of a core type, whose rules are not tested here.
var embedded = []string{
	"spec.podTemplate.spec", "spec.volumeClaimTemplates[].spec", "spec.networkPolicy.ingress[]",
	"spec.networkPolicy.egress[]",
	"status.conditions[]",
}

// storedSchema returns the kind's v1beta1 schema of the repository.
func (k kind) storedSchema(t *testing.T) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range all {
		for _, version := range crd.Spec.Versions {
			if crd.Name == k.crd && version.Name == apis.VersionV1beta1 {
				return version.Schema.OpenAPIV3Schema
			}
		}
	}
	t.Fatalf("there is no CRD %s", k.crd)
	return nil
}

// rulesOf lists every rule of a schema, each as "path: rule".
func rulesOf(schema *apiextensionsv1.JSONSchemaProps) []string {
	var rules []string
	walkSchema(schema, "", func(path string, s *apiextensionsv1.JSONSchemaProps) {
		for _, rule := range rulesAt(s) {
			rules = append(rules, strings.TrimPrefix(path+": "+rule, ": "))
		}
	})
	slices.Sort(rules)
	return rules
}

func rulesAt(s *apiextensionsv1.JSONSchemaProps) []string {
	var rules []string
	add := func(there bool, format string, args ...any) {
		if there {
			rules = append(rules, fmt.Sprintf(format, args...))
		}
	}
	add(s.Default != nil, "default %s", raw(s.Default))
	add(s.Minimum != nil, "minimum %v", ptr.Deref(s.Minimum, 0))
	add(s.Maximum != nil, "maximum %v", ptr.Deref(s.Maximum, 0))
	add(s.MultipleOf != nil, "multipleOf %v", ptr.Deref(s.MultipleOf, 0))
	add(s.MinLength != nil, "minLength %d", ptr.Deref(s.MinLength, 0))
	add(s.MaxLength != nil, "maxLength %d", ptr.Deref(s.MaxLength, 0))
	add(s.MinItems != nil, "minItems %d", ptr.Deref(s.MinItems, 0))
	add(s.MaxItems != nil, "maxItems %d", ptr.Deref(s.MaxItems, 0))
	add(s.MinProperties != nil, "minProperties %d", ptr.Deref(s.MinProperties, 0))
	add(s.MaxProperties != nil, "maxProperties %d", ptr.Deref(s.MaxProperties, 0))
	add(s.Pattern != "", "pattern %s", s.Pattern)
	add(s.Format != "", "format %s", s.Format)
	add(len(s.Enum) > 0, "enum %s", enumOf(s))
	add(s.UniqueItems || ptr.Deref(s.XListType, "") == "set", "unique items")
	add(ptr.Deref(s.XListType, "") == "map", "unique %s", strings.Join(s.XListMapKeys, ","))
	add(s.Not != nil || len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) > 0, "combines schemas")
	for _, name := range s.Required {
		add(true, "required %s", name)
	}
	for _, rule := range s.XValidations {
		add(true, "cel %s", rule.Message)
	}
	return rules
}

func raw(value *apiextensionsv1.JSON) string {
	if value == nil {
		return ""
	}
	return string(value.Raw)
}

func enumOf(s *apiextensionsv1.JSONSchemaProps) string {
	var values []string
	for _, value := range s.Enum {
		values = append(values, strings.Trim(string(value.Raw), `"`))
	}
	return strings.Join(values, "|")
}

// walkSchema visits the project's own fields. It visits neither embedded fields nor the fields below them.
func walkSchema(s *apiextensionsv1.JSONSchemaProps, path string, visit func(string, *apiextensionsv1.JSONSchemaProps)) {
	if slices.Contains(embedded, path) {
		return
	}
	visit(path, s)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		walkSchema(new(s.Properties[name]), strings.TrimPrefix(path+"."+name, "."), visit)
	}
	if s.Items != nil && s.Items.Schema != nil {
		walkSchema(s.Items.Schema, path+"[]", visit)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		walkSchema(s.AdditionalProperties.Schema, path+"{}", visit)
	}
}

// A rule that walkSchema misses would not need a row, so each kind of rule must be found.
func TestTheWalkSeesEachKindOfRule(t *testing.T) {
	text := `
properties:
  spec:
    required: [name]
    x-kubernetes-validations: [{rule: "true", message: be good}]
    properties:
      name: {type: string, minLength: 1, maxLength: 2, pattern: a+, format: date, enum: [a, b], default: a}
      number: {type: integer, minimum: 1, maximum: 2, multipleOf: 3}
      list: {type: array, minItems: 1, maxItems: 2, x-kubernetes-list-type: set, items: {type: string, maxLength: 9}}
      keyed: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type]}
      labels: {type: object, minProperties: 1, maxProperties: 2, additionalProperties: {type: string, maxLength: 63}}
      either: {oneOf: [{required: [a]}]}
      podTemplate:
        properties: {spec: {type: object, maxProperties: 1, properties: {theirs: {type: string, maxLength: 1}}}}
`
	schema := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(text), schema); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"spec.either: combines schemas", "spec.keyed: unique type",
		"spec.labels: maxProperties 2", "spec.labels: minProperties 1", "spec.labels{}: maxLength 63",
		"spec.list: maxItems 2", "spec.list: minItems 1", "spec.list: unique items", "spec.list[]: maxLength 9",
		`spec.name: default "a"`, "spec.name: enum a|b", "spec.name: format date", "spec.name: maxLength 2",
		"spec.name: minLength 1", "spec.name: pattern a+",
		"spec.number: maximum 2", "spec.number: minimum 1", "spec.number: multipleOf 3",
		"spec: cel be good", "spec: required name",
	}
	if got := rulesOf(schema); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
