// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"maps"
)

const (
	oneRef     = "set exactly one of sandboxTemplateRef and warmPoolRef"
	poolOnce   = "warmpool goes with sandboxTemplateRef only: warmPoolRef names the pool itself"
	frozenRefs = "sandboxTemplateRef and warmPoolRef cannot change: make a new claim"
	frozenPool = "the claim has its Sandbox: warmpool cannot change any more; make a new claim"
	frozenEnv  = "the claim has its Sandbox: env cannot change any more; make a new claim"
	frozenVCTs = "the claim has its Sandbox: volumeClaimTemplates cannot change any more; make a new claim"
)

func claimRows() map[string]row {
	rows := map[string]row{
		"a claim has a spec": {
			rules: []string{"required spec"}, passes: []string{`{}`}, refused: []string{`spec: null`},
			messageParts: []string{"spec: Required value"},
		},
		"a claim names a template or a pool, not both": {
			rules:        []string{"spec: cel " + oneRef},
			passes:       []string{`{}`, `spec: {sandboxTemplateRef: null, warmPoolRef: {name: fast}}`},
			refused:      []string{`spec: {sandboxTemplateRef: null}`, `spec: {warmPoolRef: {name: fast}}`},
			messageParts: []string{"spec", oneRef},
		},
		"warmpool goes with a template": {
			rules:        []string{"spec: cel " + poolOnce},
			passes:       []string{`spec: {warmpool: none}`, `spec: {warmpool: default}`, `spec: {warmpool: fast}`},
			refused:      []string{`spec: {sandboxTemplateRef: null, warmPoolRef: {name: fast}, warmpool: default}`},
			messageParts: []string{"spec", poolOnce},
		},
		"warmpool is not empty": {
			rules: []string{"spec.warmpool: minLength 1"}, passes: []string{`spec: {warmpool: a}`},
			refused:      []string{`spec: {warmpool: ""}`},
			messageParts: []string{"spec.warmpool", "at least 1"},
		},
		"warmpool is a name that an object can have": {
			rules:        []string{"spec.warmpool: maxLength 253"},
			passes:       []string{fmt.Sprintf(`spec: {warmpool: %s}`, longName(253))},
			refused:      []string{fmt.Sprintf(`spec: {warmpool: %s}`, longName(254))},
			messageParts: []string{"spec.warmpool", "253"},
		},
		"there are at most 256 variables": {
			rules:        []string{"spec.env: maxItems 256"},
			passes:       []string{"spec: {env: " + yamlList(256, `{name: V%d, value: ""}`) + "}"},
			refused:      []string{"spec: {env: " + yamlList(257, `{name: V%d, value: ""}`) + "}"},
			messageParts: []string{"spec.env", "Too many: 257", "at most 256 items"},
		},
		"a variable has a name and a value": {
			rules:        []string{"spec.env[]: required name", "spec.env[]: required value"},
			passes:       []string{`spec: {env: [{name: A, value: b}]}`, `spec: {env: [{name: A, value: ""}]}`},
			refused:      []string{`spec: {env: [{value: b}]}`, `spec: {env: [{name: A}]}`},
			messageParts: []string{"spec.env[0].", "Required value"},
		},
		"a variable's name is not empty": {
			rules: []string{"spec.env[].name: minLength 1"}, passes: []string{`spec: {env: [{name: A, value: b}]}`},
			refused: []string{`spec: {env: [{name: "", value: b}]}`}, messageParts: []string{"spec.env[0].name", "at least 1"},
		},
		"a variable's name has a limit": {
			rules:        []string{"spec.env[].name: maxLength 1024"},
			passes:       []string{fmt.Sprintf(`spec: {env: [{name: %s, value: b}]}`, longName(1024))},
			refused:      []string{fmt.Sprintf(`spec: {env: [{name: %s, value: b}]}`, longName(1025))},
			messageParts: []string{"spec.env[0].name", "1024"},
		},
		"a variable's value has a limit": {
			rules:        []string{"spec.env[].value: maxLength 131072"},
			passes:       []string{fmt.Sprintf(`spec: {env: [{name: A, value: %s}]}`, longName(131072))},
			refused:      []string{fmt.Sprintf(`spec: {env: [{name: A, value: %s}]}`, longName(131073))},
			messageParts: []string{"spec.env[0].value", "131072"},
		},
		"a container's name has at most 63 characters": {
			rules:        []string{"spec.env[].containerName: maxLength 63"},
			passes:       []string{fmt.Sprintf(`spec: {env: [{name: A, value: b, containerName: %s}]}`, longName(63))},
			refused:      []string{fmt.Sprintf(`spec: {env: [{name: A, value: b, containerName: %s}]}`, longName(64))},
			messageParts: []string{"spec.env[0].containerName", "63"},
		},
		"the shutdown policy is one of three": {
			rules: []string{"spec.lifecycle.shutdownPolicy: enum Delete|DeleteForeground|Retain"},
			passes: []string{
				`spec: {lifecycle: {shutdownPolicy: Delete}}`, `spec: {lifecycle: {shutdownPolicy: DeleteForeground}}`,
				`spec: {lifecycle: {shutdownPolicy: Retain}}`,
			},
			refused:      []string{`spec: {lifecycle: {shutdownPolicy: Keep}}`, `spec: {lifecycle: {shutdownPolicy: ""}}`},
			messageParts: []string{"spec.lifecycle.shutdownPolicy", `"Delete", "DeleteForeground", "Retain"`},
		},
		"a time to live is not negative": {
			rules:        []string{"spec.lifecycle.ttlSecondsAfterFinished: minimum 0"},
			passes:       []string{`spec: {lifecycle: {ttlSecondsAfterFinished: 0}}`},
			refused:      []string{`spec: {lifecycle: {ttlSecondsAfterFinished: -1}}`},
			messageParts: []string{"spec.lifecycle.ttlSecondsAfterFinished", "greater than or equal to 0"},
		},
		"a time to live is a 32-bit number": {
			rules:        []string{"spec.lifecycle.ttlSecondsAfterFinished: format int32"},
			passes:       []string{`spec: {lifecycle: {ttlSecondsAfterFinished: 2147483647}}`},
			refused:      []string{`spec: {lifecycle: {ttlSecondsAfterFinished: 2147483648}}`},
			messageParts: []string{"spec.lifecycle.ttlSecondsAfterFinished", "int32"},
		},
		"a condition is there once": {
			rules: []string{"status.conditions: unique type"}, when: onStatus,
			passes:       []string{`status: {conditions: [` + condition("Ready") + `, ` + condition("Finished") + `]}`},
			refused:      []string{`status: {conditions: [` + condition("Ready") + `, ` + condition("Ready") + `]}`},
			messageParts: []string{"status.conditions[1]", "Duplicate value", "Ready"},
		},
		"the first ready time is an instant": {
			rules: []string{
				"status.firstReadyTime: format date-time", "status.firstReadyTime: pattern " + microTimePattern,
				"status.firstReadyTime: cel this is no time",
			},
			when:   onStatus,
			passes: []string{`status: {firstReadyTime: "2026-04-13T12:00:00.123456Z"}`},
			refused: []string{
				`status: {firstReadyTime: now}`, `status: {firstReadyTime: "2026-04-13T12:00:00Z"}`, `status: {firstReadyTime: []}`,
			},
			messageParts: []string{"status.firstReadyTime"},
		},
	}
	maps.Copy(rows, volumeRows())
	maps.Copy(rows, shutdownTimeRows("spec: {lifecycle: {shutdownTime: %s}}", "spec.lifecycle.shutdownTime"))
	rows["a node can run a Pod of the name"] = nameRow("SandboxClaim")
	maps.Copy(rows, refRows("sandboxTemplateRef", ""))
	maps.Copy(rows, refRows("warmPoolRef", "sandboxTemplateRef: null, "))
	return rows
}

