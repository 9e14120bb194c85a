// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package crds_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// candidates are JSON values that a schema may accept although the Go types cannot decode them.
var candidates = []string{
	`0`,
	`1`,
	`-1`,
	`1.0`,
	`1e3`,
	`1.5`,
	`2147483647`,
	`2147483648`,
	`-2147483649`,
	`9007199254740993`,
	`9223372036854775807`,
	`9223372036854775808`,
	`-9223372036854775809`,
	`1e30`,
	`1e300`,
	`1e-300`,
	`18446744073709551616`,
	`""`,
	`"1"`,
	`"1e1.5"`,
	`"1e.5"`,
	`"1E5"`,
	`"1e99"`,
	`"1e999999"`,
	`"1e99999999999999999999"`,
	`"-1e-99"`,
	`".5"`,
	`"5."`,
	`"+5Ki"`,
	`"1Ei"`,
	`"1n"`,
	`"99999999999999999999999999Ei"`,
	`"0.00000000000000000000001"`,
	`"1i"`,
	`"65536"`,
	`"http"`,
	`"5%"`,
	`"2026-04-13T12:00:00Z"`,
	`"2026-04-13t12:00:00z"`,
	`"2026-04-13 12:00:00Z"`,
	`"2026-04-13T12:00:00"`,
	`"2026-04-13T12:00:00.5Z"`,
	`"2026-04-13T12:00:00,5Z"`,
	`"2026-04-13T12:00:00+99:99"`,
	`"2026-04-13T12:00:00+24:00"`,
	`"2026-04-13T12:00:60Z"`,
	`"2026-02-30T12:00:00Z"`,
	`"2026-04-13T24:00:00Z"`,
	`"0000-01-01T00:00:00Z"`,
	`"9999-12-31T23:59:59-23:59"`,
	`"2026-04-13T12:00:00.1234567890123Z"`,
	`"2026-04-13"`,
	`"AA=="`,
	`"not base64"`,
	`"\ud800"`,
	`true`,
	`null`,
	`{}`,
	`[]`,
	`[null]`,
	`{"a": null}`,
	`[{}]`,
}

// decodable reports whether a document can be decoded into the type, encoded, and decoded again.
func decodable(into runtime.Object, document any) error {
	raw, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read %s: %w", raw, err)
	}
	again, err := json.Marshal(into)
	if err != nil {
		return fmt.Errorf("write what %s became: %w", raw, err)
	}
	if err := json.Unmarshal(again, into); err != nil {
		return fmt.Errorf("read %s, which was %s: %w", again, raw, err)
	}
	return nil
}

// leaves calls visit with each field of a schema, its path, and a function that wraps a value into a document in which
// only that field is set.
func leaves(
	s *apiextensionsv1.JSONSchemaProps, path string, wrap func(any) any,
	visit func(*apiextensionsv1.JSONSchemaProps, string, func(any) any),
) {
	visit(s, path, wrap)
	for name := range s.Properties {
		prop := s.Properties[name]
		leaves(&prop, path+"."+name, func(v any) any { return wrap(map[string]any{name: v}) }, visit)
	}
	if s.Items != nil && s.Items.Schema != nil {
		leaves(s.Items.Schema, path+"[]", func(v any) any { return wrap([]any{v}) }, visit)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		leaves(s.AdditionalProperties.Schema, path+"{}", func(v any) any { return wrap(map[string]any{"key": v}) }, visit)
	}
}

// A single object that Go cannot decode would make every list of its kind fail.
func TestWhatTheSchemaTakesTheTypesCanHold(t *testing.T) {
	t.Parallel()
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]func() runtime.Object{
		"Sandbox":         func() runtime.Object { return &agentsv1beta1.Sandbox{} },
		"SandboxClaim":    func() runtime.Object { return &extensionsv1beta1.SandboxClaim{} },
		"SandboxTemplate": func() runtime.Object { return &extensionsv1beta1.SandboxTemplate{} },
		"SandboxWarmPool": func() runtime.Object { return &extensionsv1beta1.SandboxWarmPool{} },
	}
	for _, crd := range all {
		t.Run(crd.Spec.Names.Kind, func(t *testing.T) {
			t.Parallel()
			taken := 0
			identity := func(v any) any { return v }
			leaves(
				crd.Spec.Versions[0].Schema.OpenAPIV3Schema, "", identity,
				func(s *apiextensionsv1.JSONSchemaProps, path string, wrap func(any) any) {
					if path == "" || path == ".metadata" || path == ".apiVersion" ||
						path == ".kind" { // validated by the API server itself
						return
					}
					takes := of(t, s)
					for _, text := range candidates {
						var value any
						if err := utiljson.Unmarshal([]byte(text), &value); err != nil {
							continue // not valid JSON for the API server
						}
						if !takes(value) {
							continue
						}
						taken++
						if err := decodable(types[crd.Spec.Names.Kind](), wrap(value)); err != nil {
							t.Errorf("the schema of %s takes %s: %v", path, text, err)
						}
					}
				},
			)
			if taken == 0 {
				t.Error("the schema takes none of the values: nothing was tried")
			}
		})
	}
}

// of returns a function that reports whether the API server accepts a value for a schema. It excludes lists for times:
// the schema accepts them for any string with a format, but a CEL rule rejects them, as the integration tests show.
func of(t *testing.T, s *apiextensionsv1.JSONSchemaProps) (takes func(any) bool) {
	t.Helper()
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(s, internal, nil); err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		t.Fatal(err)
	}
	return func(value any) bool {
		if _, list := value.([]any); list && s.Format == "date-time" && len(s.XValidations) > 0 {
			return false
		}
		return len(validation.ValidateCustomResource(nil, value, validator)) == 0
	}
}
