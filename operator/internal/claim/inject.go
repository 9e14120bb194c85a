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
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// maxVolumes is what the schema of a Sandbox takes.
const maxVolumes = 32

// checkPolicies refuses variables and volumes where a warm Sandbox is asked for, and what the template forbids altogether.
func checkPolicies(claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) *rejection {
	warm := claim.Spec.TemplateRef != nil && (claim.Spec.WarmPool == nil || *claim.Spec.WarmPool != apis.WarmPoolNone)
	if len(claim.Spec.Env) > 0 {
		switch {
		case warm:
			return rejectf(apis.ReasonEnvVarsInjectionRejected, "a running warm Sandbox cannot take environment variables: set warmpool to "+
				"%s, or remove env from the claim", apis.WarmPoolNone)
		case template.Spec.EnvVarsInjectionPolicy != extensionsv1beta1.EnvVarsInjectionPolicyAllowed &&
			template.Spec.EnvVarsInjectionPolicy != extensionsv1beta1.EnvVarsInjectionPolicyOverrides:
			return rejectf(apis.ReasonEnvVarsInjectionRejected, "environment variable injection is not allowed by the template policy: set "+
				"envVarsInjectionPolicy of SandboxTemplate %q to %s, or remove env from the claim",
				template.Name, extensionsv1beta1.EnvVarsInjectionPolicyAllowed)
		}
	}
	if len(claim.Spec.VolumeClaimTemplates) > 0 {
		switch {
		case warm:
			return rejectf(apis.ReasonVolumeClaimTemplatesError, "a running warm Sandbox cannot take volumes: set warmpool to %s, or "+
				"remove volumeClaimTemplates from the claim", apis.WarmPoolNone)
		case template.Spec.VolumeClaimTemplatesPolicy != extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed &&
			template.Spec.VolumeClaimTemplatesPolicy != extensionsv1beta1.VolumeClaimTemplatesPolicyOverrides:
			return rejectf(apis.ReasonVolumeClaimTemplatesError, "volumeClaimTemplates of claims are not allowed by the template policy: set "+
				"volumeClaimTemplatesPolicy of SandboxTemplate %q to %s, or remove volumeClaimTemplates from the claim",
				template.Name, extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed)
		}
	}
	return checkOverrides(claim, template, agentsv1beta1.PodMetadata{})
}

// injectEnv adds the claim's variables to the containers of a new Pod. Under Allowed none may replace one of the template's, wherever the
// template has it from; Overrides may.
func injectEnv(spec *corev1.PodSpec, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) *rejection {
	given := map[string]bool{} // container and name, of the claim
	for _, variable := range claim.Spec.Env {
		if problems := validation.IsRelaxedEnvVarName(variable.Name); len(problems) > 0 {
			return rejectf(apis.ReasonEnvVarsInjectionRejected, "environment variable %q has no valid name: %s",
				variable.Name, strings.Join(problems, "; "))
		}
		container := findContainer(spec, variable.ContainerName)
		if container == nil {
			return rejectf(apis.ReasonEnvVarsInjectionRejected, "target container %q not found in template for environment variable %q: "+
				"containerName is one of %s", variable.ContainerName, variable.Name, strings.Join(containerNames(spec), ", "))
		}
		key := container.Name + "=" + variable.Name
		if given[key] {
			return rejectf(apis.ReasonEnvVarsInjectionRejected, "environment variable %q is given twice for container %q: remove one of "+
				"them from the claim", variable.Name, container.Name)
		}
		given[key] = true
		if template.Spec.EnvVarsInjectionPolicy != extensionsv1beta1.EnvVarsInjectionPolicyOverrides {
			if why := checkTemplateEnv(container, variable.Name, template.Name); why != nil {
				return why
			}
		}
		setEnvVar(container, corev1.EnvVar{Name: variable.Name, Value: variable.Value})
	}
	return nil
}

