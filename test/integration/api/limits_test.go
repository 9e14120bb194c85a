// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import "fmt"

const (
	secondsPattern   = `^([1-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}`
	zonePattern      = `(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`
	datePattern      = secondsPattern + `(\.[0-9]{1,9})?` + zonePattern
	microTimePattern = secondsPattern + `\.[0-9]{6}` + zonePattern
	epoch            = "shutdownTime is not between the years 1970 and 9998"
)

// shutdownTimeRows returns the rules of a shutdownTime. in is an object with %s in the place of the time.
func shutdownTimeRows(in, path string) map[string]row {
	at := func(times ...string) []string {
		var all []string
		for _, time := range times {
			all = append(all, fmt.Sprintf(in, time))
		}
		return all
	}
	return map[string]row{
		"the shutdown time is an instant": {
			rules:   []string{path + ": format date-time"},
			passes:  at(`"2026-04-13T12:00:00Z"`, `"2026-04-13T12:00:00+02:00"`, `"2026-04-13T12:00:00.5Z"`),
			refused: at(`tomorrow`, `"2026-04-13"`, `1h`, `""`), messageParts: []string{path, "date-time"},
		},
		"the shutdown time is one that Go can decode": {
			rules:  []string{path + ": pattern " + datePattern},
			passes: at(`"2026-04-13T12:00:00Z"`),
			refused: at(`"2026-04-13t12:00:00z"`, `"2026-04-13T12:00:00"`, `"2026-04-13 12:00:00Z"`,
				`"2026-04-13T12:00:00+99:99"`, `[]`),
			messageParts: []string{path},
		},
		"the shutdown time is no zero value": {
			rules:        []string{path + ": cel " + epoch},
			passes:       at(`"1970-01-01T00:00:00Z"`, `"9998-12-31T23:59:59Z"`),
			refused:      at(`"0001-01-01T00:00:00Z"`, `"1969-12-31T23:59:59Z"`, `"9999-01-01T00:00:00Z"`),
			messageParts: []string{path, epoch},
		},
	}
}

// nameRow returns the rule for the name of a kind whose Pod has the same name.
func nameRow(kind string) row {
	message := "a " + kind + "'s name has at most 154 characters: a node keeps a Pod's logs in a directory that is " +
		"called <namespace>_<name>_<UID>"
	return row{
		rules:        []string{"cel " + message},
		passes:       []string{fmt.Sprintf(`metadata: {name: %s}`, longName(154))},
		refused:      []string{fmt.Sprintf(`metadata: {name: %s}`, longName(155))},
		messageParts: []string{message},
	}
}

// decodeRow returns the rule for fields of core types: without it the API server accepts values that Go clients cannot
// decode.
func decodeRow() row {
	return row{
		passes: []string{
			`spec: {podTemplate: {spec: {containers: [{name: a, image: b, resources: {limits: {cpu: "1e2"}}}]}}}`,
			`spec: {podTemplate: {spec: {containers: [{name: a, image: b, livenessProbe: {httpGet: {port: 80}}}]}}}`,
		},
		refused: []string{
			`spec: {podTemplate: {spec: {containers: [{name: a, image: b, resources: {limits: {cpu: "1e1.5"}}}]}}}`,
			`spec: {podTemplate: {spec: {containers: [{name: a, image: b, resources: {limits: {cpu: "1e999999"}}}]}}}`,
			`spec: {podTemplate: {spec: {containers: [{name: a, image: b, livenessProbe: {httpGet: {port: 2147483648}}}]}}}`,
		},
		messageParts: []string{"spec.podTemplate.spec.containers[0]"},
	}
}

// transitionRow returns the rule for the transition time of a condition.
func transitionRow() row {
	at := func(time string) string {
		return `status: {conditions: [{type: Ready, status: "True", reason: A, message: "", lastTransitionTime: ` + time +
			`}]}`
	}
	return row{
		when: onStatus, passes: []string{at(`"2026-04-13T12:00:00Z"`)},
		refused:      []string{at(`"2026-04-13T12:00:00+99:99"`), at(`"2026-04-13t12:00:00z"`), at(`[]`), at(`[null]`)},
		messageParts: []string{"status.conditions[0].lastTransitionTime"},
	}
}
