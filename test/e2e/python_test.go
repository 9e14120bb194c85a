// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// debianPython is the interpreter that Debian's packages are for.
const debianPython = "/usr/bin/python3"

// TestThePythonClientOnARealCluster runs clients/python/e2e: warm and cold sandboxes, through the router and without
// it, suspension, cut connections, twenty at once, and what a command costs.
func TestThePythonClientOnARealCluster(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Apply(example(h, "templates/runtime-copied.yaml"))
	h.CreateAll(h.NewPool("warm", "runtime-copied", 1))
	h.FullPool("warm")
	token := h.Token("agent")
	h.MustKubectl("create", "role", "sandboxes", "--verb=create", "--resource=sandboxes.agents.x-k8s.io/proxy")
	h.MustKubectl("create", "rolebinding", "sandboxes", "--role=sandboxes", "--serviceaccount="+h.Namespace+":agent")
	h.MustKubectl("create", "serviceaccount", "stranger")
	client, err := filepath.Abs("../../clients/python")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(h.Context(), 15*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, debianPython, "-m", "pytest", "-rA", "--tb=short", "e2e")
	command.Dir = client
	command.Env = append(os.Environ(),
		"NAMESPACE="+h.Namespace, "TOKEN="+token, "PYTHONPATH="+filepath.Join(client, "src"), "PYTHONDONTWRITEBYTECODE=1",
		"STRANGER="+strings.TrimSpace(h.MustKubectl("create", "token", "stranger")),
		"KUBECTL="+harness.RequireEnv("E2E_KUBECTL"), "PLUGIN="+harness.RequireEnv("E2E_PLUGIN"),
	)
	said, err := command.CombinedOutput()
	h.Logf("%s", said)
	for line := range strings.Lines(string(said)) {
		if strings.HasPrefix(line, "FAILED") || strings.HasPrefix(line, "ERROR") {
			h.Errorf("%s", line)
		}
	}
	if err != nil {
		h.Errorf("the tests of the Python client: %v", err)
	}
}
