// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// newSDK returns a client for the namespace of a test.
func newSDK(h *harness.T, options ...sdk.Option) *sdk.Client {
	h.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", harness.RequireEnv("KUBECONFIG"))
	if err != nil {
		h.Fatal(err)
	}
	options = append(options, sdk.WithNamespace(h.Namespace), sdk.WithReadyTimeout(harness.DefaultTimeout))
	client, err := sdk.New(config, options...)
	if err != nil {
		h.Fatal(err)
	}
	return client
}

func TestAGoProgramReachesThePortsAndTheRuntimeOfASandbox(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Apply(example(h, "templates/runtime-copied.yaml"))
	box, err := newSDK(h).Create(t.Context(), sdk.Spec{Name: "dev", Template: "runtime-copied"})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("HTTP", func(t *testing.T) {
		response, err := box.HTTPClient(8888).Get("http://sandbox/")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || strings.TrimSpace(string(text)) != `{"status":"ok"}` {
			t.Errorf("got %q, %v", text, err)
		}
	})
	t.Run("TCP", func(t *testing.T) {
		conn, err := box.Dial(t.Context(), 8888)
		if err != nil {
			t.Fatal(err)
		}
		ask(t, conn)
		forwarding, err := box.Forward(t.Context(), "localhost:0", 8888)
		if err != nil {
			t.Fatal(err)
		}
		if conn, err = net.Dial("tcp", forwarding.Addr().String()); err != nil {
			t.Fatal(err)
		}
		ask(t, conn)
		if err := forwarding.Close(); err != nil {
			t.Error(err)
		}
		if conn, err = box.Dial(t.Context(), 9999); err == nil {
			_, err = conn.Read(make([]byte, 1))
			_ = conn.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("a port that nobody listens on: got %v", err)
		}
	})
	t.Run("runtime", func(t *testing.T) { useRuntime(t, box.Runtime()) })
	t.Run("router", func(t *testing.T) {
		client := newSDK(h, sdk.WithConnection(connect.Tunnel{}), sdk.WithRouterToken(connect.Token(h.Token("agent"))))
		routed, err := client.Open(t.Context(), "dev")
		if err != nil {
			t.Fatal(err)
		}
		useRuntime(t, routed.Runtime())
		if err := box.Suspend(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := routed.Runtime().Run(t.Context(), "true"); !errors.Is(err, sdk.ErrSuspended) {
			t.Errorf("suspended: got %v", err)
		}
		if err := box.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		useRuntime(t, routed.Runtime())
	})
	if err := box.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRunGoesThroughTheRouterIfItIsTold(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Apply(example(h, "templates/runtime-copied.yaml"))
	args := []string{"run", "--template", "runtime-copied", "--via=router", "--token", h.Token("agent"), "--"}
	r := h.Plugin(append(args, "sh", "-c", "cat; echo err >&2; exit 3")...)
	if r.Code != 3 || r.Stdout != "" || !strings.Contains(r.Stderr, "err") {
		t.Errorf("got %v", r)
	}
	if left := h.MustKubectl("get", "sandboxclaims", "-o", "name"); left != "" {
		t.Errorf("it is still there: %s", left)
	}
}

// ask sends an HTTP request over a connection, and expects the answer of the runtime.
func ask(t *testing.T, conn net.Conn) {
	t.Helper()
	defer conn.Close()
	if _, err := fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
		t.Error(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200 OK\r\n") {
		t.Errorf("got %q, %v", answer, err)
	}
}

// useRuntime runs commands and moves files.
func useRuntime(t *testing.T, runtime *sdk.Runtime) {
	t.Helper()
	ctx := t.Context()
	if err := runtime.Write(ctx, "job/run.py", []byte("import sys; print(sys.argv[1:], sys.stdin.read())")); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	code, err := runtime.Exec(ctx, stream.Process{
		Command: []string{"python3", "job/run.py", "two words", "$HOME"}, Stdin: strings.NewReader("input"), Stdout: &out,
	})
	if err != nil || code != 0 || out.String() != "['two words', '$HOME'] input\n" {
		t.Errorf("got %q, %d, %v", out.String(), code, err)
	}
	if result, err := runtime.Run(ctx, "sh", "-c", "exit 3"); err != nil || result.ExitCode != 3 {
		t.Errorf("got %+v, %v", result, err)
	}
	if content, err := runtime.Read(ctx, "job/run.py"); err != nil || !strings.HasPrefix(string(content), "import sys") {
		t.Errorf("got %q, %v", content, err)
	}
	entries, err := runtime.List(ctx, "job")
	if err != nil || len(entries) != 1 || entries[0].Name != "run.py" {
		t.Errorf("got %+v, %v", entries, err)
	}
	if exists, err := runtime.Exists(ctx, "nothing"); err != nil || exists {
		t.Errorf("got %v, %v", exists, err)
	}
}

// killed is the exit code of a process that SIGKILL ended.
const killed = 137

func TestAGoProgramDoesNotWaitForACommandWhosePodIsGone(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	client := newSDK(h, sdk.WithRequestTimeout(5*time.Second))
	box, err := client.Create(t.Context(), sdk.Spec{
		Name: "dev", Image: harness.ImageShell, Command: []string{"sleep", "infinity"},
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := box.Run(t.Context(), "sh", "-c", "sleep 12; echo done")
	if err != nil || string(result.Stdout) != "done\n" {
		t.Errorf("a command that was silent for long: got %q, %v", result.Stdout, err)
	}
	lines, said := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		code, err := box.Exec(context.WithoutCancel(t.Context()), stream.Process{
			Command: []string{"sh", "-c", "echo ready; sleep 600"}, Stdout: said,
		})
		if code == killed {
			err = sdk.ErrLost // the node was faster
		}
		ended <- err
	}()
	if _, err := io.ReadFull(lines, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	h.Kubectl("delete", "pod", "dev", "--grace-period=0", "--force")
	select {
	case err := <-ended:
		if !errors.Is(err, sdk.ErrLost) {
			t.Errorf("got %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for a command whose Pod is gone")
	}
	if err := box.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