// refRows returns the rules of a reference by name.
func refRows(field, other string) map[string]row {
	ref := func(name string) []string {
		return []string{fmt.Sprintf(`spec: {%s%s: {name: %s}}`, other, field, name)}
	}
	return map[string]row{
		field + " has a name": {
			rules: []string{"spec." + field + ": required name"}, passes: ref("python"), refused: ref("null"),
			messageParts: []string{"spec." + field + ".name: Required value"},
		},
		field + " has a name that is not empty": {
			rules: []string{"spec." + field + ".name: minLength 1"}, passes: ref("a"), refused: ref(`""`),
			messageParts: []string{"spec." + field + ".name", "at least 1"},
		},
		field + " has a name that an object can have": {
			rules: []string{"spec." + field + ".name: maxLength 253"}, passes: ref(longName(253)), refused: ref(longName(254)),
			messageParts: []string{"spec." + field + ".name", "253"},
		},
	}
}

// claimFreezeRows returns the rules that make the fields that determine the Sandbox immutable once it exists.
func claimFreezeRows() map[string]row {
	const bound = `status: {sandbox: {name: box-xyz}}`
	const before = `spec: {warmpool: none, env: [{name: A, value: b}], volumeClaimTemplates: [{metadata: {name: data}, ` +
		`spec: {}}]}`
	byPool := `spec: {warmPoolRef: {name: fast}, sandboxTemplateRef: null, warmpool: null}`
	refs := []string{`spec: {sandboxTemplateRef: {name: other}}`, byPool}
	pools := []string{`spec: {warmpool: null}`, `spec: {warmpool: default}`}
	env := []string{
		`spec: {env: [{name: A, value: c}]}`, `spec: {env: null}`, `spec: {env: [{name: A, value: b}, {name: B, value: c}]}`,
	}
	volumes := []string{
		`spec: {volumeClaimTemplates: null}`, `spec: {volumeClaimTemplates: [{metadata: {name: more}, spec: {}}]}`,
	}
	free := []string{
		`spec: {lifecycle: {ttlSecondsAfterFinished: 60}}`, `spec: {podMetadata: {labels: {a: b}}}`,
		`spec: {sandboxMetadata: {annotations: {a: b}}}`,
		`spec: {additionalPodMetadata: {labels: {a: b}}}`, `metadata: {labels: {a: b}}`, before,
	}
	return map[string]row{
		"a claim keeps its references": {
			rules: []string{"spec: cel " + frozenRefs}, when: onUpdate, before: before, passes: free, refused: refs,
			messageParts: []string{frozenRefs},
		},
		"a claim with a Sandbox keeps its references": {
			when: onUpdate, before: before, status: bound, passes: free, refused: refs, messageParts: []string{frozenRefs},
		},
		"a claim with a Sandbox keeps its policy of pools": {
			rules: []string{"cel " + frozenPool}, when: onUpdate, before: before, status: bound, passes: free, refused: pools,
			messageParts: []string{frozenPool},
		},
		"a claim by pool keeps its pool": {
			when: onUpdate, before: `spec: {warmPoolRef: {name: fast}, sandboxTemplateRef: null}`,
			passes: []string{`spec: {lifecycle: {ttlSecondsAfterFinished: 60}}`},
			refused: []string{
				`spec: {warmPoolRef: {name: slow}}`, `spec: {warmPoolRef: null, sandboxTemplateRef: {name: python}}`,
			},
			messageParts: []string{frozenRefs},
		},
		"a claim with a Sandbox keeps its variables": {
			rules: []string{"cel " + frozenEnv}, when: onUpdate, before: before, status: bound, passes: free, refused: env,
			messageParts: []string{frozenEnv},
		},
		"a claim with a Sandbox keeps its volumes": {
			rules: []string{"cel " + frozenVCTs}, when: onUpdate, before: before, status: bound, passes: free, refused: volumes,
			messageParts: []string{frozenVCTs},
		},
		"a claim without a Sandbox changes all but its references, within the other rules": {
			when: onUpdate, before: before, status: `status: {conditions: [` + condition("Ready") + `]}`,
			passes:       append(append(append([]string{}, pools...), env...), volumes...),
			refused:      []string{`spec: {sandboxTemplateRef: null, warmpool: null}`},
			messageParts: []string{oneRef},
		},
		"a claim whose Sandbox is named by nothing changes all but its references": {
			when: onUpdate, before: before, status: `status: {sandbox: {name: "", podIPs: []}}`, passes: pools,
			refused: []string{`spec: {warmPoolRef: {name: fast}}`}, messageParts: []string{oneRef},
		},
	}
}
