// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

// silenceTimeout is how long the plugin may take to close a silent connection (docs/adr/0008), with a reserve for slow
// machines.
const silenceTimeout = 75 * time.Second

// startProxy starts a proxy to the API server and returns the plugin's flags to use it.
func startProxy(h *harness.T) (*proxy.Proxy, []string) {
	h.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", harness.RequireEnv("KUBECONFIG"))
	if err != nil {
		h.Fatal(err)
	}
	between, through, err := proxy.For(config)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(between.Close)
	return between, []string{"--server", through.Host, "--tls-server-name", through.ServerName}
}

// waitForExit waits until a command ends and returns its exit code. It kills the command after silenceTimeout.
func waitForExit(h *harness.T, command *exec.Cmd) int {
	h.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = command.Wait() // the caller checks the exit code
	}()
	select {
	case <-over:
	case <-time.After(silenceTimeout):
		h.Errorf("the command does not notice the silence within %v", silenceTimeout)
		_ = command.Process.Kill()
		<-over
	}
	return command.ProcessState.ExitCode()
}

func TestAConnectionThatGoesSilentIsNoticedWithinAMinute(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Create(h.NewSandbox("dev", running("sh", "-c", "i=0; while :; do echo $i; i=$((i+1)); usleep 100000; done")))
	h.Ready("dev")
	begun := func(h *harness.T, piped bool, flags []string, args ...string) (*exec.Cmd, *bufio.Reader, *bytes.Buffer) {
		h.Helper()
		command := exec.CommandContext(h.Context(), harness.RequireEnv("E2E_PLUGIN"),
			append(append([]string{"-n", h.Namespace}, flags...), args...)...)
		command.WaitDelay = 10 * time.Second
		stderr := &bytes.Buffer{}
		command.Stderr = stderr
		out, err := command.StdoutPipe()
		if err == nil && piped { // an input on which nothing arrives
			_, err = command.StdinPipe()
		}
		if err == nil {
			err = command.Start()
		}
		if err != nil {
			h.Fatal(err)
		}
		return command, bufio.NewReader(out), stderr
	}
	each := func(name string, check func(*harness.T, *proxy.Proxy, []string)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := h.In(t)
			between, flags := startProxy(h)
			check(h, between, flags)
		})
	}
	for name, piped := range map[string]bool{"exec over WebSocket": false, "exec over SPDY": true} {
		each(name, func(h *harness.T, between *proxy.Proxy, flags []string) {
			command, out, stderr := begun(h, piped, flags, "exec", "dev", "--", "sh", "-c", "echo begun; sleep 600")
			if line, err := out.ReadString('\n'); line != "begun\n" {
				h.Errorf("nothing came: %q, %v", line, err)
			}
			between.Now(proxy.Swallow)
			if code := waitForExit(h, command); code != 255 || strings.Contains(stderr.String(), "Usage") {
				h.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
	each("logs -f goes on, without a line lost or twice", func(h *harness.T, between *proxy.Proxy, flags []string) {
		command, out, stderr := begun(h, false, flags, "logs", "-f", "dev")
		defer func() { _ = command.Wait() }()
		defer func() { _ = command.Process.Kill() }()
		started := time.Now()
		for want, last := 0, -1; last < 0 || want <= last; want++ {
			line, err := out.ReadString('\n')
			if err != nil || line != fmt.Sprintln(want) {
				h.Fatalf("line %d is %q, %v", want, line, err)
			}
			switch since := time.Since(started); {
			case want == 5:
				between.Now(proxy.Swallow)
			case last < 0 && since > 10*time.Second: // it has resumed
				last = want + 20
				if since > silenceTimeout {
					h.Errorf("it resumed only after %v: %s", since, stderr)
				}
			}
		}
	})
	each("wait looks again", func(h *harness.T, between *proxy.Proxy, flags []string) {
		h.Create(h.NewSandbox("late", running("sh", "-c", "until [ -e /tmp/go ]; do usleep 100000; done")))
		h.Ready("late")
		command, _, stderr := begun(h, false, flags, "wait", "late", "--for", "finished", "--timeout", "5m")
		seen, quiet := 0, time.Now()
		h.Eventually("it watches: no connection came for two seconds", func() error {
			if now := between.Connections(); now != seen || now == 0 {
				seen, quiet = now, time.Now()
			}
			if time.Since(quiet) < 2*time.Second {
				return fmt.Errorf("%d connections", seen)
			}
			return nil
		})
		between.Now(proxy.Swallow)
		h.MustKubectl("exec", "late", "--", "touch", "/tmp/go")
		h.Condition("late", "Finished=True/PodSucceeded")
		if code := waitForExit(h, command); code != 0 {
			h.Errorf("exit code %d: %s", code, stderr)
		}
	})
}

// TestACopyWhoseConnectionGoesSilentGoesOnByItself copies 8 MiB through connections that go silent after 6 MiB. The
// resumed copy has less than 6 MiB left, so it succeeds.
func TestACopyWhoseConnectionGoesSilentGoesOnByItself(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "dev", "--image", harness.ImagePython, "--wait") // its tar reads a list of names
	const part, parts = 1 << 20, 8
	local := filepath.Join(t.TempDir(), "tree")
	if err := os.Mkdir(local, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range parts {
		if err := os.WriteFile(filepath.Join(local, fmt.Sprint(i)), randomBytes(part+i), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	whole := filepath.Join(t.TempDir(), "whole")
	if err := os.WriteFile(whole, randomBytes(part*parts), 0o644); err != nil {
		t.Fatal(err)
	}
	h.Must("cp", local, "dev:/there/tree")
	h.Must("cp", whole, "dev:/there/whole")
	const much = part * 6
	sent, received := proxy.Fault{Action: proxy.Swallow, Sent: much}, proxy.Fault{Action: proxy.Swallow, Received: much}
	back := t.TempDir()
	sum := func(dir string) string { // of a tree and of a file beside it
		return "cd " + dir + " && find . -type f | LC_ALL=C sort | xargs sha256sum"
	}
	t.Run("each", func(t *testing.T) { // returns when all have ended
		for name, tt := range map[string]struct {
			fault    proxy.Fault
			from, to string
		}{
			"a file in":  {sent, whole, "dev:/in/whole"},
			"a tree in":  {sent, local, "dev:/in/tree"},
			"a file out": {received, "dev:/there/whole", filepath.Join(back, "whole")},
			"a tree out": {received, "dev:/there/tree", filepath.Join(back, "tree")},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := h.In(t)
				between, flags := startProxy(h)
				between.Always(tt.fault)
				began := time.Now()
				r := h.Plugin(append(flags, "cp", tt.from, tt.to)...)
				if took := time.Since(began); r.Code != 0 || took > silenceTimeout+15*time.Second || took < 30*time.Second {
					t.Errorf("after %v: %v", took, r)
				}
				if !strings.Contains(r.Stderr, "continuing (1 of 5)") {
					t.Errorf("it does not report that it resumes: %s", r.Stderr)
				}
			})
		}
	})
	want := h.MustKubectl("exec", "dev", "--", "sh", "-c", sum("/there"))
	if got := h.MustKubectl("exec", "dev", "--", "sh", "-c", sum("/in")); got != want {
		t.Errorf("in the sandbox is:\n%s\nand should be:\n%s", got, want)
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", sum(back)).Output()
	if err != nil || string(out) != want {
		t.Errorf("on this machine is:\n%s\nand should be:\n%s (%v)", out, want, err)
	}
}
