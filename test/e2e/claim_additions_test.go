// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// withoutWarmPool makes a claim start its Sandbox cold.
func withoutWarmPool(claim *extensionsv1beta1.SandboxClaim) {
	none := extensionsv1beta1.WarmPoolPolicy(apis.WarmPoolNone)
	claim.Spec.WarmPool = &none
}

func withEnv(variables ...extensionsv1beta1.EnvVar) func(*extensionsv1beta1.SandboxClaim) {
	return func(claim *extensionsv1beta1.SandboxClaim) { claim.Spec.Env = variables }
}

func withEnvPolicy(policy extensionsv1beta1.EnvVarsInjectionPolicy) func(*extensionsv1beta1.SandboxTemplate) {
	return func(template *extensionsv1beta1.SandboxTemplate) { template.Spec.EnvVarsInjectionPolicy = policy }
}

func withVolumePolicy(policy extensionsv1beta1.VolumeClaimTemplatesPolicy) func(*extensionsv1beta1.SandboxTemplate) {
	return func(template *extensionsv1beta1.SandboxTemplate) { template.Spec.VolumeClaimTemplatesPolicy = policy }
}

// volumeTemplate returns a volume claim template of the given size.
func volumeTemplate(name, size string) agentsv1beta1.PersistentVolumeClaimTemplate {
	volume := agentsv1beta1.PersistentVolumeClaimTemplate{
		EmbeddedObjectMetadata: agentsv1beta1.EmbeddedObjectMetadata{Name: name},
	}
	volume.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	volume.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: quantity(size)}
	return volume
}

func withClaimVolume(name, size string) func(*extensionsv1beta1.SandboxClaim) {
	return func(claim *extensionsv1beta1.SandboxClaim) {
		claim.Spec.VolumeClaimTemplates = append(claim.Spec.VolumeClaimTemplates, volumeTemplate(name, size))
	}
}

// withMount makes the template's container mount a volume at the directory of the same name.
func withMount(name string) func(*extensionsv1beta1.SandboxTemplate) {
	return func(template *extensionsv1beta1.SandboxTemplate) {
		container := &template.Spec.PodTemplate.Spec.Containers[0]
		container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: "/" + name})
	}
}

func TestVariablesOfAClaimReachTheContainersThatTheyAreFor(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	two := func(template *extensionsv1beta1.SandboxTemplate) {
		spec := &template.Spec.PodTemplate.Spec
		spec.Containers = append(spec.Containers, corev1.Container{Name: "side", Image: harness.ImageShell})
	}
	h.CreateAll(
		h.NewTemplate("adds", two, withTemplateEnv("BASE", "template"),
			withEnvPolicy(extensionsv1beta1.EnvVarsInjectionPolicyAllowed)),
		h.NewTemplate("replaces", withTemplateEnv("BASE", "template"),
			withEnvPolicy(extensionsv1beta1.EnvVarsInjectionPolicyOverrides)),
		h.NewPool("warm", "adds", 1))
	h.FullPool("warm")
	added := withEnv(extensionsv1beta1.EnvVar{Name: "WHO", Value: "claim"}, extensionsv1beta1.EnvVar{
		Name: "WHO", Value: "beside", ContainerName: "side",
	})
	h.CreateAll(
		h.NewClaim("adds", "adds", withoutWarmPool, added),
		h.NewClaim("of-pool", "", byPool("warm"), added),
		h.NewClaim("replaces", "replaces", withoutWarmPool, withEnv(extensionsv1beta1.EnvVar{Name: "BASE", Value: "claim"})))
	says := func(claim, container, want string) {
		t.Helper()
		if got := h.Must("exec", claim, "-c", container, "--", "sh", "-c", "echo $BASE $WHO"); got != want+"\n" {
			t.Errorf("in container %s of %s: %q, want %q", container, claim, got, want)
		}
	}
	for _, claim := range []string{"adds", "of-pool"} {
		if s := h.Claimed(claim); harness.Warm(s) {
			t.Errorf("%s with variables took warm Sandbox %s", claim, s.Name)
		}
		says(claim, "main", "template claim")
		says(claim, "side", "beside")
	}
	h.Claimed("replaces")
	says("replaces", "main", "claim")
	h.FullPool("warm")
}

