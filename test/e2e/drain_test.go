// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestAnExpiredSandboxShowsOneCondition(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	heard := listen(h)
	h.Create(h.NewSandbox("over", obedient))
	h.Ready("over")
	h.Edit("over", func(s *agentsv1beta1.Sandbox) { s.Spec.ShutdownTime = inSeconds(1) })
	h.Condition("over", "Ready=False/SandboxExpired")
	h.Gone("over", &corev1.Pod{})
	if s := h.Condition("over", "Ready=False/SandboxExpired"); len(s.Status.Conditions) != 1 {
		t.Errorf("conditions are %v", harness.Words(s))
	}
	if reason := heard.of("over"); reason != "" {
		t.Errorf("somebody said that its work had finished: %s", reason)
	}
}

// Not parallel: both take Pods off the only node, the taint those of the operator too.
func TestADrainAndATaintFinishNoWork(t *testing.T) {
	h := harness.New(t)
	heard := listen(h)
	s := h.Create(h.NewSandbox("moved", obedient))
	h.Ready("moved")
	var pod corev1.Pod
	h.Get("moved", &pod)
	node, before := pod.Spec.NodeName, pod.UID
	defer h.KubectlAlone("uncordon", node)
	h.MustKubectl("drain", node, "--ignore-daemonsets", "--force", "--pod-selector="+apis.LabelSandboxUID+"="+string(s.UID), "--timeout=60s")
	h.MustKubectl("uncordon", node)
	h.Eventually("the next Pod after the drain", replaced(h, "moved", before))
	h.Ready("moved")

	before = podUID(h, "moved")
	defer h.KubectlAlone("taint", "node", node, "example.com/gone:NoExecute-")
	h.MustKubectl("taint", "node", node, "example.com/gone=:NoExecute")
	h.Eventually("no Pod, or the next", func() error {
		var now corev1.Pod
		if h.Get("moved", &now) && now.UID == before {
			return errors.New("it is still there")
		}
		return nil
	})
	h.MustKubectl("taint", "node", node, "example.com/gone:NoExecute-")
	h.Eventually("the next Pod after the taint", replaced(h, "moved", before))
	h.MustKubectl("-n", apis.OperatorNamespace, "rollout", "status", "deployment/"+apis.OperatorName, "--timeout=90s")
	h.Ready("moved")
	if reason := heard.of("moved"); reason != "" {
		t.Errorf("somebody said that its work had finished: %s", reason)
	}
}
