// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestADeletedPoolTakesItsMembersAndLeavesTheClaimed(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("shell"), h.NewPool("warm", "shell", 2))
	h.FullPool("warm")
	h.CreateAll(h.NewClaim("kept", "shell"))
	kept := h.Claimed("kept")
	members := h.FullPool("warm")
	pod := h.Pod(kept)
	h.MustKubectl("delete", "swp/warm")
	for _, s := range members {
		h.Gone(s.Name, &agentsv1beta1.Sandbox{})
		h.Gone(s.Name, &corev1.Pod{})
	}
	if now := h.Pod(h.Claimed("kept")); now.UID != pod.UID || now.DeletionTimestamp != nil {
		t.Errorf("the claimed Sandbox's Pod was deleted with the pool: %s, was %s", now.UID, pod.UID)
	}
}

func TestAPoolThatIsMadeAgainTakesItsOrphansBack(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.CreateAll(h.NewTemplate("shell"), h.NewPool("warm", "shell", 2))
	before := h.FullPool("warm")
	h.MustKubectl("delete", "swp/warm", "--cascade=orphan")
	h.CreateAll(h.NewPool("warm", "shell", 2))
	checkSame(h, before, h.FullPool("warm"))
}
