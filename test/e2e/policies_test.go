// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestAClaimReplacesNothingThatItsTemplateHas(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	settings := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: h.Namespace}, Data: map[string]string{"MODE": "safe"},
	}
	has := func(template *extensionsv1beta1.SandboxTemplate) {
		ref := corev1.LocalObjectReference{Name: "settings"}
		spec := &template.Spec.PodTemplate.Spec
		spec.Containers[0].EnvFrom = []corev1.EnvFromSource{
			{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: ref}},
		}
		spec.Volumes = []corev1.Volume{
			{
				Name:         "rules",
				VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: ref}},
			},
		}
	}
	h.CreateAll(settings,
		h.NewTemplate("adds", has, withMount("rules"), withEnvPolicy(extensionsv1beta1.EnvVarsInjectionPolicyAllowed),
			withVolumePolicy(extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed)),
		h.NewTemplate("replaces", has, withMount("rules"), withEnvPolicy(extensionsv1beta1.EnvVarsInjectionPolicyOverrides)))
	mode := withEnv(extensionsv1beta1.EnvVar{Name: "MODE", Value: "claim"})
	h.CreateAll(h.NewClaim("variable", "adds", withoutWarmPool, mode),
		h.NewClaim("volume", "adds", withoutWarmPool, withClaimVolume("rules", "16Mi")),
		h.NewClaim("replaces", "replaces", withoutWarmPool, mode))
	h.ClaimCondition("variable", "Ready=False/EnvVarsInjectionRejected")
	h.ClaimCondition("volume", "Ready=False/VolumeClaimTemplatesError")
	h.Claimed("replaces")
	if got := h.Must("exec", "replaces", "--", "sh", "-c", "echo $MODE; cat /rules/MODE"); got != "claim\nsafe" {
		t.Errorf("under Overrides: %q", got)
	}
	harness.Patch(h, "adds", &extensionsv1beta1.SandboxTemplate{}, func(template *extensionsv1beta1.SandboxTemplate) {
		template.Spec.PodTemplate.Spec.Containers[0].EnvFrom[0].Prefix = "SET_"
	})
	h.Claimed("variable")
	if got := h.Must("exec", "variable", "--", "sh", "-c",
		"echo $MODE $SET_MODE; cat /rules/MODE"); got != "claim safe\nsafe" {
		t.Errorf("beside a prefix: %q", got)
	}
}
