// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package uninstall removes the operator from the cluster of the end-to-end tests, after all of them.
package uninstall

import (
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestUninstallAsksThenKeepsSandboxesThenLeavesNothing(t *testing.T) {
	h := harness.New(t)
	h.Must("create", "last", "--image", harness.ImageShell, "--wait")

	if r := h.Sandbox("uninstall"); r.Code == 0 || !strings.Contains(r.Stderr, "--yes") {
		t.Fatalf("uninstall without a terminal and without --yes: %v", r)
	}
	operator := []string{"uninstall", "--namespace", "agent-sandbox-system", "--yes"}
	h.Must(append(operator, "--keep-crds")...)
	if !h.Get("last", &v1beta1.Sandbox{}) {
		t.Fatal("uninstall --keep-crds took the Sandboxes along")
	}
	if r := h.KubectlAlone("get", "namespace", "agent-sandbox-system"); r.Code == 0 {
		t.Errorf("the operator's namespace is still there: %v", r)
	}
	if r := h.Sandbox("create", "late", "--image", harness.ImageShell, "--wait", "--timeout", "3s"); r.Code != 124 ||
		!strings.Contains(r.Stderr, "operator is not") {
		t.Errorf("without an operator: %v", r)
	}

	h.Must("install", "--namespace", "agent-sandbox-system", "--image", harness.Need("E2E_IMAGE"))
	h.Must("wait", "late", "--for", "ready")
	h.Must(operator...)
	left := h.KubectlAlone("get", "crd,clusterrole,clusterrolebinding,namespace", "-o", "name")
	for line := range strings.SplitSeq(left.Stdout, "\n") {
		if strings.Contains(line, "agents.x-k8s.io") || strings.Contains(line, "agent-sandbox") {
			t.Errorf("left behind: %s", line)
		}
	}
	if r := h.Sandbox("list"); r.Code != 1 || !strings.Contains(r.Stderr, "install") {
		t.Errorf("without CRDs: %v", r)
	}
	if r := h.Sandbox("create", "x", "--image", harness.ImageShell); r.Code != 1 || !strings.Contains(r.Stderr, "install") {
		t.Errorf("without CRDs: %v", r)
	}
}
