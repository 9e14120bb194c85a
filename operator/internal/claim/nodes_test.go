// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"testing"
	"time"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

func TestClaimsTakeMembersOfNodesThatLeaveLast(t *testing.T) {
	on := func(node string) sandboxOption { return func(s *agentsv1beta1.Sandbox) { s.Status.NodeName = node } }
	w := newWorld(
		t, newClaim("a"), newClaim("b"), newTemplate(), newPool("p"),
		newMember("p-leaves", newPool("p"), on("cordoned"), olderBy(time.Hour)),
		newMember("p-stays", newPool("p"), on("node")),
	)
	w.leavingNode = "cordoned"
	for claim, want := range map[string]string{"a": "p-stays"} {
		if _, err := w.reconcile(claim); err != nil || w.claim(claim).Status.SandboxStatus.Name != want {
			t.Errorf("claim %s has %+v, %v", claim, w.claim(claim).Status.SandboxStatus, err)
		}
	}
	w.settle()
	if got := w.claim("b").Status.SandboxStatus.Name; got != "p-leaves" {
		t.Errorf("the last member is not taken: %s", got)
	}
	w.checkOneToOne()
}
