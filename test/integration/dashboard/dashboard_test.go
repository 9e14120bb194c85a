// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package dashboard runs the real plugin in a pseudo-terminal against a real API server. There is no operator and no
// kubelet: the tests write the status in their place.
package dashboard

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/screen"
)

// faultVariable makes this test binary run a dashboard with the named fault instead of tests.
const faultVariable = "DASHBOARD_FAULT"

var (
	server *apiserver.Server
	plugin string
)

func TestMain(m *testing.M) {
	if fault := os.Getenv(faultVariable); fault != "" {
		os.Exit(runFaulty(fault))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "dashboard-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory
	plugin = filepath.Join(dir, "kubectl-sandbox")
	build := exec.Command("go", "build", "-o", plugin, "../../../cmd/kubectl-sandbox")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return 1
	}
	return apiserver.Run(m, func(s *apiserver.Server) { server = s })
}

// createObjects creates a pool with a template, two members, a claim and a Sandbox, with the status that an operator
// writes.
func createObjects(t *testing.T, on *apiserver.Server, namespace string) versioned.Interface {
	t.Helper()
	c := versioned.NewForConfigOrDie(on.Config())
	in, ctx := builders.InNamespace(namespace), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := c.ExtensionsV1beta1().SandboxTemplates(namespace).Create(ctx, builders.Template("python", in),
		metav1.CreateOptions{})
	must(err)
	pool, err := c.ExtensionsV1beta1().SandboxWarmPools(namespace).Create(ctx,
		builders.Pool("fast", "python", in, builders.WithReplicas(2)), metav1.CreateOptions{})
	must(err)
	for _, name := range []string{"fast-aaaaa", "fast-bbbbb"} {
		made, err := c.AgentsV1beta1().Sandboxes(namespace).Create(ctx, builders.Sandbox(name, in, builders.OwnedBy(pool)),
			metav1.CreateOptions{})
		must(err)
		if name == "fast-aaaaa" {
			must(ready(ctx, c, made))
		}
	}
	own, err := c.AgentsV1beta1().Sandboxes(namespace).Create(ctx, builders.Sandbox("own", in), metav1.CreateOptions{})
	must(err)
	must(ready(ctx, c, own))
	_, err = c.ExtensionsV1beta1().SandboxClaims(namespace).Create(ctx, builders.Claim("stuck", "gpu", in),
		metav1.CreateOptions{})
	must(err)
	return c
}

// ready sets the status of a ready Sandbox.
func ready(ctx context.Context, c versioned.Interface, s *agentsv1beta1.Sandbox) error {
	s.Status.Conditions = []metav1.Condition{{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "DependenciesReady", Message: "Pod is Ready",
		LastTransitionTime: metav1.Now(),
	}}
	_, err := c.AgentsV1beta1().Sandboxes(s.Namespace).UpdateStatus(ctx, s, metav1.UpdateOptions{})
	return err
}

func command(t *testing.T, kubeconfig string, args ...string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), plugin, append([]string{"ui", "--kubeconfig", kubeconfig}, args...)...)
}

func TestADayWithTheDashboard(t *testing.T) {
	t.Parallel()
	namespace := server.Namespace(t)
	c := createObjects(t, server, namespace)
	s := screen.Start(t, 120, 30, command(t, server.Kubeconfig(), "-n", namespace))
	s.Until("POOLS 1", "1/2", "fast", "CLAIMS 2", "stuck", "own")

	s.Type("\r") // into the pool
	s.Until("pool/fast", "MEMBERS 2", "fast-aaaaa")
	s.Type("\x1b")
	s.Until("POOLS 1")
	s.Type("\t\r") // the claim with a problem is listed first
	s.Until("claim/stuck", "Next", "Metadata")
	s.Type("y")
	s.Until("kind: SandboxClaim")
	s.Type("\x1b")
	s.Until("Metadata")
	s.Type("\x1b")
	s.Until("POOLS 1")

	s.Type(":claim own\r")
	s.Until("sandbox/own", "Metadata")
	s.Type("E")
	s.Until("Events of sandbox/own")
	s.Type("/zebra\r")
	s.Until("/zebra 0 of 0")
	s.Type(":claims\r")
	s.Until("POOLS 1", "CLAIMS 2")

	s.Type("\t" + "S5\r")
	s.Until("pool/fast scaled to 5", "1/5")
	s.Type("afast-new\r")
	s.Until("claim/fast-new created", "CLAIMS 3")
	s.Type("\t/new\r")
	s.Until("CLAIMS 1 of 3")
	s.Type("d")
	s.Until("Delete claim/fast-new?", "No")
	s.Type("\r") // no
	s.Until("nothing was changed")
	s.Type("dy")
	s.Until("claim/fast-new deleted", "CLAIMS 0 of 2")
	if claims, err := c.ExtensionsV1beta1().SandboxClaims(namespace).List(t.Context(), metav1.ListOptions{}); err != nil ||
		len(claims.Items) != 1 {
		t.Errorf("%d claims are left, %v", len(claims.Items), err)
	}
	s.Resize(60, 15)
	s.Until("POOLS 1")
	s.Resize(20, 5)
	s.Until("no operator") // no operator is installed, which is what the smallest screen shows
	s.Resize(120, 30)
	s.Until("POOLS 1")
	s.Type(screen.Esc + "q")
	if err := s.Left(); err != nil {
		t.Error(err)
	}
}

func TestWhoMayReadOneNamespaceSeesIt(t *testing.T) {
	t.Parallel()
	namespace := server.Namespace(t)
	createObjects(t, server, namespace)
	rules := []rbacv1.PolicyRule{
		{
			APIGroups: []string{"agents.x-k8s.io", "extensions.agents.x-k8s.io"}, Resources: []string{"*"},
			Verbs: []string{"get", "list", "watch"},
		},
	}
	user := server.User(t, "jane", namespace, rules...)
	s := screen.Start(t, 120, 30, command(t, user.Kubeconfig, "-n", namespace))
	s.Until("POOLS 1", "own", "forbidden: pods")
	s.Type("q")
	if err := s.End(); err != nil {
		t.Error(err)
	}
	nobody := server.User(t, "nobody", "")
	s = screen.Start(t, 120, 30, command(t, nobody.Kubeconfig, "-n", namespace))
	s.Until("forbidden: you may not list pools, claims or Sandboxes here")
	s.Type("q")
	if err := s.End(); err != nil {
		t.Error(err)
	}
}

func TestWithoutATerminalOneFrameIsPrinted(t *testing.T) {
	t.Parallel()
	namespace := server.Namespace(t)
	createObjects(t, server, namespace)
	for _, args := range [][]string{{"-n", namespace}, {"-n", namespace, "--once"}, {"-A", "--ascii"}} {
		out, err := command(t, server.Kubeconfig(), args...).CombinedOutput()
		if text := string(out); err != nil || !strings.Contains(text, "fast") || !strings.Contains(text, "own") ||
			strings.Contains(text, "\x1b") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}
