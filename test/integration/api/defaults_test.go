// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// defaultCase is a patch, and the value that the server sets in a field of the patched object.
type defaultCase struct {
	patch string
	field string
	want  string // JSON
}

// retentionDefault is the default that Sandboxes and templates share.
var retentionDefault = struct {
	name string
	defaultCase
}{`spec.persistentVolumeClaimRetentionPolicy.whenDeleted: default "Delete"`, defaultCase{
	`spec: {persistentVolumeClaimRetentionPolicy: {}}`, "spec.persistentVolumeClaimRetentionPolicy.whenDeleted",
	`"Delete"`,
}}

// defaultsOf lists every default of a kind, keyed as rulesOf spells it.
func defaultsOf(k kind) map[string]defaultCase {
	switch k.name {
	case sandbox.name:
		return map[string]defaultCase{
			"spec.replicas: default 1":              {`{}`, "spec.replicas", `1`},
			retentionDefault.name:                   retentionDefault.defaultCase,
			`spec.shutdownPolicy: default "Retain"`: {`{}`, "spec.shutdownPolicy", `"Retain"`},
		}
	case claim.name:
		return map[string]defaultCase{
			`spec.lifecycle.shutdownPolicy: default "Retain"`: {
				`spec: {lifecycle: {ttlSecondsAfterFinished: 1}}`, "spec.lifecycle.shutdownPolicy", `"Retain"`,
			},
		}
	case template.name:
		return map[string]defaultCase{
			`spec.envVarsInjectionPolicy: default "Disallowed"`:     {`{}`, "spec.envVarsInjectionPolicy", `"Disallowed"`},
			`spec.volumeClaimTemplatesPolicy: default "Disallowed"`: {`{}`, "spec.volumeClaimTemplatesPolicy", `"Disallowed"`},
			retentionDefault.name:                             retentionDefault.defaultCase,
			`spec.networkPolicyManagement: default "Managed"`: {`{}`, "spec.networkPolicyManagement", `"Managed"`},
		}
	default:
		return map[string]defaultCase{
			"spec.replicas: default 1": {`{}`, "spec.replicas", `1`},
			`spec.updateStrategy.type: default "OnReplenish"`: {
				`spec: {updateStrategy: {}}`, "spec.updateStrategy.type", `"OnReplenish"`,
			},
		}
	}
}

func TestWhatIsLeftOutIsFilledIn(t *testing.T) {
	for _, k := range kinds {
		for rule, test := range defaultsOf(k) {
			t.Run(k.name+" "+rule, func(t *testing.T) {
				t.Parallel()
				made, err := k.client(t, server.Namespace(t)).Create(t.Context(), k.object(t, test.patch), strict())
				if err != nil {
					t.Fatal(err)
				}
				if got := fieldJSON(t, made, test.field); got != test.want {
					t.Errorf("%s is %s, want %s", test.field, got, test.want)
				}
			})
		}
	}
}

func TestWhatHasNoDefaultStaysAway(t *testing.T) {
	for k, fields := range map[*kind][]string{
		&sandbox: {"spec.operatingMode", "spec.service", "spec.shutdownTime", "spec.volumeClaimTemplates", "status"},
		// an absent warmpool means default
		&claim: {"spec.warmpool", "spec.warmPoolRef", "spec.lifecycle", "spec.env", "status"},
		&pool:  {"spec.updateStrategy", "status"},
	} {
		made, err := k.client(t, server.Namespace(t)).Create(t.Context(), k.object(t), strict())
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fields {
			if got := fieldJSON(t, made, field); got != "null" {
				t.Errorf("%s of a new %s is %s", field, k.name, got)
			}
		}
	}
}

// fieldJSON returns a field's value as JSON, or null if the field is absent.
func fieldJSON(t *testing.T, object *unstructured.Unstructured, field string) string {
	t.Helper()
	value, _, err := unstructured.NestedFieldNoCopy(object.Object, strings.Split(field, ".")...)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
