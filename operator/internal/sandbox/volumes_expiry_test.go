// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// The policy and the time may change in one edit, or while nobody looked: the volume is let go before the Sandbox is
// deleted.
func TestAnExpiredSandboxLetsGoOfWhatIsToStayBeforeItIsDeleted(t *testing.T) {
	w := newWorld(t, box(volume("data")))
	w.settle()
	w.edit(func(s *agentsv1beta1.Sandbox) {
		retainVolumes(s)
		shutdown(0, agentsv1beta1.ShutdownPolicyDelete)(s)
	})
	w.writes = nil
	w.intercept = func(write string, do func() error) error {
		if write == "patch PersistentVolumeClaim" {
			return apierrors.NewInternalError(errors.New("ill"))
		}
		return do()
	}
	if _, err := w.pass(); err == nil || slices.Contains(w.writes, "delete Sandbox") {
		t.Errorf("%v: deleted although its volume would go along: %v", err, w.writes)
	}
	w.intercept, w.writes = nil, nil
	w.settle()
	if !slices.Equal(w.writes, []string{"patch PersistentVolumeClaim", "delete Sandbox"}) ||
		len(w.volume().OwnerReferences) > 0 {
		t.Errorf("%v, owned by %v", w.writes, owners(w.volume()))
	}
}

func TestAnExpiredSandboxMakesAndTakesNoVolume(t *testing.T) {
	for name, there := range map[string][]client.Object{"none": nil, "another's": {volumeOf("before", retainVolumes)}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(
				t,
				append(there, box(volume("data"), retainVolumes, shutdown(0, agentsv1beta1.ShutdownPolicyRetain)))...)
			w.settle()
			if slices.Contains(w.writes, "create PersistentVolumeClaim") ||
				slices.Contains(w.writes, "patch PersistentVolumeClaim") {
				t.Errorf("%v", w.writes)
			}
		})
	}
}

func TestAMembersVolumeIsLetGoWhenItIsClaimed(t *testing.T) {
	w := newWorld(t, box(volume("data"), retainVolumes, pooled))
	w.settle()
	if len(w.volume().OwnerReferences) != 1 {
		t.Error("an unclaimed member would leave its volume behind")
	}
	w.edit(claimed)
	w.settle()
	if v := w.volume(); len(v.OwnerReferences) > 0 || v.Labels["agents.x-k8s.io/claim-uid"] != "holder" {
		t.Errorf("after the claim: %+v", v.ObjectMeta)
	}
}

func TestAVolumeWithoutAnOwnerWakesItsSandbox(t *testing.T) {
	if got := sandboxOfVolume(
		t.Context(),
		volumeOf(testUID, retainVolumes),
	); len(got) != 1 || got[0].Name != "box" ||
		got[0].Namespace != "team" {
		t.Errorf("got %v", got)
	}
	stranger := volumeOf(testUID, retainVolumes)
	stranger.Annotations = nil
	for name, v := range map[string]*corev1.PersistentVolumeClaim{
		"owned": volumeOf(testUID, deleteVolumes), "a stranger": stranger,
	} {
		if got := sandboxOfVolume(t.Context(), v); len(got) > 0 {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
