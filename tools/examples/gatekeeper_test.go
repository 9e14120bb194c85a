// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/rego"
	"sigs.k8s.io/yaml"
)

const (
	root = "../../examples/"
	// policyRows says what the policies answer. The tests of test/integration/examples ask an API server the same.
	policyRows = "../../test/integration/examples/testdata/policies.yaml"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Fatal(err)
	}
}

type object struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata"`
}

// constraintTemplate has the fields of a ConstraintTemplate that the example uses.
type constraintTemplate struct {
	object
	Spec struct {
		CRD struct {
			Spec struct {
				Names      struct{ Kind string }
				Validation struct{ OpenAPIV3Schema map[string]any }
			}
		}
		Targets []struct {
			Target string
			Code   []struct {
				Engine string
				Source struct{ Version, Rego string }
			}
		}
	}
}

// constraint has the fields of a Constraint that the example uses.
type constraint struct {
	object
	Spec struct {
		EnforcementAction string
		Match             struct {
			Kinds              []struct{ APIGroups, Kinds []string }
			ExcludedNamespaces []string
		}
		Parameters map[string]any
	}
}

type policyRow struct {
	Name, Replace, By string
	Sandbox           bool
	Says, Gatekeeper  string
}

// object returns the hardened template as the row changes it, or a Sandbox with the same Pod.
func (row *policyRow) object(t *testing.T) map[string]any {
	t.Helper()
	text := string(read(t, root+"templates/hardened.yaml"))
	if row.Replace != "" {
		if strings.Count(text, row.Replace) != 1 {
			t.Fatalf("%q is not exactly once in the hardened template", row.Replace)
		}
		text = strings.Replace(text, row.Replace, row.By, 1)
	}
	var template map[string]any
	decode(t, []byte(text), &template)
	if !row.Sandbox {
		return template
	}
	return map[string]any{"apiVersion": "agents.x-k8s.io/v1beta1", "kind": "Sandbox", "spec": map[string]any{
		"podTemplate": template["spec"].(map[string]any)["podTemplate"],
	}}
}

func TestGatekeepersRulesAcceptAndRefuseWhatTheAdmissionPolicyDoes(t *testing.T) {
	var template constraintTemplate
	decode(t, read(t, root+"policy/gatekeeper/template.yaml"), &template)
	var limits constraint
	decode(t, read(t, root+"policy/gatekeeper/constraint.yaml"), &limits)
	var rows map[string][]policyRow
	decode(t, read(t, policyRows), &rows)
	query, err := rego.New(rego.Query("data.sandboxsecurebydefault.violation"),
		rego.Module("template.rego", template.Spec.Targets[0].Code[0].Source.Rego)).PrepareForEval(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows["sandbox-secure-by-default"] {
		t.Run(row.Name, func(t *testing.T) {
			results, err := query.Eval(t.Context(), rego.EvalInput(map[string]any{
				"review": map[string]any{"object": row.object(t)}, "parameters": limits.Spec.Parameters,
			}))
			if err != nil || len(results) != 1 {
				t.Fatalf("%v, %v", results, err)
			}
			var says []string
			for _, violation := range results[0].Expressions[0].Value.([]any) {
				says = append(says, fmt.Sprint(violation.(map[string]any)["msg"]))
			}
			want := row.Gatekeeper
			if want == "" {
				want = row.Says
			}
			if want == "" && len(says) > 0 ||
				want != "" && !slices.ContainsFunc(says, func(one string) bool { return strings.HasPrefix(one, want) }) {
				t.Errorf("got %q, want %q", says, want)
			}
		})
	}
	if len(rows["sandbox-secure-by-default"]) == 0 {
		t.Error("there are no rows")
	}
}

func TestGatekeepersConstraintIsOfItsTemplate(t *testing.T) {
	var template constraintTemplate
	decode(t, read(t, root+"policy/gatekeeper/template.yaml"), &template)
	var limits constraint
	decode(t, read(t, root+"policy/gatekeeper/constraint.yaml"), &limits)
	kind := template.Spec.CRD.Spec.Names.Kind
	if template.Metadata["name"] != strings.ToLower(kind) {
		t.Errorf("the template of the kind %s is called %v, and Gatekeeper refuses that", kind, template.Metadata["name"])
	}
	if limits.Kind != kind || limits.APIVersion != "constraints.gatekeeper.sh/v1beta1" {
		t.Errorf("the constraint is a %s %s", limits.APIVersion, limits.Kind)
	}
	code := template.Spec.Targets[0]
	if code.Target != "admission.k8s.gatekeeper.sh" || code.Code[0].Engine != "Rego" ||
		code.Code[0].Source.Version != "v1" {
		t.Errorf("got %+v", code)
	}
	properties := template.Spec.CRD.Spec.Validation.OpenAPIV3Schema["properties"].(map[string]any)
	for name := range limits.Spec.Parameters {
		if properties[name] == nil {
			t.Errorf("the schema has no parameter %s", name)
		}
	}
	if len(limits.Spec.Parameters) == 0 || limits.Spec.EnforcementAction != "deny" {
		t.Errorf("got %+v", limits.Spec)
	}
}
