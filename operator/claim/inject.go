// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// maxVolumes is what the schema of a Sandbox takes.
const maxVolumes = 32

// checkAdditions refuses variables and volumes where a warm Sandbox is asked for, and what the template forbids altogether.
func checkAdditions(claim *v1beta1.SandboxClaim, template *v1beta1.SandboxTemplate) *refusal {
	warm := claim.Spec.TemplateRef != nil && (claim.Spec.WarmPool == nil || *claim.Spec.WarmPool != apis.WarmPoolNone)
	if len(claim.Spec.Env) > 0 {
		switch {
		case warm:
			return refuse(apis.ReasonEnvVarsInjectionRejected, "a running warm Sandbox cannot take environment variables: set warmpool to "+
				"%s, or remove env from the claim", apis.WarmPoolNone)
		case template.Spec.EnvVarsInjectionPolicy != v1beta1.EnvVarsInjectionPolicyAllowed &&
			template.Spec.EnvVarsInjectionPolicy != v1beta1.EnvVarsInjectionPolicyOverrides:
			return refuse(apis.ReasonEnvVarsInjectionRejected, "environment variable injection is not allowed by the template policy: set "+
				"envVarsInjectionPolicy of SandboxTemplate %q to %s, or remove env from the claim",
				template.Name, v1beta1.EnvVarsInjectionPolicyAllowed)
		}
	}
	if len(claim.Spec.VolumeClaimTemplates) > 0 {
		switch {
		case warm:
			return refuse(apis.ReasonVolumeClaimTemplatesError, "a running warm Sandbox cannot take volumes: set warmpool to %s, or "+
				"remove volumeClaimTemplates from the claim", apis.WarmPoolNone)
		case template.Spec.VolumeClaimTemplatesPolicy != v1beta1.VolumeClaimTemplatesPolicyAllowed &&
			template.Spec.VolumeClaimTemplatesPolicy != v1beta1.VolumeClaimTemplatesPolicyOverrides:
			return refuse(apis.ReasonVolumeClaimTemplatesError, "volumeClaimTemplates of claims are not allowed by the template policy: set "+
				"volumeClaimTemplatesPolicy of SandboxTemplate %q to %s, or remove volumeClaimTemplates from the claim",
				template.Name, v1beta1.VolumeClaimTemplatesPolicyAllowed)
		}
	}
	return checkOverrides(claim, template, agentsv1beta1.PodMetadata{})
}

// injectEnv adds the claim's variables to the containers of a new Pod.
func injectEnv(spec *corev1.PodSpec, claim *v1beta1.SandboxClaim, template *v1beta1.SandboxTemplate) *refusal {
	given := map[string]bool{} // container and name, of the claim
	for _, variable := range claim.Spec.Env {
		if problems := validation.IsRelaxedEnvVarName(variable.Name); len(problems) > 0 {
			return refuse(apis.ReasonEnvVarsInjectionRejected, "environment variable %q has no valid name: %s",
				variable.Name, strings.Join(problems, "; "))
		}
		container := containerFor(spec, variable.ContainerName)
		if container == nil {
			return refuse(apis.ReasonEnvVarsInjectionRejected, "target container %q not found in template for environment variable %q: "+
				"containerName is one of %s", variable.ContainerName, variable.Name, strings.Join(containerNames(spec), ", "))
		}
		key := container.Name + "=" + variable.Name
		if given[key] {
			return refuse(apis.ReasonEnvVarsInjectionRejected, "environment variable %q is given twice for container %q: remove one of "+
				"them from the claim", variable.Name, container.Name)
		}
		given[key] = true
		at := slices.IndexFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == variable.Name })
		if at < 0 {
			container.Env = append(container.Env, corev1.EnvVar{Name: variable.Name, Value: variable.Value})
			continue
		}
		if template.Spec.EnvVarsInjectionPolicy != v1beta1.EnvVarsInjectionPolicyOverrides {
			return refuse(apis.ReasonEnvVarsInjectionRejected, "environment variable %q is set in container %q of the template already: "+
				"remove it from the claim, or set envVarsInjectionPolicy of SandboxTemplate %q to %s",
				variable.Name, container.Name, template.Name, v1beta1.EnvVarsInjectionPolicyOverrides)
		}
		container.Env[at] = corev1.EnvVar{Name: variable.Name, Value: variable.Value}
	}
	return nil
}

// containerFor is the first container, or the one of the name, init containers included.
func containerFor(spec *corev1.PodSpec, name string) *corev1.Container {
	if name == "" {
		if len(spec.Containers) == 0 {
			return nil
		}
		return &spec.Containers[0]
	}
	for _, all := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range all {
			if all[i].Name == name {
				return &all[i]
			}
		}
	}
	return nil
}

func containerNames(spec *corev1.PodSpec) []string {
	var names []string
	for _, all := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range all {
			names = append(names, all[i].Name)
		}
	}
	return names
}

// addVolumes adds the claim's volumes to those of a new Sandbox, or puts them in the place of those of the same name.
func addVolumes(sandbox *agentsv1beta1.Sandbox, claim *v1beta1.SandboxClaim, template *v1beta1.SandboxTemplate) *refusal {
	for i := range claim.Spec.VolumeClaimTemplates {
		volume := claim.Spec.VolumeClaimTemplates[i].DeepCopy()
		at := slices.IndexFunc(sandbox.Spec.VolumeClaimTemplates, func(v agentsv1beta1.PersistentVolumeClaimTemplate) bool {
			return v.Name == volume.Name
		})
		switch {
		case at < 0:
			sandbox.Spec.VolumeClaimTemplates = append(sandbox.Spec.VolumeClaimTemplates, *volume)
		case template.Spec.VolumeClaimTemplatesPolicy == v1beta1.VolumeClaimTemplatesPolicyOverrides:
			sandbox.Spec.VolumeClaimTemplates[at] = *volume
		default:
			return refuse(apis.ReasonVolumeClaimTemplatesError, "the template has a volume %q already: give the claim's another name, or set "+
				"volumeClaimTemplatesPolicy of SandboxTemplate %q to %s",
				volume.Name, template.Name, v1beta1.VolumeClaimTemplatesPolicyOverrides)
		}
	}
	if n := len(sandbox.Spec.VolumeClaimTemplates); n > maxVolumes {
		return refuse(apis.ReasonVolumeClaimTemplatesError, "template and claim have %d volumes together and a Sandbox may have %d: remove "+
			"some from the claim", n, maxVolumes)
	}
	return nil
}
