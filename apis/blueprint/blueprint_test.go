// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package blueprint_test

import (
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/blueprint"
)

type parts struct {
	PodSpec corev1.PodSpec                                `json:"podSpec"`
	Claims  []agentsv1beta1.PersistentVolumeClaimTemplate `json:"claims"`
	Service *bool                                         `json:"service"`
}

func (p parts) hash() string { return blueprint.Hash(p.PodSpec, p.Claims, p.Service) }

func parse(t *testing.T, text string) parts {
	t.Helper()
	var p parts
	if err := yaml.UnmarshalStrict([]byte(text), &p); err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return p
}

func TestHashIsTheSame(t *testing.T) {
	tests := map[string]struct{ one, other string }{
		"for two spellings of a memory limit": {
			`podSpec: {containers: [{name: a, resources: {limits: {memory: 1Gi}}}]}`,
			`podSpec: {containers: [{name: a, resources: {limits: {memory: 1024Mi}}}]}`,
		},
		"for a binary and a decimal spelling of the same bytes": {
			`podSpec: {containers: [{name: a, resources: {limits: {memory: 1Gi}}}]}`,
			`podSpec: {containers: [{name: a, resources: {limits: {memory: "1073741824"}}}]}`,
		},
		"for half a CPU, however it is spelled": {
			`podSpec: {containers: [{name: a, resources: {limits: {cpu: "0.50"}}}]}`,
			`podSpec: {containers: [{name: a, resources: {limits: {cpu: 500m}}}]}`,
		},
		"for an amount that no 64 bits hold": {
			`podSpec: {containers: [{name: a, resources: {limits: {memory: 100E}}}]}`,
			`podSpec: {containers: [{name: a, resources: {limits: {memory: 100000P}}}]}`,
		},
		"for keys in another order": {
			`podSpec: {nodeSelector: {a: "1", b: "2"}, containers: [{name: a, image: b}]}`,
			`podSpec: {containers: [{image: b, name: a}], nodeSelector: {b: "2", a: "1"}}`,
		},
		"for an empty list and none": {
			`podSpec: {containers: [{name: a, env: [], args: []}], volumes: []}`,
			`podSpec: {containers: [{name: a}]}`,
		},
		"for an empty map and none": {
			`podSpec: {containers: [{name: a, resources: {limits: {}}}], nodeSelector: {}}`,
			`podSpec: {containers: [{name: a}]}`,
		},
		"for an empty list of volume claim templates and none": {`claims: []`, `{}`},
		"for two spellings of a volume's size": {
			`claims: [{metadata: {name: data}, spec: {resources: {requests: {storage: 1Gi}}}}]`,
			`claims: [{metadata: {name: data, labels: {}}, spec: {resources: {requests: {storage: 1024Mi}}}}]`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if one, other := parse(t, test.one).hash(), parse(t, test.other).hash(); one != other {
				t.Errorf("%s is not %s", one, other)
			}
		})
	}
}

func TestHashDiffers(t *testing.T) {
	tests := map[string]struct{ one, other string }{
		"for another image": {
			`podSpec: {containers: [{name: a, image: b}]}`, `podSpec: {containers: [{name: a, image: c}]}`,
		},
		"for containers in another order: the first is the default": {
			`podSpec: {containers: [{name: a}, {name: b}]}`, `podSpec: {containers: [{name: b}, {name: a}]}`,
		},
		"for an emptyDir and a volume without a source": {
			`podSpec: {volumes: [{name: a, emptyDir: {}}]}`, `podSpec: {volumes: [{name: a}]}`,
		},
		"for false and unset": {
			`podSpec: {automountServiceAccountToken: false}`, `podSpec: {}`,
		},
		"for zero and unset": {
			`podSpec: {terminationGracePeriodSeconds: 0}`, `podSpec: {}`,
		},
		"for an environment variable that is empty and one that is not there": {
			`podSpec: {containers: [{name: a, env: [{name: A, value: ""}]}]}`, `podSpec: {containers: [{name: a}]}`,
		},
		"for a label that is empty and one that is not there": {
			`podSpec: {nodeSelector: {a: ""}}`, `podSpec: {}`,
		},
		"for a port by number and by name": {
			`podSpec: {containers: [{name: a, readinessProbe: {tcpSocket: {port: 80}}}]}`,
			`podSpec: {containers: [{name: a, readinessProbe: {tcpSocket: {port: "80"}}}]}`,
		},
		"for a value that moved to the neighbour": {
			`podSpec: {containers: [{name: a, command: [x, y]}]}`, `podSpec: {containers: [{name: a, command: [xy]}]}`,
		},
		"for another size of a volume": {
			`claims: [{metadata: {name: a}, spec: {resources: {requests: {storage: 1Gi}}}}]`,
			`claims: [{metadata: {name: a}, spec: {resources: {requests: {storage: 1G}}}}]`,
		},
		"for another name of a volume": {
			`claims: [{metadata: {name: a}, spec: {}}]`, `claims: [{metadata: {name: b}, spec: {}}]`,
		},
		"for a label on a volume claim": {
			`claims: [{metadata: {name: a}, spec: {}}]`, `claims: [{metadata: {name: a, labels: {b: c}}, spec: {}}]`,
		},
		"for a Service and none":    {`service: true`, `service: false`},
		"for no Service and no say": {`service: false`, `{}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if one := parse(t, test.one).hash(); one == parse(t, test.other).hash() {
				t.Errorf("both are %s", one)
			}
		})
	}
}

// A hash is stored on live objects: another value for the same blueprint after an upgrade would replace every member.
func TestHashNeverChangesBetweenVersions(t *testing.T) {
	whole := parse(t, `
podSpec:
  containers:
  - {name: main, image: "python:3.13", resources: {limits: {memory: 1Gi, cpu: 500m}},
     readinessProbe: {httpGet: {port: 80}}}
  volumes: [{name: scratch, emptyDir: {}}]
  automountServiceAccountToken: false
claims: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
service: true`)
	tests := map[string]struct {
		of   parts
		want string
	}{
		"of nothing":           {parts{}, "44136fa355b3678a"},
		"of a Service alone":   {parts{Service: new(true)}, "faa385b1ab1752bd"},
		"of a whole blueprint": {whole, "a7c6b1e71a976326"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := test.of.hash()
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(got) {
				t.Errorf("%q is not 16 hexadecimal digits", got)
			}
		})
	}
}
