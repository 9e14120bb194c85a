// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package tenant

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

const (
	envRejected    = apis.ReasonEnvVarsInjectionRejected
	volumeRejected = apis.ReasonVolumeClaimTemplatesError
)

// The template of these attempts belongs to others. It lets claims add variables and volumes unless a row says
// otherwise, and has an init container and two others.
var additions = map[string]attempt{
	"set a variable, where the template permits none": {
		try: func(w *tenancy) outcome {
			w.protected(builders.Template("web"))
			w.creates(builders.Claim("box", "web", cold, builders.WithEnv("A", "injected")))
			return w.claimSays("box")
		},
		want: outcome{inReady(envRejected), "environment variable injection is not allowed by the template policy"},
	},
	"replace a variable of the template": {
		try: func(w *tenancy) outcome { return w.adds(env("main", "SET"), nil) },
		want: outcome{
			inReady(envRejected), `environment variable "SET" is already set in container "main" of the template`,
		},
	},
	"replace a variable that `envFrom` takes from a ConfigMap": {
		try: func(w *tenancy) outcome { return w.adds(env("main", "A"), envFrom("")) },
		want: outcome{
			inReady(envRejected), `environment variable "A" may be set by envFrom in container "main" of the template`,
		},
	},
	"replace a variable below the prefix of an `envFrom`": {
		try:  func(w *tenancy) outcome { return w.adds(env("main", "APP_A"), envFrom("APP_")) },
		want: outcome{inReady(envRejected), `environment variable "APP_A" may be set by envFrom`},
	},
	"set a variable beside the prefix of an `envFrom`": {
		try:  func(w *tenancy) outcome { return w.added(env("main", "A"), envFrom("APP_"), "main", "A=injected") },
		want: outcome{nobody, "no key of the ConfigMap can have this name, so nothing is replaced"},
	},
	"replace a variable of an init container": {
		try:  func(w *tenancy) outcome { return w.adds(env("setup", "SETUP"), nil) },
		want: outcome{inReady(envRejected), `environment variable "SETUP" is already set in container "setup"`},
	},
	"set a variable that only another container has": {
		try:  func(w *tenancy) outcome { return w.added(env("side", "SET"), nil, "side", "SET=injected") },
		want: outcome{nobody, "`Allowed` is about every container of the Pod, and this one does not have the variable"},
	},
	"change what the template's command reads: its `$(MODE)` is a variable that only a claim sets": {
		try: func(w *tenancy) outcome {
			return w.added(env("main", "MODE"), func(s *corev1.PodSpec) {
				s.Containers[0].Args = []string{"--mode=$(MODE)"}
			}, "main", "MODE=injected")
		},
		want: outcome{nobody, "the template does not set it, so nothing is replaced"},
	},
	"set a variable of a running Pod of a pool": {
		try: func(w *tenancy) outcome {
			w.protected(extendable(nil))
			w.creates(builders.Claim("box", "web", builders.WithEnv("A", "injected")))
			return w.claimSays("box")
		},
		want: outcome{inReady(envRejected), "a running warm Sandbox cannot take environment variables"},
	},
	"change the variables of a claim that has its Sandbox": {
		try: func(w *tenancy) outcome {
			w.protected(extendable(nil))
			w.creates(builders.Claim("box", "web", cold, builders.WithEnv("A", "1")))
			w.claimed("box")
			return refusal(tryEdit(w, "box", &extensionsv1beta1.SandboxClaim{}, func(c *extensionsv1beta1.SandboxClaim) {
				c.Spec.Env[0].Value = "injected"
			}))
		},
		want: outcome{bySchema, "env cannot change any more"},
	},
	"change the template of a claim": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Claim("box", "none"))
			return refusal(tryEdit(w, "box", &extensionsv1beta1.SandboxClaim{}, func(c *extensionsv1beta1.SandboxClaim) {
				c.Spec.TemplateRef.Name = "web"
			}))
		},
		want: outcome{bySchema, "sandboxTemplateRef and warmPoolRef cannot change"},
	},
	"change the template of a claim, in the older version of the API": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Claim("box", "none"))
			claim := w.unstructured(builders.Claim("box", "none"))
			claim.SetAPIVersion("extensions.agents.x-k8s.io/v1alpha1")
			patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"sandboxTemplateRef":{"name":"web"}}}`))
			return refusal(w.tenant.Patch(w.Context(), w.in(claim), patch))
		},
		want: outcome{bySchema, "sandboxTemplateRef and warmPoolRef cannot change"},
	},
	"use a template of another namespace": {
		try: func(w *tenancy) outcome {
			w.creates(builders.Claim("box", "default/web"))
			return w.claimSays("box")
		},
		want: outcome{inReady(apis.ReasonTemplateNotFound), "does not exist in namespace"},
	},
	"get a member of a pool of another template": {
		try: func(w *tenancy) outcome {
			w.given(builders.Template("web"), builders.Template("other"), builders.Pool("others", "other"))
			w.creates(builders.Claim("box", "web", builders.WithWarmPool("others")))
			return w.claimSays("box")
		},
		want: outcome{inReady(apis.ReasonWarmPoolNotFound), `keeps Sandboxes of template "other"`},
	},
	"add a volume, where the template permits none": {
		try: func(w *tenancy) outcome {
			w.protected(builders.Template("web"))
			w.creates(builders.Claim("box", "web", cold, volume(builders.VolumeTemplate("extra", "1Gi"))))
			return w.claimSays("box")
		},
		want: outcome{inReady(volumeRejected), "volumeClaimTemplates of claims are not allowed by the template policy"},
	},
	"replace a volume of the template": {
		try:  func(w *tenancy) outcome { return w.adds(volume(builders.VolumeTemplate("data", "1Gi")), nil) },
		want: outcome{inReady(volumeRejected), `the template already has a volume "data"`},
	},
	"replace a ConfigMap that the template mounts": {
		try:  func(w *tenancy) outcome { return w.adds(volume(builders.VolumeTemplate("config", "1Gi")), nil) },
		want: outcome{inReady(volumeRejected), `the template already has a volume "config"`},
	},
	"mount a volume over a path of the template, or below it, with a subPath or a slash at the end": {
		try: func(w *tenancy) outcome {
			w.protected(extendable(nil))
			object := w.unstructured(builders.Claim("box", "web", cold, volume(builders.VolumeTemplate("extra", "1Gi"))))
			templates := object.Object["spec"].(map[string]any)["volumeClaimTemplates"].([]any)
			for _, path := range []string{"/etc/app", "/etc/app/", "/etc/app/below"} {
				templates[0].(map[string]any)["mountPath"], templates[0].(map[string]any)["subPath"] = path, "a"
			}
			w.creates(object)
			var mounts []string
			for _, mount := range w.claimed("box").Spec.PodTemplate.Spec.Containers[0].VolumeMounts {
				mounts = append(mounts, mount.Name+":"+mount.MountPath)
			}
			if slices.Sort(mounts); !slices.Equal(mounts, []string{"config:/etc/app", "data:/data"}) {
				return outcome{nobody, fmt.Sprintf("mounts are %v", mounts)}
			}
			return outcome{bySchema, "lets the template alone say where volumes are mounted"}
		},
		want: outcome{bySchema, "lets the template alone say where volumes are mounted"},
	},
	"read the volume of another Sandbox: the added volume is a copy of it (`dataSource`)": {
		try: func(w *tenancy) outcome {
			copied := builders.VolumeTemplate("extra", "1Gi")
			copied.Spec.DataSource = &corev1.TypedLocalObjectReference{Kind: "PersistentVolumeClaim", Name: "data-theirs"}
			return w.adds(volume(copied), nil)
		},
		want: outcome{inReady(volumeRejected), `volume "extra" of the claim would begin with data`},
	},
	"read data of others: the added volume has a `dataSourceRef` of another namespace": {
		try: func(w *tenancy) outcome {
			copied := builders.VolumeTemplate("extra", "1Gi")
			copied.Spec.DataSourceRef = &corev1.TypedObjectReference{
				Kind: "PersistentVolumeClaim", Name: "data-box", Namespace: new("default"),
			}
			return w.adds(volume(copied), nil)
		},
		want: outcome{inReady(volumeRejected), `volume "extra" of the claim would begin with data`},
	},
	"take a PersistentVolume that is kept for others: the added volume names it": {
		try: func(w *tenancy) outcome {
			chosen := builders.VolumeTemplate("extra", "1Gi")
			chosen.Spec.VolumeName = "theirs"
			return w.adds(volume(chosen), nil)
		},
		want: outcome{inReady(volumeRejected), `volume "extra" of the claim would begin with data`},
	},
	"replace a label of the Pod with additionalPodMetadata": {
		try: func(w *tenancy) outcome {
			return w.adds(builders.WithClaimSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
				s.AdditionalPodMetadata = agentsv1beta1.PodMetadata{Labels: map[string]string{"tier": "mine"}}
			}), nil)
		},
		want: outcome{inReady(apis.ReasonInvalidMetadata), `the template already sets "tier" to "web"`},
	},
	"replace a label of the Pod with podMetadata": {
		try: func(w *tenancy) outcome {
			w.protected(extendable(nil))
			w.creates(builders.Claim("box", "web", cold, builders.WithClaimSpec(
				func(s *extensionsv1beta1.SandboxClaimSpec) {
					s.PodMetadata = &extensionsv1beta1.Metadata{Labels: map[string]string{"tier": "mine"}}
				})))
			if err := checkPodLabel(w.pod(w.claimed("box").Name), "tier", "mine"); err != nil {
				return outcome{byOperator, err.Error()}
			}
			return outcome{by: nobody}
		},
		want: outcome{nobody, "podMetadata overrides, whatever the template permits: let no " +
			"NetworkPolicy, Service or quota of " +
			"the namespace rely on labels of Pods that are not reserved, and no injector, network or runtime on " +
			"annotations of claims that an admission policy does not check"},
	},
}

var cold = builders.WithWarmPool(apis.WarmPoolNone)

func env(container, name string) builders.ClaimOption {
	return builders.WithClaimSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
		s.Env = []extensionsv1beta1.EnvVar{{Name: name, Value: "injected", ContainerName: container}}
	})
}

func volume(template agentsv1beta1.PersistentVolumeClaimTemplate) builders.ClaimOption {
	return builders.WithClaimSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
		s.VolumeClaimTemplates = []agentsv1beta1.PersistentVolumeClaimTemplate{template}
	})
}

// envFrom takes variables of a ConfigMap into the first container.
func envFrom(prefix string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) {
		source := &corev1.ConfigMapEnvSource{}
		source.Name = "settings"
		s.Containers[0].EnvFrom = []corev1.EnvFromSource{{Prefix: prefix, ConfigMapRef: source}}
	}
}

// extendable returns the template of others, which a claim may add to.
func extendable(change func(*corev1.PodSpec)) *extensionsv1beta1.SandboxTemplate {
	return builders.Template("web", builders.WithPodLabel("tier", "web"), builders.WithVolume("data", "1Gi"),
		builders.WithPodSpec(func(s *corev1.PodSpec) {
			s.Containers[0].Env = []corev1.EnvVar{{Name: "SET", Value: "by the template"}}
			s.Containers[0].VolumeMounts = []corev1.VolumeMount{
				{Name: "config", MountPath: "/etc/app"}, {Name: "data", MountPath: "/data"},
			}
			s.Volumes = []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{
				ConfigMap: &corev1.ConfigMapVolumeSource{Optional: new(true)},
			}}}
			s.Volumes[0].ConfigMap.Name = "settings"
			s.Containers = append(s.Containers, corev1.Container{Name: "side", Image: builders.Image})
			s.InitContainers = []corev1.Container{{
				Name: "setup", Image: builders.Image, Env: []corev1.EnvVar{{Name: "SETUP", Value: "by the template"}},
			}}
			if change != nil {
				change(s)
			}
		}), builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
			s.EnvVarsInjectionPolicy = extensionsv1beta1.EnvVarsInjectionPolicyAllowed
			s.VolumeClaimTemplatesPolicy = extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed
		}))
}

// adds makes the tenant claim a Sandbox of the template with an addition, and returns what the claim says.
func (w *tenancy) adds(addition builders.ClaimOption, change func(*corev1.PodSpec)) outcome {
	w.Helper()
	w.protected(extendable(change))
	w.creates(builders.Claim("box", "web", cold, addition))
	defer w.checkNone("box", &agentsv1beta1.Sandbox{})
	return w.claimSays("box")
}

// added makes the tenant claim a Sandbox of the template with a variable, which the Pod must have beside those of the
// template.
func (w *tenancy) added(addition builders.ClaimOption, change func(*corev1.PodSpec), in, variable string) outcome {
	w.Helper()
	w.protected(extendable(change))
	w.creates(builders.Claim("box", "web", cold, addition))
	pod := w.pod(w.claimed("box").Name)
	have := map[string][]string{}
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, e := range container.Env {
			have[container.Name] = append(have[container.Name], e.Name+"="+e.Value)
		}
	}
	want := map[string][]string{"main": {"SET=by the template"}, "setup": {"SETUP=by the template"}}
	want[in] = append(want[in], variable)
	if fmt.Sprint(have) != fmt.Sprint(want) {
		return outcome{byOperator, strings.Join([]string{fmt.Sprint(have), fmt.Sprint(want)}, " is not ")}
	}
	return outcome{by: nobody}
}
