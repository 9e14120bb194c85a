// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metadata"
)

func TestPodLabels(t *testing.T) {
	own := func(more map[string]string) map[string]string {
		all := map[string]string{apis.LabelSandboxNameHash: nameHash(), apis.LabelSandboxUID: string(testUID)}
		maps.Copy(all, more)
		return all
	}
	identity := func(s *agentsv1beta1.Sandbox) {
		labelled(apis.LabelClaimUID, "claim")(s)
		labelled(apis.LabelSandboxTemplateRefHash, "template")(s)
		labelled(apis.LabelWarmPoolSandbox, "pool")(s)
	}
	tests := map[string]struct {
		sandbox     *agentsv1beta1.Sandbox
		was         *corev1.Pod
		want        map[string]string
		wantDropped []string
	}{
		"the template's labels and ours": {
			sandbox: box(podLabels(map[string]string{"app": "demo"})), want: own(map[string]string{"app": "demo"}),
		},
		"a tenant cannot set our selector, hijacking another Sandbox's Service": {
			sandbox: box(podLabels(map[string]string{apis.LabelSandboxNameHash: "deadbeef", apis.LabelSandboxUID: "x"})),
			want:    own(nil), wantDropped: []string{apis.LabelSandboxNameHash, apis.LabelSandboxUID},
		},
		"a tenant cannot pose as the router, nor as a template's Sandbox": {
			sandbox: box(podLabels(map[string]string{"app": apis.AppRouter, apis.LabelSandboxTemplateRefHash: "x"})),
			want:    own(nil), wantDropped: []string{apis.LabelSandboxTemplateRefHash, "app"},
		},
		"identity labels on a Sandbox that nobody of ours holds stay off the Pod": {
			sandbox: box(identity), want: own(nil),
		},
		"a holder of our kind in another group is not ours": {
			sandbox: box(identity, controlledBy("example.com", apis.KindSandboxClaim)), want: own(nil),
		},
		"identity labels reach the Pod while a claim holds the Sandbox, whatever the API version of the reference": {
			sandbox: box(identity, controlledBy(apis.GroupExtensions, apis.KindSandboxClaim)),
			want: own(map[string]string{
				apis.LabelClaimUID: "claim", apis.LabelSandboxTemplateRefHash: "template", apis.LabelWarmPoolSandbox: "pool",
			}),
		},
		"an identity label that left the Sandbox leaves the Pod, but for the one that its NetworkPolicy selects by": {
			sandbox: box(labelled(apis.LabelClaimUID, "claim"), controlledBy(apis.GroupExtensions, apis.KindSandboxClaim)),
			was:     builtPod(box(identity, controlledBy(apis.GroupExtensions, apis.KindSandboxWarmPool))),
			want:    own(map[string]string{apis.LabelClaimUID: "claim", apis.LabelSandboxTemplateRefHash: "template"}),
		},
		"a Pod stays under its policy when nobody holds its Sandbox any more": {
			sandbox: box(), was: builtPod(box(identity, controlledBy(apis.GroupExtensions, apis.KindSandboxClaim))),
			want: own(map[string]string{apis.LabelSandboxTemplateRefHash: "template"}),
		},
		"a label that left the template leaves the Pod, one that somebody else set stays": {
			sandbox: box(podLabels(map[string]string{"a": "1"})),
			was: builtPod(box(podLabels(map[string]string{"a": "1", "b": "2"})), func(p *corev1.Pod) {
				p.Labels["theirs"] = "stays"
			}),
			want: own(map[string]string{"a": "1", "theirs": "stays"}),
		},
		"a tracking annotation that somebody forged cannot remove our labels": {
			sandbox: box(), was: builtPod(box(), func(p *corev1.Pod) {
				metadata.Set(&p.Annotations, apis.AnnotationPropagatedLabels, apis.LabelSandboxNameHash+",x")
			}),
			want: own(nil),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, dropped := buildPod(tt.sandbox, tt.was)
			if diff := cmp.Diff(tt.want, got.Labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.wantDropped, dropped); diff != "" {
				t.Errorf("dropped (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPodThatSomebodyClaimedIsNotSafeToEvict(t *testing.T) {
	evictable := func(value string) sandboxOption {
		return func(s *agentsv1beta1.Sandbox) {
			metadata.Set(&s.Spec.PodTemplate.ObjectMeta.Annotations, "cluster-autoscaler.kubernetes.io/safe-to-evict", value)
		}
	}
	warm := controlledBy(apis.GroupExtensions, apis.KindSandboxWarmPool)
	tests := map[string]struct {
		sandbox *agentsv1beta1.Sandbox
		want    string
	}{
		"while it is warm it is":               {box(evictable("true"), warm), "true"},
		"nobody claims a Sandbox of one's own": {box(evictable("true")), "true"},
		"claimed it is not": {
			box(evictable("true"), controlledBy(apis.GroupExtensions, apis.KindSandboxClaim)), "",
		},
		"claimed, and the template forbids it: that stays": {
			box(evictable("false"), controlledBy(apis.GroupExtensions, apis.KindSandboxClaim)), "false",
		},
	}
	for name, tt := range tests {
		for state, was := range map[string]*corev1.Pod{"new": nil, "warm before": builtPod(box(evictable("true"), warm))} {
			pod, _ := buildPod(tt.sandbox, was)
			if got := pod.Annotations[apis.AnnotationSafeToEvict]; got != tt.want {
				t.Errorf("%s (%s): %q, want %q", name, state, got, tt.want)
			}
		}
	}
}

func TestPodKeepsItsSpecAndVolumesComeFromClaims(t *testing.T) {
	sandbox := box(volume("data"), volume("cache"), func(s *agentsv1beta1.Sandbox) {
		s.Spec.PodTemplate.Spec.Volumes = []corev1.Volume{
			{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}, {Name: "tmp"},
		}
	})
	made, _ := buildPod(sandbox, nil)
	var got []string
	for _, v := range made.Spec.Volumes {
		source := "-"
		if v.PersistentVolumeClaim != nil {
			source = v.PersistentVolumeClaim.ClaimName
		}
		got = append(got, v.Name+"="+source)
	}
	if diff := cmp.Diff([]string{"data=data-box", "tmp=-", "cache=cache-box"}, got); diff != "" {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
	changed := sandbox.DeepCopy()
	changed.Spec.PodTemplate.Spec.Containers[0].Image = "localhost/x:v2"
	repaired, _ := buildPod(changed, made)
	if diff := cmp.Diff(made, repaired); diff != "" {
		t.Errorf("a changed template changed the live Pod:\n%s", diff)
	}
}

func TestServiceSelectsOurPodAndNoOther(t *testing.T) {
	sandbox := box(podLabels(map[string]string{apis.LabelSandboxUID: "forged"}))
	selector := labels.SelectorFromSet(serviceOf(sandbox).Spec.Selector)
	twin := box()
	twin.UID = "another-incarnation" // same name, so the same hash
	if !selector.Matches(labels.Set(builtPod(sandbox).Labels)) {
		t.Error("the Service does not select its own Pod")
	}
	if selector.Matches(labels.Set(builtPod(twin).Labels)) {
		t.Error("the Service selects a Pod of another Sandbox with the same hash")
	}
}

func TestServicePorts(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	spec := &corev1.PodSpec{
		InitContainers: []corev1.Container{
			{Name: "once", Ports: []corev1.ContainerPort{{ContainerPort: 1}}},
			{Name: "sidecar", RestartPolicy: &always, Ports: []corev1.ContainerPort{{Name: "mesh", ContainerPort: 15000}}},
		},
		Containers: []corev1.Container{
			{Name: "a", Ports: []corev1.ContainerPort{
				{Name: "http", ContainerPort: 80}, {ContainerPort: 53, Protocol: corev1.ProtocolUDP}, {ContainerPort: 80},
			}},
			{Name: "b", Ports: []corev1.ContainerPort{
				{Name: "http", ContainerPort: 8080}, {Name: "tcp-7", ContainerPort: 9}, {ContainerPort: 7},
			}},
		},
	}
	var got []string
	for _, p := range servicePorts(spec) {
		got = append(got, p.Name+"/"+string(p.Protocol)+"/"+p.TargetPort.String())
	}
	want := []string{"mesh/TCP/15000", "http/TCP/80", "udp-53/UDP/53", "tcp-8080/TCP/8080", "tcp-7/TCP/9", "tcp-7-x/TCP/7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ports (-want +got):\n%s", diff)
	}
}
