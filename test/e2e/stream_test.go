// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// startPlugin starts the plugin and returns its standard output. The plugin is interrupted when the test ends.
func startPlugin(h *harness.T, args ...string) (*exec.Cmd, io.Reader) {
	h.Helper()
	command := exec.CommandContext(h.Context(), harness.RequireEnv("E2E_PLUGIN"),
		append([]string{"-n", h.Namespace}, args...)...)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		h.Fatal(err)
	}
	return command, out
}

func randomBytes(size int) []byte {
	data, source := make([]byte, size), rand.New(rand.NewPCG(5, 6))
	for i := range data {
		data[i] = byte(source.Uint32())
	}
	return data
}

func TestAttachReachesTheMainProcess(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Apply(`
apiVersion: agents.x-k8s.io/v1beta1
kind: Sandbox
metadata: {name: dev}
spec:
  podTemplate:
    spec:
      terminationGracePeriodSeconds: 1
      restartPolicy: Never
      containers:
      - name: main
        image: ` + harness.ImageShell + `
        stdin: true
        stdinOnce: true
        command: [sh, -c, 'read line; echo "got $line"; sleep 1']
`)
	h.Must("wait", "dev", "--for", "ready")
	if r := h.PluginWithInput(strings.NewReader("hello\n"), "attach", "dev"); r.Code != 0 || r.Stdout != "got hello\n" {
		t.Errorf("%v", r)
	}
}

func TestLogsGoOnWithTheNextPod(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "dev", "--image", harness.ImageShell, "--wait", "--", "sh", "-c", "echo started; exec sleep 1000")
	_, out := startPlugin(h, "logs", "dev", "-f")
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "started" {
		t.Fatalf("first line: %q", lines.Text())
	}
	h.Must("suspend", "dev", "--wait")
	h.Must("resume", "dev", "--wait")
	if !lines.Scan() || lines.Text() != "started" {
		t.Errorf("the next Pod's first line: %q", lines.Text())
	}
}

func TestCopyThatWasKilledGoesOn(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "dev")
	local := t.TempDir()
	data := randomBytes(64 << 20)
	source := filepath.Join(local, "data")
	if err := os.WriteFile(source, data, 0o640); err != nil {
		t.Fatal(err)
	}
	arrived := func() string {
		return strings.TrimSpace(h.Must("exec", "dev", "--", "sh", "-c", "cat /tmp/.kubectl-sandbox-* 2>/dev/null | wc -c"))
	}
	upload, _ := startPlugin(h, "cp", source, "dev:/tmp/data")
	h.Eventually("a part has arrived", func() error {
		if n := arrived(); len(n) < 7 {
			return fmt.Errorf("%s bytes", n)
		}
		return nil
	})
	if err := upload.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = upload.Wait() // it was killed
	if r := h.Plugin("exec", "dev", "--", "ls", "/tmp/data"); r.Code == 0 && arrived() != "0" {
		t.Errorf("an interrupted copy has its final name: %v", r)
	}
	h.Must("cp", source, "dev:/tmp/data", "--resume")
	back := filepath.Join(local, "back")
	h.Must("cp", "dev:/tmp/data", back)
	if got, err := os.ReadFile(back); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes came back (%v)", len(got), err)
	}
	if info, err := os.Stat(back); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode: %v (%v)", info, err)
	}
	if n := arrived(); n != "0" {
		t.Errorf("%s bytes are left behind", n)
	}
}

// The test fills a container's /dev/shm, which has 64 MiB.
func TestACopyIntoWhatIsFullEndsAndSaysWhy(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "shell", "--image", harness.ImageShell, "--wait", "--", "sleep", "infinity")
	h.Must("create", "python", "--image", harness.ImagePython, "--wait", "--", "sleep", "infinity")
	tree := filepath.Join(t.TempDir(), "tree")
	file := filepath.Join(tree, "data")
	if err := os.Mkdir(tree, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, randomBytes(128<<20), 0o640); err != nil {
		t.Fatal(err)
	}
	full := regexp.MustCompile("No space left|tar: .* Wrote only") // GNU's tar
	for _, name := range []string{"shell", "python"} {
		endless, err := os.Open("/dev/zero")
		if err != nil {
			t.Fatal(err)
		}
		defer endless.Close()
		if r := h.PluginWithInput(endless, "cp", "-", name+":/dev/shm/x"); r.Code != 1 || !full.MatchString(r.Stderr) {
			t.Errorf("cp - to %s: %v", name, r)
		}
		for _, source := range []string{file, tree} {
			if r := h.Plugin("cp", source, name+":/dev/shm/x"); r.Code != 1 || !full.MatchString(r.Stderr) {
				t.Errorf("cp %s to %s: %v", source, name, r)
			}
			if left := h.Must("exec", name, "--", "ls", "-A", "/dev/shm"); left != "" {
				t.Errorf("%s, after %s: left behind: %s", name, source, left)
			}
		}
	}
}

