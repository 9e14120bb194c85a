// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// agent is a client of the plugin's MCP server, which runs as a process of its own.
type agent struct {
	*harness.T
	*mcp.ClientSession

	server *exec.Cmd
	in     io.Closer // the server's input
}

func newAgent(h *harness.T, flags ...string) *agent {
	h.Helper()
	server := exec.CommandContext(h.Context(), harness.RequireEnv("E2E_PLUGIN"),
		append([]string{"-n", h.Namespace, "mcp"}, flags...)...)
	var said bytes.Buffer
	server.Stderr = &said
	in, err := server.StdinPipe()
	if err != nil {
		h.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		h.Fatal(err)
	}
	if err := server.Start(); err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() {
		_ = server.Process.Kill() // it has ended, unless the test has failed
		_ = server.Wait()         // for what it has said
		if said.Len() > 0 {
			h.Logf("the server said %s", said.String())
		}
	})
	session, err := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil).Connect(
		h.Context(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		h.Fatal(err)
	}
	return &agent{T: h, ClientSession: session, server: server, in: in}
}

// must calls a tool, writes the call down, and returns its result.
func (a *agent) must(tool string, arguments map[string]any) map[string]any {
	a.Helper()
	began := time.Now()
	answer, err := a.CallTool(a.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.Fatal(err)
	}
	result, _ := answer.StructuredContent.(map[string]any)
	a.Logf("%s %v -> %v (%s)", tool, arguments, result, time.Since(began).Round(time.Millisecond))
	if answer.IsError {
		text, _ := answer.Content[0].(*mcp.TextContent)
		a.Fatalf("%s: %+v", tool, text)
	}
	return result
}

// left returns the claims that sessions have left in the namespace.
func (a *agent) left() []extensionsv1beta1.SandboxClaim {
	a.Helper()
	var claims extensionsv1beta1.SandboxClaimList
	if err := a.Client.List(
		a.Context(), &claims, client.InNamespace(a.Namespace), client.HasLabels{apis.LabelMCPSession},
	); err != nil {
		a.Fatal(err)
	}
	return claims.Items
}

func (a *agent) nothingIsLeft() {
	a.Helper()
	a.Eventually("nothing of the session is left", func() error {
		if left := a.left(); len(left) > 0 {
			return fmt.Errorf("%d claims are left", len(left))
		}
		return nil
	})
}

func TestAnAgentWorksInASandboxAndLeavesNothing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("template", "create", "python", "--image", harness.ImagePython, "--", "sleep", "infinity")
	h.Must("pool", "create", "warm", "--template", "python")
	h.FullPool("warm")
	a := newAgent(h, "--pool", "warm", "--ttl", "10m")
	name := a.must("create_sandbox", nil)["sandbox"]
	if claims := a.left(); len(claims) != 1 || claims[0].Name != name || claims[0].Spec.Lifecycle.ShutdownTime == nil {
		t.Errorf("%+v", claims)
	}
	a.must("write_file", map[string]any{"path": "/tmp/work/main.py", "content": "print(6 * 7)\n"})
	ran := a.must("run_command", map[string]any{
		"command": "python3 main.py > result; echo done", "directory": "/tmp/work",
	})
	if ran["exit_code"] != 0.0 {
		t.Errorf("got %v", ran)
	}
	if read := a.must("read_file", map[string]any{"path": "/tmp/work/result"}); read["content"] != "42\n" {
		t.Errorf("got %v", read)
	}
	code := a.must("run_code", map[string]any{"language": "python", "code": "import sys\nprint('out')\nsys.exit(7)"})
	if code["exit_code"] != 7.0 || code["stdout"].(map[string]any)["text"] != "out\n" {
		t.Errorf("got %v", code)
	}
	found := a.must("search_files", map[string]any{"path": "/tmp/work", "text": "6 * 7"})
	if all, _ := found["matches"].([]any); len(all) != 1 {
		t.Errorf("got %v", found)
	}
	a.must("run_command", map[string]any{
		"command": "cd /tmp/work && nohup python3 -m http.server 8000 >/tmp/log 2>&1 &",
	})
	a.reach(a.must("forward_port", map[string]any{"port": 8000})["address"])
	long := a.must("run_command", map[string]any{"command": "sleep 300", "timeout_seconds": 1})
	if _, ended := long["exit_code"]; ended {
		t.Errorf("got %v", long)
	}
	a.Eventually("the end of the command", func() error {
		left := a.must("run_command", map[string]any{"command": "grep -l '^sleep.300' /proc/[0-9]*/cmdline; true"})
		if text := left["stdout"].(map[string]any)["text"]; text != "" {
			return fmt.Errorf("it still runs: %v", text)
		}
		return nil
	})
	a.must("extend_sandbox", nil)
	a.Eventually("the operator has seen the extension", func() error {
		if status := a.must("sandbox_status", nil); status["state"] != "Ready" {
			return fmt.Errorf("got %v", status["cause"])
		}
		return nil
	})
	if err := a.in.Close(); err != nil {
		t.Error(err)
	}
	_ = a.Wait() // until the server has closed its output; its exit code matters
	if err := a.server.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	a.nothingIsLeft()
}

// reach reads the files that the server in the sandbox lists.
func (a *agent) reach(address any) {
	a.Helper()
	a.Eventually("an answer of the server in the sandbox", func() error {
		answer, err := http.Get(fmt.Sprintf("http://%v/", address))
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err == nil && !strings.Contains(string(body), "main.py") {
			err = errors.New(string(body))
		}
		return err
	})
}

func TestAnAgentThatIsKilledLeavesNothing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("template", "create", "shell", "--image", harness.ImageShell, "--", "sleep", "infinity")
	ends := map[string]struct {
		ttl string
		end func(*agent) error
	}{
		"its input ends in the middle of a call": {"10m", func(a *agent) error {
			go func() {
				_, _ = a.CallTool(a.Context(), &mcp.CallToolParams{ // the server ends it
					Name: "run_command", Arguments: map[string]any{"command": "sleep 300"},
				})
			}()
			return a.in.Close()
		}},
		"the server is killed": {"1m", func(a *agent) error { return a.server.Process.Kill() }},
	}
	for how, tt := range ends {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			a := newAgent(h.In(t), "--template", "shell", "--ttl", tt.ttl)
			name, _ := a.must("create_sandbox", nil)["sandbox"].(string)
			if err := tt.end(a); err != nil {
				t.Error(err)
			}
			a.Within(3*time.Minute, "the end of claim "+name, func() error {
				if a.T.Get(name, &extensionsv1beta1.SandboxClaim{}) {
					return errors.New("it is still there")
				}
				return nil
			})
		})
	}
}
