// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// installRouter installs a router beside the operator, and what else the arguments ask for.
func installRouter(h *harness.T, args ...string) {
	h.Helper()
	operator(h, "install",
		append([]string{"--router", "--router-image", harness.RequireEnv("E2E_ROUTER_IMAGE")}, args...)...)
}

func TestNoRequestFailsWhileTheRoutersRestart(t *testing.T) {
	h := harness.New(t)
	installRouter(h)
	h.CreateAll(h.NewTemplate("web", harness.WebServer), h.NewClaim("web", "web"))
	h.Claimed("web")
	client := h.NewRouterClient(operatorNamespace)
	agent := h.Token("agent")
	if got := client.Get(agent, "web"); got.Status != http.StatusOK {
		t.Fatalf("%+v", got)
	}
	answers := make(chan harness.Answer)
	go func() {
		answers <- client.Send(harness.Request{Headers: client.Headers(agent, "web"), Until: "/tmp/stop"})
	}()
	h.Eventually("requests are sent", func() error {
		if r := h.Plugin("exec", "client", "--", "test", "-e", "/tmp/stop.soon"); r.Code != 0 {
			return fmt.Errorf("%v", r)
		}
		return nil
	})
	before := routerPods(h)
	restartRouters(h, operatorNamespace)
	h.Eventually("the former routers are gone", func() error {
		for pod := range strings.FieldsSeq(routerPods(h)) {
			if strings.Contains(before, pod) {
				return fmt.Errorf("%s is there", pod)
			}
		}
		return nil
	})
	h.Must("exec", "client", "--", "touch", "/tmp/stop")
	got := <-answers
	t.Logf("%d requests during the restart", got.Sent)
	if got.Sent < 100 || len(got.Failed) > 0 {
		t.Errorf("%d requests, failed: %v", got.Sent, got.Failed)
	}
}

// restartRouters replaces the Pods of a Deployment of routers, and waits until that is done.
func restartRouters(h *harness.T, namespace string) {
	h.Helper()
	const deployment = "deployment/sandbox-router-deployment"
	h.MustKubectl("-n", namespace, "rollout", "restart", deployment)
	h.MustKubectl("-n", namespace, "rollout", "status", deployment, "--timeout=120s")
}

// routerPods returns the names of the router's Pods beside the operator.
func routerPods(h *harness.T) string {
	h.Helper()
	return h.MustKubectl("-n", operatorNamespace, "get", "pods", "-l", "app=sandbox-router", "-o",
		"jsonpath={.items[*].metadata.name}")
}

func TestARouterOfATenantServesItsNamespaceAloneAndNobodyPosesAsIt(t *testing.T) {
	h, other := harness.New(t), harness.New(t)
	installRouter(h, "--router-namespaces", h.Namespace)
	waitUntilHealthy(h)
	for _, tenant := range []*harness.T{h, other} {
		tenant.CreateAll(tenant.NewTemplate("web", harness.WebServer), tenant.NewClaim("web", "web"))
		tenant.Claimed("web")
	}
	client := h.NewRouterClient(h.Namespace)
	if got := client.Get(h.Token("agent"), "web"); got.Status != http.StatusOK || got.Body != "hello\n" {
		t.Errorf("%+v", got)
	}
	theirs := client.Headers(other.Token("agent"), "web")
	theirs["X-Sandbox-Namespace"] = other.Namespace
	if got := client.Send(harness.Request{Headers: theirs}); got.Status != http.StatusNotFound {
		t.Errorf("it serves another namespace: %+v", got)
	}
	for tenant, want := range map[*harness.T]int{h: 2, other: 1} {
		var policy networkingv1.NetworkPolicy
		tenant.Get("web-network-policy", &policy)
		from := policy.Spec.Ingress[0].From
		if len(from) != want || strings.Contains(fmt.Sprint(from), h.Namespace) != (tenant == h) {
			t.Errorf("the policy in %s admits %+v", tenant.Namespace, from)
		}
	}

	h.MustKubectl("create", "rolebinding", "jane", "--clusterrole=edit", "--user=jane")
	pose := []string{"run", "poser", "--image", harness.ImageShell, "--labels", "app=sandbox-router", "--as", "jane"}
	h.Eventually("a tenant's Pod does not pose as the router", func() error {
		r := h.Kubectl(append(pose, "--dry-run=server")...)
		if r.Code == 0 || !strings.Contains(r.Stderr, "as its router") {
			return fmt.Errorf("%v", r)
		}
		return nil
	})
	restartRouters(h, h.Namespace) // the policy does not hinder the controllers

	operator(h, "install", "--router-namespaces=")
	left := h.MustKubectl("get", "serviceaccounts,services,networkpolicies,poddisruptionbudgets,deployments,secrets,"+
		"roles,rolebindings", "-l", "app=sandbox-router", "-o", "name")
	if left != "" {
		t.Errorf("left behind: %s", left)
	}
	waitUntilHealthy(h)
}
