// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// threeContainers has an init container and two others; the first of these has A=template.
var threeContainers = builders.WithPodSpec(func(s *corev1.PodSpec) {
	s.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "template"}}
	s.Containers = append(s.Containers, corev1.Container{Name: "side", Image: builders.Image})
	s.InitContainers = []corev1.Container{{Name: "setup", Image: builders.Image}}
})

func newEnvVar(name, value, container string) extensionsv1beta1.EnvVar {
	return extensionsv1beta1.EnvVar{Name: name, Value: value, ContainerName: container}
}

func TestVariables(t *testing.T) {
	policy := func(p extensionsv1beta1.EnvVarsInjectionPolicy) extensionsv1beta1.EnvVarsInjectionPolicy { return p }
	tests := map[string]struct {
		policy  extensionsv1beta1.EnvVarsInjectionPolicy
		env     []extensionsv1beta1.EnvVar
		want    map[string]string // by container, as NAME=value ...
		refused string
	}{
		"the first container is the default": {
			policy: "Allowed",
			env:    sliceOf(newEnvVar("B", "1", "")),
			want:   map[string]string{"main": "A=template B=1", "side": "", "setup": ""},
		},
		"a container by its name, init containers too": {
			policy: "Allowed",
			env:    sliceOf(newEnvVar("A", "1", "side"), newEnvVar("A", "2", "setup"), newEnvVar("E", "", "side")),
			want:   map[string]string{"main": "A=template", "side": "A=1 E=", "setup": "A=2"},
		},
		"an override where the template allows it": {
			policy: "Overrides",
			env:    sliceOf(newEnvVar("A", "claim", "")),
			want:   map[string]string{"main": "A=claim", "side": "", "setup": ""},
		},
		"an override where it does not": {
			policy: "Allowed", env: sliceOf(newEnvVar("A", "1", "main")),
			refused: `"A" is already set in container "main" of the template`,
		},
		"without a policy": {
			env: sliceOf(newEnvVar("B", "1", "")), refused: "not allowed by the template policy",
		},
		"under Disallowed": {
			policy: policy("Disallowed"), env: sliceOf(newEnvVar("B", "1", "")), refused: "set envVarsInjectionPolicy",
		},
		"a container that is not there": {
			policy: "Allowed", env: sliceOf(newEnvVar("B", "1", "x")),
			refused: `target container "x" not found in template for environment variable "B": set containerName to one of main, side, setup`,
		},
		"one twice for the same container": {
			policy: "Overrides", env: sliceOf(newEnvVar("B", "1", ""), newEnvVar("B", "2", "main")),
			refused: `"B" is given twice for container "main"`,
		},
		"a name that is none": {
			policy: "Allowed", env: sliceOf(newEnvVar("A=B", "1", "")), refused: "is not valid",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			claim := newClaim(
				"c", builders.WithWarmPool(apis.WarmPoolNone),
				withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) { s.Env = tt.env }),
			)
			from := newTemplate(
				threeContainers,
				withTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) { s.EnvVarsInjectionPolicy = tt.policy }),
			)
			todo := nextStep(testNow, claim, observed{template: from})
			if tt.refused != "" {
				r, ok := todo.(reject)
				if !ok || r.rejection.reason != apis.ReasonEnvVarsInjectionRejected ||
					!strings.Contains(r.rejection.message, tt.refused) {
					t.Fatalf("got %s %+v", describe(todo), todo)
				}
				return
			}
			c, ok := todo.(create)
			if !ok {
				t.Fatalf("got %+v", todo)
			}
			got := map[string]string{}
			pod := c.sandbox.Spec.PodTemplate.Spec
			for _, container := range append(pod.InitContainers, pod.Containers...) {
				var all []string
				for _, e := range container.Env {
					all = append(all, e.Name+"="+e.Value)
				}
				got[container.Name] = strings.Join(all, " ")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("variables (-want +got):\n%s", diff)
			}
			if from.Spec.PodTemplate.Spec.Containers[0].Env[0].Value != "template" {
				t.Error("the template changed")
			}
		})
	}
}

func TestVolumes(t *testing.T) {
	tests := map[string]struct {
		policy  extensionsv1beta1.VolumeClaimTemplatesPolicy
		volumes []string
		want    string // names and sizes
		refused string
	}{
		"added to the template's":        {policy: "Allowed", volumes: sliceOf("x"), want: "data=1Gi x=5Gi"},
		"in the place of the template's": {policy: "Overrides", volumes: sliceOf("data", "x"), want: "data=5Gi x=5Gi"},
		"a name that is taken": {
			policy: "Allowed", volumes: sliceOf("data"), refused: `already has a volume "data"`,
		},
		"without a policy": {volumes: sliceOf("x"), refused: "set volumeClaimTemplatesPolicy"},
		"more than a Sandbox may have together": {
			policy: "Allowed", volumes: strings.Split(strings.Repeat("x,", 31)+"x", ","), refused: "a Sandbox can have 32",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			claim := newClaim(
				"c", builders.WithWarmPool(apis.WarmPoolNone),
				withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
					for i, volume := range tt.volumes {
						if len(tt.volumes) > 2 {
							volume += string(rune('A'+i/26)) + string(rune('a'+i%26))
						}
						s.VolumeClaimTemplates = append(s.VolumeClaimTemplates, builders.VolumeTemplate(volume, "5Gi"))
					}
				}),
			)
			from := newTemplate(builders.WithVolume("data", "1Gi"),
				withTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) { s.VolumeClaimTemplatesPolicy = tt.policy }))
			todo := nextStep(testNow, claim, observed{template: from})
			if tt.refused != "" {
				r, ok := todo.(reject)
				if !ok || r.rejection.reason != apis.ReasonVolumeClaimTemplatesError ||
					!strings.Contains(r.rejection.message, tt.refused) {
					t.Fatalf("got %+v", todo)
				}
				return
			}
			c, ok := todo.(create)
			if !ok {
				t.Fatalf("got %+v", todo)
			}
			var got []string
			for _, v := range c.sandbox.Spec.VolumeClaimTemplates {
				size := v.Spec.Resources.Requests[corev1.ResourceStorage]
				got = append(got, v.Name+"="+size.String())
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
