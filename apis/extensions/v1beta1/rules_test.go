// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

func TestWhichPoolsMayServeAClaim(t *testing.T) {
	byTemplate := func(policy WarmPoolPolicy) SandboxClaimSpec {
		return SandboxClaimSpec{TemplateRef: &SandboxTemplateRef{Name: "python"}, WarmPool: &policy}
	}
	byPool := SandboxClaimSpec{WarmPoolRef: &WarmPoolRef{Name: "warm"}}
	withEnv := byPool
	withEnv.Env = []EnvVar{{Name: "A"}}
	tests := map[string]struct {
		spec     SandboxClaimSpec
		poolName string
		accepts  map[string]bool // by pool name; all pools are of the template python
	}{
		"unset: any pool of the template": {
			SandboxClaimSpec{TemplateRef: &SandboxTemplateRef{Name: "python"}}, "", map[string]bool{"warm": true, "other": true},
		},
		"default: any pool of the template": {byTemplate("default"), "", map[string]bool{"warm": true, "other": true}},
		"empty means default":               {byTemplate(""), "", map[string]bool{"warm": true, "other": true}},
		"none: no pool, whatever its name":  {byTemplate("none"), "", map[string]bool{"warm": false, "none": false}},
		"a pool by its name":                {byTemplate("warm"), "warm", map[string]bool{"warm": true, "other": false}},
		"a pool by reference":               {byPool, "warm", map[string]bool{"warm": true, "other": false}},
		"variables need a new Sandbox":      {withEnv, "warm", map[string]bool{"warm": false}},
		"a pool of another template": {
			SandboxClaimSpec{TemplateRef: &SandboxTemplateRef{Name: "node"}}, "", map[string]bool{"warm": false},
		},
	}
	for name, tt := range tests {
		if got := tt.spec.PoolName(); got != tt.poolName {
			t.Errorf("%s: the pool is %q, want %q", name, got, tt.poolName)
		}
		for pool, want := range tt.accepts {
			p := &SandboxWarmPool{Spec: SandboxWarmPoolSpec{TemplateRef: SandboxTemplateRef{Name: "python"}}}
			p.Name = pool
			if got := tt.spec.AcceptsPool(p); got != want {
				t.Errorf("%s: accepts pool %s: %t", name, pool, got)
			}
		}
	}
}

func TestTheVolumesOfATemplate(t *testing.T) {
	mounts := func(names ...string) (all []corev1.VolumeMount) {
		for _, name := range names {
			all = append(all, corev1.VolumeMount{Name: name})
		}
		return all
	}
	spec := SandboxTemplateSpec{
		PodTemplate: agentsv1beta1.PodTemplate{Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{{VolumeMounts: mounts("scratch", "data")}},
			Containers: []corev1.Container{
				{VolumeMounts: mounts("data", "claimed")}, {VolumeDevices: []corev1.VolumeDevice{{Name: "block"}}},
			},
			Volumes: []corev1.Volume{{Name: "scratch"}, {Name: "unused"}},
		}},
		VolumeClaimTemplates: []agentsv1beta1.PersistentVolumeClaimTemplate{
			{EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: "data"}},
		},
	}
	if got := spec.MountedVolumes(); !slices.Equal(got, []string{"block", "claimed", "data", "scratch"}) {
		t.Errorf("mounted are %v", got)
	}
	for name, want := range map[string]bool{"data": true, "scratch": true, "unused": true, "claimed": false} {
		if got := spec.HasVolume(name); got != want {
			t.Errorf("volume %s: %t", name, got)
		}
	}
}
