// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// withPod changes the Pod of a template with an init container "setup", beside "main".
func withPod(change func(*corev1.PodSpec)) builders.TemplateOption {
	return withTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
		s.PodTemplate.Spec.InitContainers = []corev1.Container{{Name: "setup", Image: builders.Image}}
		change(&s.PodTemplate.Spec)
	})
}

func configMapSource(name, prefix string) corev1.EnvFromSource {
	return corev1.EnvFromSource{
		Prefix:       prefix,
		ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}},
	}
}

func secretSource(name string) corev1.EnvFromSource {
	return corev1.EnvFromSource{
		SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}},
	}
}

func withEnvVar(name, container string) builders.ClaimOption {
	return withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) { s.Env = sliceOf(newEnvVar(name, "claim", container)) })
}

func withOnlyVolume(name string) builders.ClaimOption {
	return withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
		s.VolumeClaimTemplates = sliceOf(builders.VolumeTemplate(name, "5Gi"))
	})
}

// withVolumeFrom adds a volume that is not new and empty.
func withVolumeFrom(change func(*corev1.PersistentVolumeClaimSpec)) builders.ClaimOption {
	return withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
		s.VolumeClaimTemplates = sliceOf(builders.VolumeTemplate("work", "5Gi"))
		change(&s.VolumeClaimTemplates[0].Spec)
	})
}