// checkTemplateEnv says why a variable is refused that may replace one that the template gives the container: one by its name, or one of a ConfigMap or a Secret,
// whose keys may change and are not ours to read.
func checkTemplateEnv(container *corev1.Container, name, template string) *rejection {
	if slices.ContainsFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == name }) {
		return rejectf(apis.ReasonEnvVarsInjectionRejected, "environment variable %q is set in container %q of the template already: "+
			"remove it from the claim, or set envVarsInjectionPolicy of SandboxTemplate %q to %s",
			name, container.Name, template, extensionsv1beta1.EnvVarsInjectionPolicyOverrides)
	}
	for _, from := range container.EnvFrom {
		if strings.HasPrefix(name, from.Prefix) && name != from.Prefix {
			return rejectf(apis.ReasonEnvVarsInjectionRejected, "environment variable %q may be set by envFrom in container %q of the template "+
				"(%s): remove it from the claim, give that envFrom a prefix with which %q does not begin, or set envVarsInjectionPolicy of "+
				"SandboxTemplate %q to %s", name, container.Name, envSourceName(from), name, template, extensionsv1beta1.EnvVarsInjectionPolicyOverrides)
		}
	}
	return nil
}

func envSourceName(from corev1.EnvFromSource) string {
	switch {
	case from.ConfigMapRef != nil:
		return "ConfigMap " + from.ConfigMapRef.Name
	case from.SecretRef != nil:
		return "Secret " + from.SecretRef.Name
	default:
		return "a source of another kind"
	}
}

// setEnvVar gives the container a variable once, in the place of the first of the name: what refers to it comes after.
func setEnvVar(container *corev1.Container, variable corev1.EnvVar) {
	at := slices.IndexFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == variable.Name })
	if at < 0 {
		container.Env = append(container.Env, variable)
		return
	}
	container.Env[at] = variable
	later := slices.DeleteFunc(container.Env[at+1:], func(e corev1.EnvVar) bool { return e.Name == variable.Name })
	container.Env = container.Env[:at+1+len(later)]
}

// findContainer is the first container, or the one of the name, init containers included.
func findContainer(spec *corev1.PodSpec, name string) *corev1.Container {
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

// addVolumes adds the claim's volumes to those of a new Sandbox. One whose name the template has, as a volume claim or as a volume of the
// Pod, takes its place under Overrides and is refused under Allowed.
func addVolumes(sandbox *agentsv1beta1.Sandbox, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) *rejection {
	overrides := template.Spec.VolumeClaimTemplatesPolicy == extensionsv1beta1.VolumeClaimTemplatesPolicyOverrides
	for i := range claim.Spec.VolumeClaimTemplates {
		volume := claim.Spec.VolumeClaimTemplates[i].DeepCopy()
		at := slices.IndexFunc(sandbox.Spec.VolumeClaimTemplates, func(v agentsv1beta1.PersistentVolumeClaimTemplate) bool {
			return v.Name == volume.Name
		})
		ofPod := slices.ContainsFunc(sandbox.Spec.PodTemplate.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == volume.Name })
		switch {
		case !overrides && (at >= 0 || ofPod):
			return rejectf(apis.ReasonVolumeClaimTemplatesError, "the template has a volume %q already: give the claim's another name, or set "+
				"volumeClaimTemplatesPolicy of SandboxTemplate %q to %s",
				volume.Name, template.Name, extensionsv1beta1.VolumeClaimTemplatesPolicyOverrides)
		case at < 0: // the Sandbox's reconciler puts it in the place of the Pod's volume of the name
			sandbox.Spec.VolumeClaimTemplates = append(sandbox.Spec.VolumeClaimTemplates, *volume)
		default:
			sandbox.Spec.VolumeClaimTemplates[at] = *volume
		}
	}
	if n := len(sandbox.Spec.VolumeClaimTemplates); n > maxVolumes {
		return rejectf(apis.ReasonVolumeClaimTemplatesError, "template and claim have %d volumes together and a Sandbox may have %d: remove "+
			"some from the claim", n, maxVolumes)
	}
	return nil
}
