// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// This file holds the rules that the operator, the SDK and the plugin apply to claims, pools and templates.

// TemplateName returns the template that the claim names, or "" if it names only a pool.
func (s *SandboxClaimSpec) TemplateName() string {
	if s.TemplateRef == nil {
		return ""
	}
	return s.TemplateRef.Name
}

// PoolName returns the only pool that may serve the claim, or "" if any pool of the template may, or none.
func (s *SandboxClaimSpec) PoolName() string {
	if s.WarmPoolRef != nil {
		return s.WarmPoolRef.Name
	}
	switch policy := s.WarmPoolPolicy(); policy {
	case apis.WarmPoolNone, apis.WarmPoolDefault:
		return ""
	default:
		return string(policy)
	}
}

// WarmPoolPolicy returns the claim's warmpool, or the default if it is unset. It has no meaning for a claim with a
// warmPoolRef.
func (s *SandboxClaimSpec) WarmPoolPolicy() WarmPoolPolicy {
	if s.WarmPool == nil {
		return apis.WarmPoolDefault
	}
	return cmp.Or(*s.WarmPool, apis.WarmPoolDefault)
}

// AddsToSpec reports whether the claim adds environment variables or volumes. Only a new Sandbox can have them.
func (s *SandboxClaimSpec) AddsToSpec() bool {
	return len(s.Env) > 0 || len(s.VolumeClaimTemplates) > 0
}

// AcceptsWarm reports whether a warm Sandbox may serve the claim.
func (s *SandboxClaimSpec) AcceptsWarm() bool {
	return s.WarmPoolPolicy() != apis.WarmPoolNone && !s.AddsToSpec()
}

// AcceptsPool reports whether a member of the pool may serve the claim. The claim and the pool are in the same
// namespace.
func (s *SandboxClaimSpec) AcceptsPool(pool *SandboxWarmPool) bool {
	if !s.AcceptsWarm() {
		return false
	}
	if name := s.PoolName(); name != "" && name != pool.Name {
		return false
	}
	return s.WarmPoolRef != nil || (s.TemplateRef != nil && s.TemplateRef.Name == pool.Spec.TemplateRef.Name)
}

// AssignedSandbox returns the name of the Sandbox that the operator recorded on the claim, or "". The operator records
// the name before it adopts or creates the Sandbox, so the Sandbox may not belong to the claim yet.
func (c *SandboxClaim) AssignedSandbox() string {
	return cmp.Or(c.Annotations[apis.AnnotationAssignedSandboxName], c.Labels[apis.LabelAssignedSandboxName])
}

// LastSandbox returns the name of the claim's Sandbox: the recorded name, or the one in the status if somebody removed
// the record.
func (c *SandboxClaim) LastSandbox() string {
	return cmp.Or(c.AssignedSandbox(), c.Status.SandboxStatus.Name)
}

// Recreates reports whether the pool replaces members of an older template at once.
func (p *SandboxWarmPool) Recreates() bool {
	strategy := p.Spec.UpdateStrategy
	return strategy != nil && strategy.Type == RecreateSandboxWarmPoolUpdateStrategyType
}

// AllowsAdding reports whether a claim may add variables that the template does not set.
func (p EnvVarsInjectionPolicy) AllowsAdding() bool {
	return p == EnvVarsInjectionPolicyAllowed || p == EnvVarsInjectionPolicyOverrides
}

// AllowsOverriding reports whether a claim may replace variables that the template sets.
func (p EnvVarsInjectionPolicy) AllowsOverriding() bool { return p == EnvVarsInjectionPolicyOverrides }

// AllowsAdding reports whether a claim may add volumes that the template does not have.
func (p VolumeClaimTemplatesPolicy) AllowsAdding() bool {
	return p == VolumeClaimTemplatesPolicyAllowed || p == VolumeClaimTemplatesPolicyOverrides
}

// AllowsOverriding reports whether a claim may replace volumes of the template.
func (p VolumeClaimTemplatesPolicy) AllowsOverriding() bool {
	return p == VolumeClaimTemplatesPolicyOverrides
}

// HasVolume reports whether the template has a volume of that name, as a volumeClaimTemplate or in its Pod. A claim may
// add another one of that name only if it may override.
func (s *SandboxTemplateSpec) HasVolume(name string) bool {
	return slices.ContainsFunc(
		s.VolumeClaimTemplates, func(v agentsv1beta1.PersistentVolumeClaimTemplate) bool { return v.Name == name },
	) || slices.ContainsFunc(s.PodTemplate.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == name })
}

// MountedVolumes returns the names of the volumes that containers use, sorted. A volume that a claim adds is of use
// only if it has one of these names.
func (s *SandboxTemplateSpec) MountedVolumes() []string {
	var names []string
	for _, containers := range [][]corev1.Container{s.PodTemplate.Spec.InitContainers, s.PodTemplate.Spec.Containers} {
		for i := range containers {
			for _, mount := range containers[i].VolumeMounts {
				names = append(names, mount.Name)
			}
			for _, device := range containers[i].VolumeDevices {
				names = append(names, device.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