// With Allowed a claim adds and never replaces what the template sets, from whatever source; it is rejected if the
// operator cannot know. With Overrides it may replace.
func TestEveryWayIntoAPodHoldsThePolicies(t *testing.T) {
	mounted := func(s *corev1.PodSpec) {
		s.Volumes = []corev1.Volume{
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}},
		}
		s.Containers[0].VolumeMounts = []corev1.VolumeMount{
			{Name: "config", MountPath: "/etc/app"}, {Name: "work", MountPath: "/work"},
		}
	}
	const claims = "main: A=claim"
	tests := map[string]struct {
		template  builders.TemplateOption
		claim     builders.ClaimOption
		allowed   string // what the Pod has, or "!" and a part of the rejection
		overrides string
	}{
		"a variable that nothing sets": {
			withPod(func(*corev1.PodSpec) {}), withEnvVar("A", ""), claims, claims,
		},
		"a variable by its name": {
			withPod(func(s *corev1.PodSpec) { s.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "1"}} }),
			withEnvVar("A", ""),
			`!"A" is already set in container "main" of the template`,
			claims,
		},
		"a variable from elsewhere by its name": {
			withPod(func(s *corev1.PodSpec) {
				s.Containers[0].Env = []corev1.EnvVar{
					{Name: "A", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}},
				}
			}), withEnvVar("A", ""), `!"A" is already set in container "main" of the template`, claims,
		},
		"a variable that the template sets twice: the last one counts": {
			withPod(func(s *corev1.PodSpec) {
				s.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "$(A)"}, {Name: "A", Value: "2"}}
			}), withEnvVar("A", ""), `!"A" is already set`, "main: A=claim B=$(A)",
		},
		"a variable that a ConfigMap may set": {
			withPod(func(s *corev1.PodSpec) { s.Containers[0].EnvFrom = sliceOf(configMapSource("settings", "")) }),
			withEnvVar("A", ""),
			`!"A" may be set by envFrom in container "main" of the template (ConfigMap settings): remove it from the claim`,
			claims,
		},
		"a variable that a Secret may set": {
			withPod(func(s *corev1.PodSpec) { s.Containers[0].EnvFrom = sliceOf(secretSource("keys")) }),
			withEnvVar("A", ""),
			`!(Secret keys)`,
			claims,
		},
		"a variable under the prefix of an envFrom": {
			withPod(func(s *corev1.PodSpec) { s.Containers[0].EnvFrom = sliceOf(configMapSource("settings", "APP_")) }),
			withEnvVar("APP_A", ""),
			`!"APP_A" may be set by envFrom`,
			"main: APP_A=claim",
		},
		"a variable beside the prefix of an envFrom": {
			withPod(func(s *corev1.PodSpec) { s.Containers[0].EnvFrom = sliceOf(configMapSource("settings", "APP_")) }),
			withEnvVar("A", ""),
			claims,
			claims,
		},
		"a variable that is the prefix itself: no key is empty": {
			withPod(func(s *corev1.PodSpec) { s.Containers[0].EnvFrom = sliceOf(configMapSource("settings", "A")) }),
			withEnvVar("A", ""),
			claims,
			claims,
		},
		"a variable beside the prefix of one envFrom, but not of the next": {
			withPod(func(s *corev1.PodSpec) {
				s.Containers[0].EnvFrom = sliceOf(configMapSource("settings", "APP_"), secretSource("keys"))
			}), withEnvVar("A", ""),
			`!(Secret keys)`, claims,
		},
		"the envFrom of another container": {
			withPod(func(s *corev1.PodSpec) { s.InitContainers[0].EnvFrom = sliceOf(secretSource("keys")) }),
			withEnvVar("A", ""),
			claims,
			claims,
		},
		"a variable of an init container by its name": {
			withPod(func(s *corev1.PodSpec) { s.InitContainers[0].Env = []corev1.EnvVar{{Name: "A", Value: "1"}} }),
			withEnvVar("A", "setup"),
			`!"A" is already set in container "setup"`,
			"setup: A=claim",
		},
		"a variable of an init container that a Secret may set": {
			withPod(func(s *corev1.PodSpec) { s.InitContainers[0].EnvFrom = sliceOf(secretSource("keys")) }),
			withEnvVar("A", "setup"),
			`!"A" may be set by envFrom in container "setup"`,
			"setup: A=claim",
		},
		"a volume that nothing has, for a mount that waits for it": {
			withPod(mounted), withOnlyVolume("work"), "work=5Gi", "work=5Gi",
		},
		"a volume of the template's volumeClaimTemplates": {
			builders.WithVolume("data", "1Gi"), withOnlyVolume("data"), `!already has a volume "data"`, "data=5Gi",
		},
		"a volume of the template's Pod, which is mounted": {
			withPod(mounted), withOnlyVolume("config"), `!already has a volume "config"`, "config=5Gi",
		},
		"a volume that is a copy of another one": {
			withPod(mounted), withVolumeFrom(func(s *corev1.PersistentVolumeClaimSpec) {
				s.DataSource = &corev1.TypedLocalObjectReference{Kind: "PersistentVolumeClaim", Name: "data-theirs"}
			}), `!volume "work" of the claim would begin with data`, "work=5Gi",
		},
		"a volume that is a copy of one in another namespace": {
			withPod(mounted), withVolumeFrom(func(s *corev1.PersistentVolumeClaimSpec) {
				s.DataSourceRef = &corev1.TypedObjectReference{Kind: "VolumeSnapshot", Name: "theirs", Namespace: new("theirs")}
			}), `!volume "work" of the claim would begin with data`, "work=5Gi",
		},
		"a volume that names a PersistentVolume": {
			withPod(mounted), withVolumeFrom(func(s *corev1.PersistentVolumeClaimSpec) { s.VolumeName = "theirs" }),
			`!volume "work" of the claim would begin with data`, "work=5Gi",
		},
		"a volume that selects PersistentVolumes": {
			withPod(mounted),
			withVolumeFrom(func(s *corev1.PersistentVolumeClaimSpec) { s.Selector = &metav1.LabelSelector{} }),
			`!volume "work" of the claim would begin with data`, "work=5Gi",
		},
		"a label of the Pod": {
			builders.WithPodLabel("tier", "1"),
			withPodLabels(keys{"tier": "2"}, nil),
			`!already sets "tier" to "1"`,
			`!already sets "tier" to "1"`,
		},
		"an annotation of the Pod": {
			builders.WithPodAnnotation("note", "1"),
			withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) { s.AdditionalPodMetadata.Annotations = keys{"note": "2"} }),
			`!already sets "note" to "1"`, `!already sets "note" to "1"`,
		},
		"a label that is ours": {
			withPod(func(*corev1.PodSpec) {}), withPodLabels(nil, keys{"agents.x-k8s.io/sandbox-template-ref-hash": "x"}),
			"!reserved domain agents.x-k8s.io", "!reserved domain agents.x-k8s.io",
		},
		"an annotation that Kubernetes reads": {
			withPod(func(*corev1.PodSpec) {}),
			withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
				s.PodMetadata = &extensionsv1beta1.Metadata{
					Annotations: keys{"container.apparmor.security.beta.kubernetes.io/main": "unconfined"},
				}
			}), "!reserved domain kubernetes.io", "!reserved domain kubernetes.io",
		},
	}
	for name, tt := range tests {
		for policy, want := range map[string]string{"Allowed": tt.allowed, "Overrides": tt.overrides} {
			t.Run(policy+": "+name, func(t *testing.T) {
				from := newTemplate(tt.template, withTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
					s.EnvVarsInjectionPolicy = extensionsv1beta1.EnvVarsInjectionPolicy(policy)
					s.VolumeClaimTemplatesPolicy = extensionsv1beta1.VolumeClaimTemplatesPolicy(policy)
				}))
				got := describePod(
					nextStep(testNow, newClaim("c", builders.WithWarmPool(apis.WarmPoolNone), tt.claim), observed{template: from}),
				)
				if refusal, refused := strings.CutPrefix(
					want, "!",
				); (refused && (!strings.HasPrefix(got, "!") || !strings.Contains(got, refusal))) ||
					(!refused && got != want) {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		}
	}
}

// describePod formats the variables and volumes of a new Sandbox, or "!" and the rejection.
func describePod(todo step) string {
	switch s := todo.(type) {
	case reject:
		return "!" + s.rejection.message
	case create:
		var all []string
		pod := &s.sandbox.Spec.PodTemplate.Spec
		for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
			text := c.Name + ":"
			for _, e := range c.Env {
				text += " " + e.Name + "=" + e.Value
			}
			if len(c.Env) > 0 {
				all = append(all, text)
			}
		}
		for _, v := range s.sandbox.Spec.VolumeClaimTemplates {
			size := v.Spec.Resources.Requests[corev1.ResourceStorage]
			all = append(all, v.Name+"="+size.String())
		}
		return strings.Join(all, "; ")
	default:
		return fmt.Sprintf("%T", todo)
	}
}
