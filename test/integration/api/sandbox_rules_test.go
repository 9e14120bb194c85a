// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"maps"
)

const (
	noDots = "with spec.service true the Sandbox's name is the Service's name: at most 63 lower-case letters, digits " +
		"and hyphens, without dots"
	longPVC = "the name of a PersistentVolumeClaim (<template>-<sandbox>) is longer than 253 characters: use shorter " +
		"names"
	oneName  = "two volumeClaimTemplates have the same metadata.name"
	dnsLabel = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
)

// retentionRow returns the rule that Sandboxes and templates share.
func retentionRow() row {
	policy := func(value string) string {
		return "spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: " + value + "}}"
	}
	return row{
		rules:        []string{"spec.persistentVolumeClaimRetentionPolicy.whenDeleted: enum Delete|Retain"},
		passes:       []string{policy("Delete"), policy("Retain"), "spec: {persistentVolumeClaimRetentionPolicy: {}}"},
		refused:      []string{policy("Keep"), policy("retain"), policy(`""`)},
		messageParts: []string{"spec.persistentVolumeClaimRetentionPolicy.whenDeleted", `"Delete", "Retain"`},
	}
}

func sandboxRows() map[string]row {
	rows := map[string]row{
		"a Sandbox has a spec": {
			rules: []string{"required spec"}, passes: []string{`{}`}, refused: []string{`spec: null`},
			messageParts: []string{"spec: Required value"},
		},
		"a Sandbox has a Pod template": {
			rules:  []string{"spec: required podTemplate", "spec.podTemplate: required spec"},
			passes: []string{`{}`}, refused: []string{`spec: {podTemplate: null}`, `spec: {podTemplate: {spec: null}}`},
			messageParts: []string{"spec.podTemplate", "Required value"},
		},
		"a Pod has containers": { // a rule of the embedded type, which saves the operator a check
			passes: []string{`{}`}, refused: []string{`spec: {podTemplate: {spec: {containers: null}}}`},
			messageParts: []string{"spec.podTemplate.spec.containers: Required value"},
		},
		"a Sandbox has one Pod or none": {
			rules:        []string{"spec.replicas: minimum 0", "spec.replicas: maximum 1"},
			passes:       []string{`spec: {replicas: 0}`, `spec: {replicas: 1}`, `{}`},
			refused:      []string{`spec: {replicas: -1}`, `spec: {replicas: 2}`},
			messageParts: []string{"spec.replicas", "should be", "than or equal to"},
		},
		"replicas beyond one says the most": {
			passes: []string{`spec: {replicas: 1}`}, refused: []string{`spec: {replicas: 2}`},
			messageParts: []string{"spec.replicas", "Invalid value", "2", "less than or equal to 1"},
		},
		"replicas is a 32-bit number": {
			rules: []string{"spec.replicas: format int32"}, passes: []string{`spec: {replicas: 1}`},
			refused:      []string{`spec: {replicas: 4294967296}`, `spec: {replicas: 0.5}`, `spec: {replicas: "1"}`},
			messageParts: []string{"spec.replicas", "integer"},
		},
		"replicas can be scaled within its limits only": {
			when: onUpdate, passes: []string{`spec: {replicas: 0}`}, refused: []string{`spec: {replicas: 2}`},
			messageParts: []string{"spec.replicas", "less than or equal to 1"},
		},
		"the operating mode is one of two": {
			rules:  []string{"spec.operatingMode: enum Running|Suspended"},
			passes: []string{`spec: {operatingMode: Running}`, `spec: {operatingMode: Suspended}`},
			refused: []string{
				`spec: {operatingMode: Paused}`, `spec: {operatingMode: running}`, `spec: {operatingMode: ""}`,
			},
			messageParts: []string{"spec.operatingMode", `"Running", "Suspended"`},
		},
		"volumes go with the Sandbox or stay": retentionRow(),
		"the shutdown policy is one of two": {
			rules:        []string{"spec.shutdownPolicy: enum Delete|Retain"},
			passes:       []string{`spec: {shutdownPolicy: Delete}`, `spec: {shutdownPolicy: Retain}`},
			refused:      []string{`spec: {shutdownPolicy: DeleteForeground}`, `spec: {shutdownPolicy: ""}`},
			messageParts: []string{"spec.shutdownPolicy", `"Delete", "Retain"`},
		},
		"volumeClaimTemplates are immutable": {
			rules: []string{"spec: cel volumeClaimTemplates is immutable"}, when: onUpdate,
			before: `spec: {volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: a}}]}`,
			passes: []string{
				`spec: {replicas: 0}`, `spec: {volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: a}}]}`,
			},
			refused: []string{
				`spec: {volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: b}}]}`,
				`spec: {volumeClaimTemplates: null}`, `spec: {volumeClaimTemplates: []}`,
			},
			messageParts: []string{"spec", "volumeClaimTemplates is immutable"},
		},
		"volumeClaimTemplates cannot come later, but an empty list is none": {
			when: onUpdate, passes: []string{`spec: {volumeClaimTemplates: []}`},
			refused:      []string{`spec: {volumeClaimTemplates: [{metadata: {name: data}, spec: {}}]}`},
			messageParts: []string{"volumeClaimTemplates is immutable"},
		},
		"with a Service the name is a DNS label": {
			rules: []string{"cel " + noDots},
			passes: []string{
				`{metadata: {name: my-box-1}, spec: {service: true}}`,
				fmt.Sprintf(`{metadata: {name: %s}, spec: {service: true}}`, longName(63)),
				`{metadata: {name: my.box}, spec: {service: false}}`, `metadata: {name: my.other.box}`,
				fmt.Sprintf(`metadata: {name: %s}`, longName(154)),
			},
			refused: []string{
				`{metadata: {name: my.box}, spec: {service: true}}`,
				fmt.Sprintf(`{metadata: {name: %s}, spec: {service: true}}`, longName(64)),
			},
			messageParts: []string{noDots},
		},
		"the name of a PersistentVolumeClaim fits": {
			rules: []string{"cel " + longPVC},
			passes: []string{
				fmt.Sprintf(`{metadata: {name: %s}, spec: {volumeClaimTemplates: [{metadata: {name: data}, spec: {}}]}}`,
					longName(154)),
			},
			refused: []string{
				fmt.Sprintf(`{metadata: {name: %s}, spec: {volumeClaimTemplates: [{metadata: {name: data}, spec: {}}]}}`,
					longName(249)),
			},
			messageParts: []string{longPVC},
		},
		"a condition is there once": {
			rules: []string{"status.conditions: unique type"}, when: onStatus,
			passes:       []string{`status: {conditions: [` + condition("Ready") + `, ` + condition("Finished") + `]}`},
			refused:      []string{`status: {conditions: [` + condition("Ready") + `, ` + condition("Ready") + `]}`},
			messageParts: []string{"status.conditions[1]", "Duplicate value", "Ready"},
		},
		"replicas of the status is a 32-bit number": {
			rules: []string{"status.replicas: format int32"}, when: onStatus,
			passes: []string{`status: {replicas: 1}`}, refused: []string{`status: {replicas: 4294967296}`},
			messageParts: []string{"status.replicas", "int32"},
		},
	}
	maps.Copy(rows, volumeRows())
	maps.Copy(rows, shutdownTimeRows("spec: {shutdownTime: %s}", "spec.shutdownTime"))
	rows["a node can run a Pod of the name"] = nameRow("Sandbox")
	rows["what a Pod's spec holds can be decoded"] = decodeRow()
	rows["what a condition holds can be decoded"] = transitionRow()
	return rows
}

