// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package volume_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func claim(change func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace:       "ns",
		Name:            "data-dev",
		UID:             "v",
		ResourceVersion: "1",
		Labels:          map[string]string{"agents.x-k8s.io/sandbox-name-hash": "x"},
		Annotations: map[string]string{
			"agents.x-k8s.io/sandbox-name": "dev", "agents.x-k8s.io/unused-since": "2026-05-01T12:00:00Z",
		},
	}}
	c.Status.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}
	if change != nil {
		change(c)
	}
	return c
}

func box(policy agentsv1beta1.PersistentVolumeClaimRetentionPolicyType) *agentsv1beta1.Sandbox {
	s := builders.Sandbox("dev", builders.InNamespace("ns"), builders.WithUID("s"), builders.WithVolume("data", "1Gi"))
	s.Spec.PersistentVolumeClaimRetentionPolicy = &agentsv1beta1.PersistentVolumeClaimRetentionPolicy{WhenDeleted: policy}
	return s
}

func TestWhatGoesAndWhatStays(t *testing.T) {
	ownedBy := func(s *agentsv1beta1.Sandbox) corev1.PersistentVolumeClaim {
		return *claim(func(c *corev1.PersistentVolumeClaim) { builders.OwnedBy(s)(c) })
	}
	held := builders.Claim("c", "t", builders.InNamespace("ns"), builders.WithUID("c"))
	kept := *claim(func(c *corev1.PersistentVolumeClaim) { c.Labels["agents.x-k8s.io/claim-uid"] = "c" })
	tests := map[string]struct {
		claim       *extensionsv1beta1.SandboxClaim
		sandbox     *agentsv1beta1.Sandbox
		there       []corev1.PersistentVolumeClaim
		goes, stays string
	}{
		"the spec tells where nothing may be read": {sandbox: box("Delete"), goes: "data-dev (1Gi)"},
		"of Retain too": {sandbox: box("Retain"), stays: "data-dev (1Gi)"},
		"the owner reference decides, not yet taken off": {
			sandbox: box("Retain"), there: []corev1.PersistentVolumeClaim{ownedBy(box(""))}, goes: "data-dev (2Gi)",
		},
		"and not yet given": {
			sandbox: box("Delete"), there: []corev1.PersistentVolumeClaim{*claim(nil)}, stays: "data-dev (2Gi)",
		},
		"what was kept for a claim stays": {
			claim: held, there: []corev1.PersistentVolumeClaim{kept, *claim(nil)}, stays: "data-dev (2Gi)",
		},
		"a claim that never had anything leaves nothing": {claim: held},
		"a Sandbox without volumes leaves nothing":       {sandbox: builders.Sandbox("dev", builders.InNamespace("ns"))},
		"a volume of that name in another namespace is no": {
			sandbox: box("Delete"),
			there:   []corev1.PersistentVolumeClaim{*claim(func(c *corev1.PersistentVolumeClaim) { c.Namespace = "other" })},
			goes:    "data-dev (1Gi)",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fates := volume.Outcomes(tt.claim, tt.sandbox, tt.there)
			if goes, stays := volume.Names(fates, false), volume.Names(fates, true); goes != tt.goes || stays != tt.stays {
				t.Errorf("goes %q, stays %q", goes, stays)
			}
		})
	}
}

