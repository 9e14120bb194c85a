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
	if r := h.Sandbox("create", "late", "--image", harness.ImageShell, "--wait", "--timeout", "1m"); r.Code != 1 ||
		!strings.Contains(r.Stderr, "the operator is not installed") {
		t.Errorf("without an operator the waiting ends, as it is in vain: %v", r)
	}

	installAndUpgrade(h)
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

// installAndUpgrade does what the documents say about installing and upgrading, on a cluster without an operator.
func installAndUpgrade(h *harness.T) {
	h.Helper()
	const inNamespace = "--namespace=agent-sandbox-system" // the harness gives its own
	image := harness.Need("E2E_IMAGE")
	replicas := func() string {
		return h.MustKubectl("--namespace", "agent-sandbox-system", "get", "deployment", "agent-sandbox-controller",
			"--output", "jsonpath={.spec.replicas} {.status.availableReplicas}")
	}
	h.Must("install", inNamespace, "--image", image, "--dry-run=server")
	h.Must("install", inNamespace, "--image", image, "--replicas", "2", "--arg=--kube-api-qps=50")
	if r := h.Sandbox("upgrade", inNamespace); r.Code != 2 || !strings.Contains(r.Stderr, "--image") {
		h.Errorf("upgrade of an image that is not published: %v", r)
	}
	h.Must("upgrade", inNamespace, "--image", image, "--dry-run=server")
	h.Must("upgrade", inNamespace, "--image", image)
	if got := replicas(); got != "2 2" {
		h.Errorf("upgrade keeps the replicas that were chosen: %q", got)
	}
	h.Must("doctor")
	h.Must("install", inNamespace, "--image", image)
	if got := replicas(); got != "1 1" {
		h.Errorf("install states what is wanted: %q replicas", got)
	}
}