// volumeRows returns the rules of volumeClaimTemplates, which three kinds have.
func volumeRows() map[string]row {
	const metadata = "spec.volumeClaimTemplates[].metadata"
	volumes := func(elements string) []string { return []string{"spec: {volumeClaimTemplates: " + elements + "}"} }
	return map[string]row{
		"two volumes have two names": {
			rules:  []string{"spec.volumeClaimTemplates: cel " + oneName},
			passes: volumes(`[{metadata: {name: a}, spec: {}}, {metadata: {name: b}, spec: {}}]`),
			refused: volumes(`[{metadata: {name: a}, spec: {}}, {metadata: {name: b}, spec: {}}, {metadata: {name: a}, ` +
				`spec: {}}]`),
			messageParts: []string{"spec.volumeClaimTemplates", oneName},
		},
		"there are at most 32 volumes": {
			rules:        []string{"spec.volumeClaimTemplates: maxItems 32"},
			passes:       volumes(yamlList(32, "{metadata: {name: v%d}, spec: {}}")),
			refused:      volumes(yamlList(33, "{metadata: {name: v%d}, spec: {}}")),
			messageParts: []string{"spec.volumeClaimTemplates", "Too many: 33", "at most 32 items"},
		},
		"a volume has a name": {
			rules:        []string{metadata + ": required name", "spec.volumeClaimTemplates[]: required metadata"},
			passes:       volumes(`[{metadata: {name: a}, spec: {}}]`),
			refused:      append(volumes(`[{metadata: {}, spec: {}}]`), volumes(`[{spec: {}}]`)...),
			messageParts: []string{"spec.volumeClaimTemplates[0].metadata", "Required value"},
		},
		"a volume has a spec": {
			rules:  []string{"spec.volumeClaimTemplates[]: required spec"},
			passes: volumes(`[{metadata: {name: a}, spec: {}}]`), refused: volumes(`[{metadata: {name: a}}]`),
			messageParts: []string{"spec.volumeClaimTemplates[0].spec: Required value"},
		},
		"a volume's name is not empty": {
			rules:  []string{metadata + ".name: minLength 1"},
			passes: volumes(`[{metadata: {name: a}, spec: {}}]`), refused: volumes(`[{metadata: {name: ""}, spec: {}}]`),
			messageParts: []string{"spec.volumeClaimTemplates[0].metadata.name", "at least 1"},
		},
		"a volume's name has at most 63 characters": {
			rules:        []string{metadata + ".name: maxLength 63"},
			passes:       volumes(fmt.Sprintf(`[{metadata: {name: %s}, spec: {}}]`, longName(63))),
			refused:      volumes(fmt.Sprintf(`[{metadata: {name: %s}, spec: {}}]`, longName(64))),
			messageParts: []string{"spec.volumeClaimTemplates[0].metadata.name", "63"},
		},
		"a volume's name is a DNS label": {
			rules:  []string{metadata + ".name: pattern " + dnsLabel},
			passes: volumes(`[{metadata: {name: a-1}, spec: {}}]`),
			refused: append(append(volumes(`[{metadata: {name: A}, spec: {}}]`),
				volumes(`[{metadata: {name: a.b}, spec: {}}]`)...),
				volumes(`[{metadata: {name: a-}, spec: {}}]`)...),
			messageParts: []string{"spec.volumeClaimTemplates[0].metadata.name", "should match", dnsLabel},
		},
	}
}

func condition(kind string) string {
	return fmt.Sprintf(`{type: %s, status: "True", reason: Because, message: "", lastTransitionTime: `+
		`"2026-04-13T12:00:00Z"}`,
		kind)
}