func TestTheEndInWords(t *testing.T) {
	held := func(policy extensionsv1beta1.ShutdownPolicy) *extensionsv1beta1.SandboxClaim {
		return builders.Claim("c", "t", builders.InNamespace("ns"), builders.WithClaimShutdown(time.Unix(0, 0), policy))
	}
	alone := func(s *agentsv1beta1.Sandbox, policy agentsv1beta1.ShutdownPolicy) *agentsv1beta1.Sandbox {
		s.Spec.ShutdownPolicy = &policy
		return s
	}
	tests := map[string]struct {
		claim   *extensionsv1beta1.SandboxClaim
		sandbox *agentsv1beta1.Sandbox
		want    string
	}{
		"a claim": {
			claim: held("Retain"), sandbox: box("Delete"),
			want: "the claim stays and its Sandbox is deleted, with volume data-dev (1Gi)",
		},
		"a claim without a policy": {
			claim: held(""), sandbox: box("Retain"),
			want: "the claim stays and its Sandbox is deleted; volume data-dev (1Gi) stays",
		},
		"a claim that goes": {
			claim: held("Delete"), sandbox: box("Retain"),
			want: "the claim is deleted with its Sandbox; volume data-dev (1Gi) stays",
		},
		"a claim without a Sandbox": {claim: held("Retain"), want: "the claim stays and its Sandbox is deleted"},
		"a Sandbox that stays": {
			sandbox: alone(box("Delete"), "Retain"), want: "its Pod is deleted; the Sandbox stays, with its volumes",
		},
		"one without volumes": {
			sandbox: alone(builders.Sandbox("dev"), "Retain"), want: "its Pod is deleted; the Sandbox stays",
		},
		"a Sandbox that goes": {
			sandbox: alone(box("Delete"), "Delete"), want: "the Sandbox is deleted, with volume data-dev (1Gi)",
		},
		"a Sandbox that goes without": {
			sandbox: alone(box("Retain"), "Delete"), want: "the Sandbox is deleted; volume data-dev (1Gi) stays",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := volume.ShutdownText(tt.claim, tt.sandbox, nil); got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestWhatUsesAVolume(t *testing.T) {
	pod := builders.Pod("tool", builders.InNamespace("ns"), builders.PodWith(func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "x", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-dev"},
		}}}
	}))
	held := builders.Claim("c", "t", builders.InNamespace("ns"), builders.WithUID("c"))
	ofClaim := claim(func(c *corev1.PersistentVolumeClaim) { c.Labels["agents.x-k8s.io/claim-uid"] = "c" })
	tests := map[string]struct {
		volume  *corev1.PersistentVolumeClaim
		objects []runtime.Object
		want    string
	}{
		"nothing": {volume: claim(nil)},
		"the Sandbox that has it": {
			volume: claim(nil), objects: []runtime.Object{box("Retain")}, want: "sandbox/dev",
		},
		"a Sandbox of the name without it": {
			volume: claim(nil), objects: []runtime.Object{builders.Sandbox("dev", builders.InNamespace("ns"))},
		},
		"a Sandbox of another namespace": {
			volume:  claim(nil),
			objects: []runtime.Object{builders.Sandbox("dev", builders.InNamespace("o"), builders.WithVolume("data", "1Gi"))},
		},
		"a Pod that somebody made": {
			volume: claim(nil), objects: []runtime.Object{pod}, want: "pod/tool",
		},
		"a claim that gets it back": {volume: ofClaim, objects: []runtime.Object{held}, want: "claim/c"},
		"a claim that is gone":      {volume: ofClaim},
		"a Sandbox that is gone and takes it along": {
			volume: claim(func(c *corev1.PersistentVolumeClaim) { builders.OwnedBy(box(""))(c) }), want: "sandbox/dev",
		},
		"a Sandbox comes before the claim that has it": {
			volume: ofClaim, objects: []runtime.Object{held, box("Retain")}, want: "sandbox/dev",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(append(tt.objects, tt.volume)...)
			c := volume.New(cluster.Sandboxes, cluster.Kubernetes)
			got, err := c.Get(t.Context(), "ns", "data-dev")
			all, listErr := c.List(t.Context(), "", "")
			if err != nil || listErr != nil || len(all) != 1 {
				t.Fatalf("%v, %v, %d", err, listErr, len(all))
			}
			if got.UsedBy != tt.want || all[0].UsedBy != tt.want || got.Sandbox != "dev" ||
				got.UnusedSince.IsZero() == (tt.want == "") {
				t.Errorf("got %+v, listed %+v", got, all[0])
			}
		})
	}
}

func TestAVolumeThatIsUsedOrTakenMeanwhileIsNotDeleted(t *testing.T) {
	cluster := fakecluster.New(claim(nil), box("Retain"))
	c := volume.New(cluster.Sandboxes, cluster.Kubernetes)
	v, err := c.Get(t.Context(), "ns", "data-dev")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), v); err == nil || !strings.Contains(err.Error(), "in use by sandbox/dev") {
		t.Errorf("got %v", err)
	}
	for resource, group := range map[string]string{
		"pods": "", "sandboxclaims": "extensions.agents.x-k8s.io", "sandboxes": "agents.x-k8s.io",
	} {
		blind := fakecluster.New(claim(nil)).Refuse("list", resource, fakecluster.Forbidden("list", resource, group))
		if _, err := volume.New(blind.Sandboxes, blind.Kubernetes).Get(t.Context(), "ns", "data-dev"); err == nil ||
			!strings.Contains(err.Error(), "cannot be told") {
			t.Errorf("without the right to list %s: %v", resource, err)
		}
	}
	stranger := fakecluster.New(claim(func(c *corev1.PersistentVolumeClaim) { c.Labels = nil }))
	if _, err := volume.New(stranger.Sandboxes, stranger.Kubernetes).Get(t.Context(), "ns", "data-dev"); err == nil ||
		!strings.Contains(err.Error(), "left alone") {
		t.Errorf("a volume of nobody's sandbox: %v", err)
	}
	if _, err := c.Get(t.Context(), "ns", "nope"); !resolve.Is(err, resolve.NotFound) {
		t.Errorf("got %v", err)
	}
}

func TestADeletionNamesWhatWasLookedAt(t *testing.T) {
	cluster := fakecluster.New(claim(nil))
	c := volume.New(cluster.Sandboxes, cluster.Kubernetes)
	v, err := c.Get(t.Context(), "ns", "data-dev")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	for _, action := range cluster.Kubernetes.Actions() {
		if deletion, ok := action.(interface{ GetDeleteOptions() metav1.DeleteOptions }); ok {
			p := deletion.GetDeleteOptions().Preconditions
			if p == nil || p.UID == nil || *p.UID != "v" || p.ResourceVersion == nil || *p.ResourceVersion == "" {
				t.Errorf("preconditions %+v", p)
			}
			return
		}
	}
	t.Error("nothing was deleted")
}
