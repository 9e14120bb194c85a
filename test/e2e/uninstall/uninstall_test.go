// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package uninstall removes the operator from the cluster of the end-to-end tests, after all of them.
package uninstall

import (
	"fmt"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestUninstallAsksThenKeepsSandboxesThenLeavesNothing(t *testing.T) {
	h := harness.New(t)
	h.Must("create", "last", "--image", harness.ImageShell, "--wait")

	if r := h.Plugin("uninstall"); r.Code == 0 || !strings.Contains(r.Stderr, "--yes") {
		t.Fatalf("uninstall without a terminal and without --yes: %v", r)
	}
	operator := []string{"uninstall", "--namespace", "agent-sandbox-system", "--yes"}
	h.Must(append(operator, "--keep-crds")...)
	if !h.Get("last", &agentsv1beta1.Sandbox{}) {
		t.Fatal("uninstall --keep-crds deleted the Sandboxes")
	}
	if r := h.KubectlWithoutNamespace("get", "namespace", "agent-sandbox-system"); r.Code == 0 {
		t.Errorf("the operator's namespace is still there: %v", r)
	}
	if r := h.Plugin("create", "late", "--image", harness.ImageShell, "--wait", "--timeout", "1m"); r.Code != 1 ||
		!strings.Contains(r.Stderr, "no operator was found") {
		t.Errorf("without an operator waiting must end at once: %v", r)
	}

	installAndUpgrade(h)
	h.Must("wait", "late", "--for", "ready")
	h.CreateAll(h.NewTemplate("shell"))
	h.MustKubectl("wait", "networkpolicy/shell-network-policy", "--for=create", "--timeout=30s")
	h.Must(operator...)
	if h.Get("shell-network-policy", &networkingv1.NetworkPolicy{}) {
		t.Error("left behind: the NetworkPolicy of a template")
	}
	left := h.KubectlWithoutNamespace("get", "crd,clusterrole,clusterrolebinding,namespace,validatingadmissionpolicy,"+
		"validatingadmissionpolicybinding", "-o", "name")
	routers := h.Kubectl("get", "serviceaccounts,services,networkpolicies,poddisruptionbudgets,deployments,secrets,roles,"+
		"rolebindings", "-l", "app=sandbox-router", "-o", "name")
	for line := range strings.SplitSeq(left.Stdout+"\n"+routers.Stdout, "\n") {
		if strings.Contains(line, "agents.x-k8s.io") || strings.Contains(line, "agent-sandbox") ||
			strings.Contains(line, "sandbox-router") {
			t.Errorf("left behind: %s", line)
		}
	}
	if r := h.Plugin("list"); r.Code != 1 || !strings.Contains(r.Stderr, "install") {
		t.Errorf("without CRDs: %v", r)
	}
	if r := h.Plugin("create", "x", "--image", harness.ImageShell); r.Code != 1 || !strings.Contains(r.Stderr, "install") {
		t.Errorf("without CRDs: %v", r)
	}
}

// installAndUpgrade installs and upgrades as the documents describe, on a cluster without an operator.
func installAndUpgrade(h *harness.T) {
	h.Helper()
	const inNamespace = "--namespace=agent-sandbox-system" // the harness sets its own namespace
	image := harness.RequireEnv("E2E_IMAGE")
	running := func(what, want string) {
		h.Helper()
		h.Eventually(what, func() error {
			got := h.MustKubectl("--namespace", "agent-sandbox-system", "get", "deployment", "agent-sandbox-controller",
				"--output",
				"jsonpath={.spec.replicas} {.status.availableReplicas} {.spec.template.spec.containers[0].image}")
			if got != want+" "+image {
				return fmt.Errorf("replicas, available ones and image: %s; want %s %s", got, want, image)
			}
			return nil
		})
	}
	h.Must("install", inNamespace, "--image", image, "--dry-run=server")
	h.Must("install", inNamespace, "--image", image, "--replicas", "2", "--arg=--kube-api-qps=50", "--router",
		"--router-namespaces", h.Namespace, "--router-image", harness.RequireEnv("E2E_ROUTER_IMAGE"))
	if r := h.Plugin("upgrade", inNamespace); r.Code != 0 || !strings.Contains(r.Stderr, "keeps the image "+image) {
		h.Errorf("upgrade says which image it keeps: %v", r)
	}
	h.Must("upgrade", inNamespace, "--image", image, "--dry-run=server")
	h.Must("upgrade", inNamespace, "--image", image)
	running("upgrade keeps what was chosen", "2 2")
	h.Must("doctor")
	h.Must("install", inNamespace)
	running("install keeps what was chosen", "2 2")
	h.Must("install", inNamespace, "--replicas", "1")
	running("a flag changes it", "1 1")
}