func TestVolumesOfAClaimAreMountedAndGoWithIt(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	own := func(template *extensionsv1beta1.SandboxTemplate) {
		template.Spec.VolumeClaimTemplates = []agentsv1beta1.PersistentVolumeClaimTemplate{volumeTemplate("data", "16Mi")}
	}
	h.CreateAll(
		h.NewTemplate("adds", withMount("data"), withVolumePolicy(extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed)),
		h.NewTemplate("replaces", withMount("data"), own,
			withVolumePolicy(extensionsv1beta1.VolumeClaimTemplatesPolicyOverrides)))
	for _, name := range []string{"adds", "replaces"} {
		h.CreateAll(h.NewClaim(name, name, withoutWarmPool, withClaimVolume("data", "32Mi")))
	}
	for _, name := range []string{"adds", "replaces"} {
		h.Claimed(name)
		if got := h.Must("exec", name, "--", "sh", "-c", "echo kept > /data/file && cat /data/file"); got != "kept\n" {
			t.Errorf("the volume of %s holds %q", name, got)
		}
		var pvc corev1.PersistentVolumeClaim
		if !h.Get("data-"+name, &pvc) || pvc.Spec.Resources.Requests.Storage().String() != "32Mi" ||
			pvc.Status.Phase != corev1.ClaimBound {
			t.Errorf("the volume of %s is %+v, %s", name, pvc.Spec.Resources.Requests, pvc.Status.Phase)
		}
	}
	h.Must("delete", "claim/adds", "--yes", "--wait")
	h.Gone("data-adds", &corev1.PersistentVolumeClaim{})
}

func TestMetadataOfAClaimFollowsItOnTheLiveSandboxAndPod(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	templated := func(template *extensionsv1beta1.SandboxTemplate) {
		template.Spec.PodTemplate.ObjectMeta.Labels = map[string]string{"tier": "template", "zone": "template"}
	}
	h.CreateAll(h.NewTemplate("shell", templated), h.NewPool("warm", "shell", 1))
	h.FullPool("warm")
	h.CreateAll(h.NewClaim("dev", "shell", func(claim *extensionsv1beta1.SandboxClaim) {
		claim.Spec.AdditionalPodMetadata.Labels = map[string]string{"extra": "strict"}
		claim.Spec.SandboxMetadata = &extensionsv1beta1.Metadata{
			Labels: map[string]string{"team": "a"}, Annotations: map[string]string{"note": "one"},
		}
		claim.Spec.PodMetadata = &extensionsv1beta1.Metadata{
			Labels: map[string]string{"team": "a", "tier": "claim"}, Annotations: map[string]string{"note": "one"},
		}
	}))
	s := h.Claimed("dev")
	if !harness.Warm(s) {
		t.Error("metadata kept the claim from a warm Sandbox")
	}
	pod := h.Pod(s)
	h.MustKubectl("label", "sandbox/"+s.Name, "pod/"+pod.Name, "foreign=stays")
	reads := func(what string, onSandbox, onPod map[string]string) { // an empty value means that the key is absent
		t.Helper()
		h.Eventually(what, func() error {
			var s2 agentsv1beta1.Sandbox
			var pod2 corev1.Pod
			if !h.Get(s.Name, &s2) || !h.Get(pod.Name, &pod2) || pod2.UID != pod.UID {
				return fmt.Errorf("Sandbox or Pod is not what it was")
			}
			return firstError(checkMetadata("Sandbox", &s2, onSandbox), checkMetadata("Pod", &pod2, onPod))
		})
	}
	reads("what the claim begins with",
		map[string]string{"team": "a", "#note": "one", "foreign": "stays"},
		map[string]string{
			"team": "a", "tier": "claim", "zone": "template", "extra": "strict", "#note": "one", "foreign": "stays",
		})
	change := func(to func(*extensionsv1beta1.SandboxClaimSpec)) {
		harness.Patch(h, "dev", &extensionsv1beta1.SandboxClaim{}, func(claim *extensionsv1beta1.SandboxClaim) {
			to(&claim.Spec)
		})
	}
	change(func(spec *extensionsv1beta1.SandboxClaimSpec) {
		spec.SandboxMetadata.Labels = map[string]string{"team": "b", "added": "yes"}
		spec.SandboxMetadata.Annotations = nil
		spec.PodMetadata.Labels = map[string]string{"team": "b", "added": "yes"}
		spec.PodMetadata.Annotations["note"] = "two"
	})
	reads("a change, an addition, a removal",
		map[string]string{"team": "b", "added": "yes", "#note": "", "foreign": "stays"},
		map[string]string{
			"team": "b", "added": "yes", "tier": "template", "zone": "template", "extra": "strict", "#note": "two",
			"foreign": "stays",
		})
	change(func(spec *extensionsv1beta1.SandboxClaimSpec) {
		spec.SandboxMetadata, spec.PodMetadata, spec.AdditionalPodMetadata = nil, nil, agentsv1beta1.PodMetadata{}
	})
	reads("the removal of all",
		map[string]string{"team": "", "added": "", "foreign": "stays"},
		map[string]string{
			"team": "", "added": "", "tier": "template", "zone": "template", "extra": "", "#note": "", "foreign": "stays",
		})
	h.Claimed("dev")
}