func TestCopyBetweenSandboxesPatternsAndStreams(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "one")
	h.Must("create", "two", "--image", harness.ImageShell, "--wait")
	h.Must("exec", "one", "--", "sh", "-c",
		"mkdir -p /tmp/d/sub && cd /tmp/d && echo a >a.log && echo b >'b c.log' && echo x >sub/x && ln a.log hard && ln -s "+
			"a.log soft")
	for range 2 {
		h.Must("cp", "one:/tmp/d", "two:/tmp/d")
	}
	list := []string{"sh", "-c", "cd /tmp/d && find . | sort && cat a.log 'b c.log' hard soft sub/x"}
	want := h.Must(append([]string{"exec", "one", "--"}, list...)...)
	if got := h.Must(append([]string{"exec", "two", "--"}, list...)...); got != want {
		t.Errorf("the copy is\n%s\nof\n%s", got, want)
	}
	logs := filepath.Join(t.TempDir(), "logs")
	h.Must("cp", "one:/tmp/d/*.log", logs)
	if entries, err := os.ReadDir(logs); err != nil || len(entries) != 2 {
		t.Errorf("the pattern gave %v (%v)", entries, err)
	}
	if r := h.PluginWithInput(strings.NewReader("streamed"), "cp", "-", "two:/tmp/in"); r.Code != 0 {
		t.Errorf("%v", r)
	}
	if got := h.Must("cp", "two:/tmp/in", "-"); got != "streamed" {
		t.Errorf("got %q", got)
	}
}

func TestForwardStaysThroughSuspendAndResume(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "web", "--image", harness.ImagePython, "--wait", "--", "python3", "-m", "http.server", "8000", "-d",
		"/etc")
	forward, out := startPlugin(h, "port-forward", "web", ":8000", "-o", "json", "--address", "127.0.0.1")
	var listening struct{ Port int }
	events := json.NewDecoder(out)
	if err := events.Decode(&listening); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, io.MultiReader(events.Buffered(), out)) }()
	fetch := func() error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			fmt.Sprintf("http://127.0.0.1:%d/hostname", listening.Port), nil)
		if err != nil {
			return err
		}
		answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("status %s", answer.Status)
		}
		return nil
	}
	h.Eventually("the first answer", fetch)
	h.Must("suspend", "web", "--wait")
	h.Must("resume", "web", "--wait")
	began := time.Now()
	h.Eventually("an answer of the next Pod", fetch)
	t.Logf("the next Pod answered %v after it was ready", time.Since(began).Round(time.Millisecond))
	var pod corev1.Pod
	h.Get("web", &pod)
	if err := h.Client.Delete(t.Context(), &pod); err != nil {
		t.Fatal(err)
	}
	h.Eventually("an answer of the Pod in its place", fetch)
	h.Must("delete", "web", "--yes")
	if err := forward.Wait(); err == nil || forward.ProcessState.ExitCode() != 1 {
		t.Errorf("after the deletion it ends with %v", err)
	}
}

func TestForwardOverStandardStreams(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "web", "--image", harness.ImagePython, "--wait", "--", "python3", "-m", "http.server", "8000", "-d",
		"/etc")
	h.Eventually("an answer", func() error {
		r := h.PluginWithInput(strings.NewReader("GET /hostname HTTP/1.0\r\n\r\n"), "port-forward", "web", "8000", "--stdio")
		if r.Code != 0 || !strings.Contains(r.Stdout, "200 OK") {
			return fmt.Errorf("%v", r)
		}
		return nil
	})
	if got := h.Must("ssh-config", "web"); !strings.Contains(got, "port-forward web 22 --stdio --namespace="+h.Namespace) {
		t.Errorf("got %q", got)
	}
}

func TestInputThatNobodyReadsEndsWithAnInterrupt(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "dev")
	command := exec.CommandContext(t.Context(), harness.RequireEnv("E2E_PLUGIN"), "-n", h.Namespace, "exec", "dev", "--",
		"sleep", "1000")
	command.Stdin = io.LimitReader(zeros{}, 1<<34)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	h.Eventually("the command runs", func() error {
		if r := h.Plugin("exec", "dev", "--", "sh", "-c", "grep -lz 1000 /proc/[0-9]*/cmdline"); r.Code != 0 {
			return fmt.Errorf("%v", r)
		}
		return nil
	})
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if state, err := command.Process.Wait(); err != nil || state.ExitCode() != 130 {
		t.Errorf("it ended with %v, %v", state, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
