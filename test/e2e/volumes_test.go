// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func whenDeleted(
	policy agentsv1beta1.PersistentVolumeClaimRetentionPolicyType,
) *agentsv1beta1.PersistentVolumeClaimRetentionPolicy {
	return &agentsv1beta1.PersistentVolumeClaimRetentionPolicy{WhenDeleted: policy}
}

func withRetainedVolume(s *agentsv1beta1.Sandbox) {
	withVolume(s)
	s.Spec.PersistentVolumeClaimRetentionPolicy = whenDeleted("Retain")
}

// waitForOwner waits until a volume has a controller, or with want false until it has none.
func waitForOwner(h *harness.T, name string, want bool) {
	h.Helper()
	h.Eventually(fmt.Sprintf("volume %s has a controller: %v", name, want), func() error {
		var volume corev1.PersistentVolumeClaim
		if !h.Get(name, &volume) {
			return errors.New("it is gone")
		}
		if (metav1.GetControllerOf(&volume) != nil) != want {
			return fmt.Errorf("its owners are %v", volume.OwnerReferences)
		}
		return nil
	})
}

func TestARetainedVolumeOutlivesItsSandboxAndIsTakenAgain(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Create(h.NewSandbox("keeper", withRetainedVolume))
	h.Ready("keeper")
	h.MustKubectl("exec", "keeper", "--", "sh", "-c", "echo kept > /data/file")
	// a foreground deletion: the garbage collector handles all owned objects
	r := h.Plugin("delete", "keeper", "--yes", "--wait")
	if r.Code != 0 || !strings.Contains(r.Stderr, "Volumes that stay: data-keeper (16Mi)") {
		t.Errorf("%v", r)
	}
	h.Eventually("the operator records since when it is unused", func() error {
		if row := h.Must("list", "--volumes", "--no-headers"); !strings.HasPrefix(row, "data-keeper ") ||
			strings.Contains(row, "unknown") {
			return errors.New(row)
		}
		return nil
	})

	h.Create(h.NewSandbox("keeper", withRetainedVolume))
	h.Ready("keeper")
	if got := h.MustKubectl("exec", "keeper", "--", "cat", "/data/file"); got != "kept\n" {
		t.Errorf("the volume holds %q", got)
	}
	if r := h.Plugin("delete", "--volumes", "data-keeper", "--yes"); r.Code != 1 ||
		!strings.Contains(r.Stderr, "sandbox/keeper uses it") {
		t.Errorf("a volume in use: %v", r)
	}

	h.Edit("keeper", func(s *agentsv1beta1.Sandbox) {
		s.Spec.PersistentVolumeClaimRetentionPolicy = whenDeleted("Delete")
	})
	waitForOwner(h, "data-keeper", true)
	if r := h.Plugin("delete", "keeper", "--yes"); !strings.Contains(r.Stderr,
		"deleted with their data: data-keeper (16Mi)") {
		t.Errorf("%v", r)
	}
	h.Gone("data-keeper", &corev1.PersistentVolumeClaim{})
}

func TestAnExpiredClaimGetsItsRetainedVolumeBack(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	template := h.NewTemplate("keeping", func(template *extensionsv1beta1.SandboxTemplate) {
		with := h.NewSandbox("keeping", withVolume)
		template.Spec.PodTemplate, template.Spec.VolumeClaimTemplates = with.Spec.PodTemplate, with.Spec.VolumeClaimTemplates
		template.Spec.PersistentVolumeClaimRetentionPolicy = whenDeleted("Retain")
	})
	h.CreateAll(template, h.NewPool("warm", "keeping", 1))
	waitForOwner(h, "data-"+h.FullPool("warm")[0].Name, true)
	h.CreateAll(h.NewClaim("dev", "keeping"))
	s := h.Claimed("dev")
	volume := "data-" + s.Name
	if !harness.Warm(s) {
		t.Errorf("the claim got %s, %v", s.Name, s.Labels)
	}
	waitForOwner(h, volume, false)
	h.MustKubectl("exec", s.Name, "--", "sh", "-c", "echo kept > /data/file")
	setShutdown(h, "dev", secondsFromNow(1), policyRetain)
	h.ClaimCondition("dev", "Ready=False/ClaimExpired")
	waitUntilGone(h, s)
	if status := h.Must("status", "dev"); !strings.Contains(status, "extend dev --by 1h") ||
		strings.Contains(status, "--fresh") {
		t.Errorf("status says:\n%s", status)
	}

	h.Must("extend", "dev", "--by", "1h")
	again := h.Claimed("dev")
	if again.Name != s.Name || again.UID == s.UID {
		t.Errorf("the claim has %s again, want another %s", again.Name, s.Name)
	}
	if got := h.MustKubectl("exec", again.Name, "--", "cat", "/data/file"); got != "kept\n" {
		t.Errorf("the volume holds %q", got)
	}

	h.Must("delete", "dev", "--yes", "--wait")
	h.Must("delete", "--volumes", volume, "--yes")
	h.Gone(volume, &corev1.PersistentVolumeClaim{})
	member := h.FullPool("warm")[0]
	h.MustKubectl("scale", "sandboxwarmpool/warm", "--replicas=0")
	h.Gone("data-"+member.Name, &corev1.PersistentVolumeClaim{})
}