// checkMetadata returns an error for a label that is not as wanted. Keys that begin with # are annotations.
func checkMetadata(what string, object metav1.Object, want map[string]string) error {
	for key, value := range want {
		is := object.GetLabels()[key]
		if annotation, marked := strings.CutPrefix(key, "#"); marked {
			is = object.GetAnnotations()[annotation]
		}
		if is != value {
			return fmt.Errorf("%s: %s is %q, want %q", what, key, is, value)
		}
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestTheNetworkPolicySelectsAPodBeforeAndAfterAdoptionAndColdOnesToo(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("shell"), h.NewPool("warm", "shell", 1))
	member := h.FullPool("warm")[0]
	var policy networkingv1.NetworkPolicy
	h.Eventually("the policy", func() error {
		if !h.Get("shell-network-policy", &policy) {
			return fmt.Errorf("there is none")
		}
		return nil
	})
	selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
	if err != nil || selector.Empty() || len(policy.Spec.PolicyTypes) != 2 || len(policy.Spec.Ingress) != 1 ||
		len(policy.Spec.Egress) != 1 {
		t.Fatalf("the policy is %+v, %v", policy.Spec, err)
	}
	selected := func(when string, pod *corev1.Pod) {
		t.Helper()
		if !selector.Matches(labels.Set(pod.Labels)) {
			t.Errorf("%s the policy does not select the Pod: %s, labels %v", when, selector, pod.Labels)
		}
	}
	before := h.Pod(&member)
	selected("while it is warm", before)
	h.CreateAll(h.NewClaim("by-template", "shell"))
	s := h.Claimed("by-template")
	if s.UID != member.UID {
		t.Fatalf("the claim got %s, and not the member %s", s.Name, member.Name)
	}
	claimUID := string(metav1.GetControllerOf(s).UID)
	h.Eventually("the Pod has its claim's label", func() error {
		if pod := h.Pod(s); pod.Labels["agents.x-k8s.io/claim-uid"] != claimUID ||
			pod.Labels["agents.x-k8s.io/warm-pool-sandbox"] != "" {
			return fmt.Errorf("labels are %v", pod.Labels)
		}
		return nil
	})
	after := h.Pod(s)
	selected("after it was adopted", after)
	if after.UID != before.UID || after.Status.ContainerStatuses[0].RestartCount != 0 ||
		s.Generation != member.Generation {
		t.Errorf("the adoption replaced or restarted the Pod: %s, was %s; generation %d, was %d",
			after.UID, before.UID, s.Generation, member.Generation)
	}
	h.CreateAll(h.NewClaim("cold", "shell", withoutWarmPool), h.NewClaim("by-pool", "", byPool("warm")))
	selected("started cold", h.Pod(h.Claimed("cold")))
	selected("of a claim by pool", h.Pod(h.Claimed("by-pool")))

	h.MustKubectl("patch", "networkpolicy/shell-network-policy", "--type=merge", "-p",
		`{"spec":{"egress":[{}],"podSelector":{}}}`)
	h.Eventually("the policy is repaired", func() error {
		var now networkingv1.NetworkPolicy
		if h.Get(policy.Name, &now); len(now.Spec.PodSelector.MatchLabels) != 1 || len(now.Spec.Egress[0].To) != 2 {
			return fmt.Errorf("it is %+v", now.Spec)
		}
		return nil
	})
	harness.Patch(h, "shell", &extensionsv1beta1.SandboxTemplate{}, func(template *extensionsv1beta1.SandboxTemplate) {
		template.Spec.NetworkPolicyManagement = extensionsv1beta1.NetworkPolicyManagementUnmanaged
	})
	h.Gone(policy.Name, &networkingv1.NetworkPolicy{})
}
