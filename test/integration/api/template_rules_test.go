// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"maps"
)

const (
	longTemplate = "a SandboxTemplate's name has at most 238 characters: its NetworkPolicy is called <name>-network-policy"
	longPool     = "a SandboxWarmPool's name has at most 57 characters: its members are called <name>-<five characters>"
)

func templateRows() map[string]row {
	policy := func(field string) row {
		return row{
			rules: []string{"spec." + field + ": enum Allowed|Overrides|Disallowed"},
			passes: []string{
				"spec: {" + field + ": Allowed}", "spec: {" + field + ": Overrides}", "spec: {" + field + ": Disallowed}",
			},
			refused:      []string{"spec: {" + field + ": Always}", "spec: {" + field + `: ""}`},
			messageParts: []string{"spec." + field, `"Allowed", "Overrides", "Disallowed"`},
		}
	}
	rows := map[string]row{
		"a template has a spec": {
			rules: []string{"required spec"}, passes: []string{`{}`}, refused: []string{`spec: null`},
			messageParts: []string{"spec: Required value"},
		},
		"a template has a Pod template": {
			rules:  []string{"spec: required podTemplate", "spec.podTemplate: required spec"},
			passes: []string{`{}`}, refused: []string{`spec: {podTemplate: null}`, `spec: {podTemplate: {spec: null}}`},
			messageParts: []string{"spec.podTemplate", "Required value"},
		},
		"injection of variables is one of three": policy("envVarsInjectionPolicy"),
		"volumes of claims are one of three":     policy("volumeClaimTemplatesPolicy"),
		"volumes go with the Sandbox or stay":    retentionRow(),
		"the network is managed or it is not": {
			rules:        []string{"spec.networkPolicyManagement: enum Managed|Unmanaged"},
			passes:       []string{`spec: {networkPolicyManagement: Managed}`, `spec: {networkPolicyManagement: Unmanaged}`},
			refused:      []string{`spec: {networkPolicyManagement: None}`, `spec: {networkPolicyManagement: ""}`},
			messageParts: []string{"spec.networkPolicyManagement", `"Managed", "Unmanaged"`},
		},
		"the name leaves room for the NetworkPolicy's": {
			rules:        []string{"cel " + longTemplate},
			passes:       []string{fmt.Sprintf(`metadata: {name: %s}`, longName(238))},
			refused:      []string{fmt.Sprintf(`metadata: {name: %s}`, longName(239))},
			messageParts: []string{longTemplate},
		},
	}
	maps.Copy(rows, volumeRows())
	return rows
}

func poolRows() map[string]row {
	number := func(field, format string) row {
		return row{
			rules: []string{field + ": format " + format}, when: onStatus,
			passes:       []string{"status: {" + field[len("status."):] + ": 7}"},
			refused:      []string{"status: {" + field[len("status."):] + ": 18446744073709551616}"},
			messageParts: []string{field, "integer"},
		}
	}
	return map[string]row{
		"a pool has a spec": {
			rules: []string{"required spec"}, passes: []string{`{}`}, refused: []string{`spec: null`},
			messageParts: []string{"spec: Required value"},
		},
		"a pool has a template": {
			rules:        []string{"spec: required sandboxTemplateRef", "spec.sandboxTemplateRef: required name"},
			passes:       []string{`{}`},
			refused:      []string{`spec: {sandboxTemplateRef: null}`, `spec: {sandboxTemplateRef: {name: null}}`},
			messageParts: []string{"spec.sandboxTemplateRef", "Required value"},
		},
		"the template's name is not empty": {
			rules: []string{"spec.sandboxTemplateRef.name: minLength 1"}, passes: []string{`{}`},
			refused:      []string{`spec: {sandboxTemplateRef: {name: ""}}`},
			messageParts: []string{"spec.sandboxTemplateRef.name", "at least 1"},
		},
		"the template's name is one that an object can have": {
			rules:        []string{"spec.sandboxTemplateRef.name: maxLength 253"},
			passes:       []string{fmt.Sprintf(`spec: {sandboxTemplateRef: {name: %s}}`, longName(253))},
			refused:      []string{fmt.Sprintf(`spec: {sandboxTemplateRef: {name: %s}}`, longName(254))},
			messageParts: []string{"spec.sandboxTemplateRef.name", "253"},
		},
		"a pool has no fewer than zero members": {
			rules:  []string{"spec.replicas: minimum 0"},
			passes: []string{`spec: {replicas: 0}`, `spec: {replicas: 1000}`}, refused: []string{`spec: {replicas: -1}`},
			messageParts: []string{"spec.replicas", "greater than or equal to 0"},
		},
		"a pool has no more members than a cluster has Pods": {
			rules: []string{"spec.replicas: maximum 150000"}, passes: []string{`spec: {replicas: 150000}`},
			refused:      []string{`spec: {replicas: 150001}`, `spec: {replicas: 2147483647}`},
			messageParts: []string{"spec.replicas", "less than or equal to 150000"},
		},
		"replicas is a 32-bit number": {
			rules: []string{"spec.replicas: format int32"}, passes: []string{`spec: {replicas: 1}`},
			refused:      []string{`spec: {replicas: 2147483648}`, `spec: {replicas: many}`},
			messageParts: []string{"spec.replicas", "int"},
		},
		"the update strategy is one of two": {
			rules:        []string{"spec.updateStrategy.type: enum Recreate|OnReplenish"},
			passes:       []string{`spec: {updateStrategy: {type: Recreate}}`, `spec: {updateStrategy: {type: OnReplenish}}`},
			refused:      []string{`spec: {updateStrategy: {type: RollingUpdate}}`, `spec: {updateStrategy: {type: ""}}`},
			messageParts: []string{"spec.updateStrategy.type", `"Recreate", "OnReplenish"`},
		},
		"the name leaves room for the members'": {
			rules:        []string{"cel " + longPool},
			passes:       []string{fmt.Sprintf(`metadata: {name: %s}`, longName(57))},
			refused:      []string{fmt.Sprintf(`metadata: {name: %s}`, longName(58))},
			messageParts: []string{longPool},
		},
		"a pool remembers at most 64 contents of its members": {
			rules: []string{"status.members.revisions: maxItems 64"}, when: onStatus,
			passes:       []string{"status: {members: {revisions: " + yamlList(64, "r%d") + "}}"},
			refused:      []string{"status: {members: {revisions: " + yamlList(65, "r%d") + "}}"},
			messageParts: []string{"status.members.revisions", "Too many: 65"},
		},
		"status.replicas is a number":           number("status.replicas", "int32"),
		"status.readyReplicas is a number":      number("status.readyReplicas", "int32"),
		"status.observedGeneration is a number": number("status.observedGeneration", "int64"),
	}
}
