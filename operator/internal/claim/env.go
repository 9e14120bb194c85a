// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// checkEnvPolicy rejects a claim with environment variables if it must get a warm Sandbox, or if the template permits
// no variables. injectEnv checks each variable.
func checkEnvPolicy(claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate) *rejection {
	switch {
	case len(claim.Spec.Env) == 0:
		return nil
	case requiresWarmSandbox(claim):
		return rejectf(
			apis.ReasonEnvVarsInjectionRejected,
			"a running warm Sandbox cannot take environment variables: set warmpool to "+
				"%s, or remove env from the claim",
			apis.WarmPoolNone,
		)
	case !template.Spec.EnvVarsInjectionPolicy.AllowsAdding():
		return rejectf(
			apis.ReasonEnvVarsInjectionRejected,
			"environment variable injection is not allowed by the template policy: set "+
				"envVarsInjectionPolicy of SandboxTemplate %q to %s, or remove env from the claim",
			template.Name, extensionsv1beta1.EnvVarsInjectionPolicyAllowed,
		)
	}
	return nil
}

// injectEnv adds the claim's variables to the containers of a new Pod. It rejects variables that the template sets by
// any means, unless the policy allows a claim to override them.
func injectEnv(
	spec *corev1.PodSpec, claim *extensionsv1beta1.SandboxClaim, template *extensionsv1beta1.SandboxTemplate,
) *rejection {
	set := map[string]bool{} // by container and name, the claim's variables so far
	for _, variable := range claim.Spec.Env {
		if problems := validation.IsRelaxedEnvVarName(variable.Name); len(problems) > 0 {
			return rejectf(apis.ReasonEnvVarsInjectionRejected, "environment variable name %q is not valid: %s",
				variable.Name, strings.Join(problems, "; "))
		}
		container := findContainer(spec, variable.ContainerName)
		if container == nil {
			return rejectf(
				apis.ReasonEnvVarsInjectionRejected,
				"target container %q not found in template for environment variable %q: "+
					"set containerName to one of %s",
				variable.ContainerName, variable.Name, strings.Join(containerNames(spec), ", "),
			)
		}
		key := container.Name + "=" + variable.Name
		if set[key] {
			return rejectf(
				apis.ReasonEnvVarsInjectionRejected,
				"environment variable %q is given twice for container %q: remove one of "+
					"them from the claim",
				variable.Name, container.Name,
			)
		}
		set[key] = true
		if !template.Spec.EnvVarsInjectionPolicy.AllowsOverriding() {
			if rejected := checkTemplateEnv(container, variable.Name, template.Name); rejected != nil {
				return rejected
			}
		}
		setEnvVar(container, corev1.EnvVar{Name: variable.Name, Value: variable.Value})
	}
	return nil
}

// checkTemplateEnv rejects a variable that the template sets in the container, or may set through envFrom: the keys of
// a ConfigMap or a Secret can change, and the operator may not read them.
func checkTemplateEnv(container *corev1.Container, name, template string) *rejection {
	if slices.ContainsFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == name }) {
		return rejectf(
			apis.ReasonEnvVarsInjectionRejected,
			"environment variable %q is already set in container %q of the template: "+
				"remove it from the claim, or set envVarsInjectionPolicy of SandboxTemplate %q to %s",
			name, container.Name, template, extensionsv1beta1.EnvVarsInjectionPolicyOverrides,
		)
	}
	for _, from := range container.EnvFrom {
		if strings.HasPrefix(name, from.Prefix) && name != from.Prefix {
			return rejectf(
				apis.ReasonEnvVarsInjectionRejected,
				"environment variable %q may be set by envFrom in container %q of the template "+
					"(%s): remove it from the claim, give that envFrom a prefix that %q does not start with, or set "+
					"envVarsInjectionPolicy of SandboxTemplate %q to %s",
				name, container.Name, envSourceName(from), name, template, extensionsv1beta1.EnvVarsInjectionPolicyOverrides,
			)
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

// setEnvVar sets a variable of the container and removes duplicates. The variable stays at the position of the first
// one of its name, because variables that refer to it come later.
func setEnvVar(container *corev1.Container, variable corev1.EnvVar) {
	at := slices.IndexFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == variable.Name })
	if at < 0 {
		container.Env = append(container.Env, variable)
		return
	}
	container.Env[at] = variable
	rest := slices.DeleteFunc(container.Env[at+1:], func(e corev1.EnvVar) bool { return e.Name == variable.Name })
	container.Env = container.Env[:at+1+len(rest)]
}

// findContainer returns the container or init container of the name, the first container if the name is empty, or nil.
func findContainer(spec *corev1.PodSpec, name string) *corev1.Container {
	if name == "" {
		if len(spec.Containers) == 0 {
			return nil
		}
		return &spec.Containers[0]
	}
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			if containers[i].Name == name {
				return &containers[i]
			}
		}
	}
	return nil
}

func containerNames(spec *corev1.PodSpec) []string {
	var names []string
	for _, containers := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range containers {
			names = append(names, containers[i].Name)
		}
	}
	return names
}
