// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// portForward starts the command and returns the local addresses of the remote ports. It ends with the test.
func portForward(h *harness.T, name string, remote ...string) (*exec.Cmd, map[string]string) {
	h.Helper()
	forward := exec.CommandContext(h.Context(), harness.RequireEnv("E2E_PLUGIN"), "-n", h.Namespace, "port-forward", name)
	for _, port := range remote {
		forward.Args = append(forward.Args, ":"+port)
	}
	forward.Stderr = os.Stderr
	out, err := forward.StdoutPipe()
	if err != nil {
		h.Fatal(err)
	}
	if err := forward.Start(); err != nil {
		h.Fatal(err)
	}
	ports := map[string]string{}
	for lines := bufio.NewScanner(out); len(ports) < len(remote) && lines.Scan(); {
		local, port, found := strings.Cut(strings.TrimPrefix(lines.Text(), "Forwarding from "), " -> ")
		if found && strings.HasPrefix(local, "127.0.0.1:") {
			ports[port] = local
		}
	}
	if len(ports) != len(remote) {
		h.Fatalf("forwarded ports are %v", ports)
	}
	return forward, ports
}

func TestPortForwardCarriesConnectionsAndSurvivesARefusedOne(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "web")
	h.Must("exec", "web", "--", "sh", "-c",
		"mkdir -p /tmp/site && cd /tmp/site && echo hello > index.html && (python3 -m http.server 8000 >/dev/null 2>&1 &)")
	forward, ports := portForward(h, "web", "8000", "9999")
	fetch := func(address string) (string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/", nil)
		if err != nil {
			return "", err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return "", err
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		return string(body), err
	}
	if body, err := fetch(ports["9999"]); err == nil {
		t.Errorf("a port that nobody listens on answered %q", body)
	}
	h.Eventually("the site", func() error {
		body, err := fetch(ports["8000"])
		if err == nil && body != "hello\n" {
			err = fmt.Errorf("it says %q", body)
		}
		return err
	})
	if err := forward.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := forward.Wait(); err != nil {
		t.Errorf("an interrupted forward ends with %v", err)
	}
}
