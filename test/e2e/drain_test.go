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
	finished := watchFinished(h)
	h.Create(h.NewSandbox("over", exitsOnTerm))
	h.Ready("over")
	h.Edit("over", func(s *agentsv1beta1.Sandbox) { s.Spec.ShutdownTime = secondsFromNow(1) })
	h.Condition("over", "Ready=False/SandboxExpired")
	h.Gone("over", &corev1.Pod{})
	if s := h.Condition("over", "Ready=False/SandboxExpired"); len(s.Status.Conditions) != 1 {
		t.Errorf("conditions are %v", harness.FormatConditions(s))
	}
	if reason := finished.of("over"); reason != "" {
		t.Errorf("it was reported as Finished: %s", reason)
	}
}

// Not parallel: both remove Pods from the only node, and the taint removes those of the operator too.
func TestADrainAndATaintFinishNoWork(t *testing.T) {
	h := harness.New(t)
	finished := watchFinished(h)
	s := h.Create(h.NewSandbox("moved", exitsOnTerm))
	h.Ready("moved")
	var pod corev1.Pod
	h.Get("moved", &pod)
	node, before := pod.Spec.NodeName, pod.UID
	defer h.KubectlWithoutNamespace("uncordon", node)
	h.MustKubectl("drain", node, "--ignore-daemonsets", "--force",
		"--pod-selector="+apis.LabelSandboxUID+"="+string(s.UID), "--timeout=60s")
	h.MustKubectl("uncordon", node)
	h.Eventually("the next Pod after the drain", replaced(h, "moved", before))
	h.Ready("moved")

	before = podUID(h, "moved")
	defer h.KubectlWithoutNamespace("taint", "node", node, "example.com/gone:NoExecute-")
	h.MustKubectl("taint", "node", node, "example.com/gone=:NoExecute")
	h.Eventually("no Pod, or the next", func() error {
		var now corev1.Pod
		if h.Get("moved", &now) && now.UID == before {
			return errors.New("the Pod still exists")
		}
		return nil
	})
	h.MustKubectl("taint", "node", node, "example.com/gone:NoExecute-")
	h.Eventually("the next Pod after the taint", replaced(h, "moved", before))
	h.MustKubectl("-n", apis.OperatorNamespace, "rollout", "status", "deployment/"+apis.OperatorName, "--timeout=90s")
	h.Ready("moved")
	if reason := finished.of("moved"); reason != "" {
		t.Errorf("it was reported as Finished: %s", reason)
	}
}
