// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestAnInstallationKeepsWhatItsAdministratorSet(t *testing.T) {
	h := harness.New(t)
	deployment := "deployment/" + apis.OperatorName
	h.MustKubectl("-n", operatorNamespace, "set", "resources", deployment, "--limits=memory=900Mi")
	h.MustKubectl("-n", operatorNamespace, "annotate", "serviceaccount/"+apis.OperatorName, "example.com/role=operator")
	h.MustKubectl("-n", operatorNamespace, "rollout", "status", deployment, "--timeout=60s")
	running := operatorPods(h)

	for _, command := range []string{"install", "upgrade"} {
		for _, flags := range [][]string{{"--dry-run=server"}, {}} {
			r := h.Plugin(append([]string{command, "--namespace", operatorNamespace}, flags...)...)
			for line := range strings.SplitSeq(strings.TrimSpace(r.Stdout), "\n") {
				if !strings.HasSuffix(strings.TrimSuffix(line, " (server dry run)"), " unchanged") {
					t.Errorf("%s %v: %s", command, flags, line)
				}
			}
			if r.Code != 0 || !strings.Contains(r.Stderr, "keeps the image "+harness.RequireEnv("E2E_IMAGE")) ||
				!strings.Contains(r.Stderr, "limits.memory, which kubectl-set set") {
				t.Errorf("%s %v: %v", command, flags, r)
			}
		}
	}
	if now := operatorPods(h); !slices.Equal(now, running) {
		t.Errorf("the operator %v was replaced by %v", running, now)
	}
	set := `{.spec.template.spec.containers[0].resources.limits.memory} {.spec.template.spec.containers[0].image}`
	if got := h.MustKubectl("-n", operatorNamespace, "get", deployment, "-o",
		"jsonpath="+set); got != "900Mi "+harness.RequireEnv("E2E_IMAGE") {
		t.Errorf("the Deployment has %s", got)
	}
	out := operator(h, "install", "--replicas", "2", "--dry-run=server")
	for _, line := range []string{
		"deployment.apps/" + apis.OperatorName + " configured (server dry run)", `-  "replicas": 1,`, `+  "replicas": 2,`,
	} {
		if !strings.Contains(out, line) {
			t.Errorf("not %q in:\n%s", line, out)
		}
	}
	h.MustKubectl("-n", operatorNamespace, "annotate", "serviceaccount/"+apis.OperatorName, "example.com/role-")
	operator(h, "install", "--force-conflicts", "--image", harness.RequireEnv("E2E_IMAGE"))
	if got := h.MustKubectl("-n", operatorNamespace, "get", deployment, "-o",
		"jsonpath="+set); got != "1Gi "+harness.RequireEnv("E2E_IMAGE") {
		t.Errorf("after install --force-conflicts the Deployment has %s", got)
	}
	waitUntilHealthy(h)
}

func TestWhoWaitsIsToldThatNoOperatorIsThere(t *testing.T) {
	h := harness.New(t)
	h.MustKubectl("create", "rolebinding", "jane", "--clusterrole=edit", "--user=jane")
	deployment := "deployment/" + apis.OperatorName
	h.MustKubectl("-n", operatorNamespace, "scale", "--replicas=0", deployment)
	h.MustKubectl("-n", operatorNamespace, "wait", "--for=delete", "pod", "-l", "app="+apis.OperatorName, "--timeout=60s")
	const says = "no operator manages sandboxes in namespace "
	h.Must("create", "lonely", "--image", harness.ImageShell)
	waits := make(chan harness.Result, 2)
	for _, user := range [][]string{{}, {"--as", "jane"}} {
		go func() {
			waits <- h.Plugin(append([]string{"wait", "lonely", "--for", "ready", "--timeout", "7s"}, user...)...)
		}()
	}
	told := 0
	for range cap(waits) {
		r := <-waits
		if told += strings.Count(r.Stderr,
			says+h.Namespace+": the operator is scaled to zero (Deployment "+operatorNamespace+"/"+apis.OperatorName+
				")"); r.Code != 124 {
			t.Errorf("%v", r)
		}
	}
	if told != 1 {
		t.Errorf("want the message once, for the user with permission to read Deployments: %d", told)
	}
	if out := h.Must("status", "lonely"); !strings.HasPrefix(out, says) || !strings.Contains(out, "lonely: Blocked") ||
		!strings.Contains(out, "kubectl scale -n "+operatorNamespace+" "+deployment+" --replicas=1") {
		t.Errorf("status does not begin with the message, or names no cure: %s", out)
	}
	for _, line := range [][]string{
		{"wait", "lonely", "--for", "ready", "--timeout", "5s"}, {"suspend", "lonely", "--wait", "--timeout", "5s"},
	} {
		r := h.Plugin(line...)
		first, _, _ := strings.Cut(r.Stderr, "\n")
		if r.Code != 124 || !strings.HasPrefix(first, "Warning: "+says) ||
			strings.Count(r.Stderr, "the operator is scaled to zero") < 2 {
			t.Errorf("%v does not begin with the message, or its error does not repeat it: %v", line, r)
		}
	}
	h.Must("resume", "lonely")
	if out := h.Must("status", "lonely", "--as", "jane"); strings.Contains(out, says) {
		t.Errorf("status claims what jane cannot know: %s", out)
	}
	if out, _, _ := strings.Cut(h.Must("ui", "--once"), "\n"); !strings.Contains(out, "operator scaled to zero") {
		t.Errorf("the dashboard's title: %s", out)
	}
	if found, _ := runDoctor(h, "--as", "jane"); found["operator"].Status != "unknown" ||
		!strings.Contains(found["operator"].Message, "deployments.apps") ||
		found["networkpolicy"].Status != "unknown" || found["runtimeclasses"].Status != "unknown" {
		t.Errorf("doctor for jane: %+v", found)
	}
	h.MustKubectl("-n", operatorNamespace, "scale", "--replicas=1", deployment)
	h.Ready("lonely")
	waitUntilHealthy(h)
}
