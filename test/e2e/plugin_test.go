// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// create creates a Sandbox with the plugin and waits until it is ready.
func create(h *harness.T, name string, more ...string) {
	h.Helper()
	h.Must(append([]string{"create", name, "--image", harness.ImagePython, "--wait"}, more...)...)
}

func TestCreateListDescribeStatusAndDelete(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "dev", "--env", "COLOUR=blue", "--label", "team=a", "--volume", "work=16Mi:/work", "--ttl", "1h",
		"--service")
	if got := h.Must("exec", "dev", "--", "sh", "-c", "echo $COLOUR; ls -d /work"); got != "blue\n/work\n" {
		t.Errorf("environment and volume: %q", got)
	}
	for command, words := range map[string][]string{
		"list":     {"NAME", "dev", "Ready"},
		"get":      {"dev"},
		"describe": {"Name:", "dev", harness.ImagePython, "work-dev", "Conditions:", "Next:"},
		"status":   {"dev: Ready", "Containers:", "Next:"},
	} {
		args := []string{command}
		if command == "describe" || command == "status" {
			args = append(args, "dev")
		}
		out := h.Must(args...)
		for _, word := range words {
			if !strings.Contains(out, word) {
				t.Errorf("%s lacks %q:\n%s", command, word, out)
			}
		}
		if strings.Contains(out, "\x1b") {
			t.Errorf("%s writes escape codes to a file", command)
		}
	}
	var list struct {
		Kind  string
		Items []agentsv1beta1.Sandbox
	}
	if err := json.Unmarshal([]byte(h.Must("list", "-o", "json")), &list); err != nil || len(list.Items) != 1 ||
		list.Kind != "List" {
		t.Errorf("list -o json: %v, %d items, kind %s", err, len(list.Items), list.Kind)
	}
	if out := h.Must("list", "-l", "team=none", "-o", "json"); json.Unmarshal([]byte(out), &list) != nil {
		t.Errorf("an empty list is no JSON: %q", out)
	}
	if r := h.Plugin("delete", "dev"); r.Code == 0 || !strings.Contains(r.Stderr, "--yes") {
		t.Errorf("delete without a terminal and without --yes: %v", r)
	}
	h.Must("delete", "dev", "--yes", "--wait")
	if h.Get("dev", &corev1.Pod{}) || h.Get("work-dev", &corev1.PersistentVolumeClaim{}) {
		t.Error("delete --wait returned before all was gone")
	}
}

func TestExecPassesCodesStreamsAndTheLastByte(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "dev")
	if r := h.Plugin("exec", "dev", "--", "sh", "-c", "echo out; echo err >&2; exit 42"); r.Code != 42 ||
		r.Stdout != "out\n" || r.Stderr != "err\n" {
		t.Errorf("%v", r)
	}
	if got := h.Must("exec", "dev", "--", "python3", "-c", "print(6*7)"); got != "42\n" {
		t.Errorf("python printed %q", got)
	}
	data := make([]byte, 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	if r := h.PluginWithInput(bytes.NewReader(data), "exec", "dev", "--", "cat"); r.Code != 0 || r.Stdout != string(data) {
		t.Errorf("cat gave back %d of %d bytes, code %d: %s", len(r.Stdout), len(data), r.Code, r.Stderr)
	}
	if r := h.PluginWithInput(strings.NewReader("echo from a shell; exit 7\n"), "shell", "dev"); r.Code != 7 ||
		!strings.Contains(r.Stdout, "from a shell") {
		t.Errorf("%v", r)
	}
	if r := h.Plugin("exec", "dev", "--", "no-such-program"); r.Code != 127 {
		t.Errorf("a program that is missing: %v", r)
	}
	if r := h.Plugin("exec", "dev", "-c", "nobody", "--", "true"); r.Code == 0 || !strings.Contains(r.Stderr, "sandbox") {
		t.Errorf("a container that is missing does not name those there are: %v", r)
	}
}

func TestLogs(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("create", "job", "--image", harness.ImageShell, "--restart", "Never", "--", "sh", "-c", "echo one; echo two")
	h.Must("wait", "job", "--for", "finished")
	if got := h.Must("logs", "job"); got != "one\ntwo\n" {
		t.Errorf("logs: %q", got)
	}
	if got := h.Must("logs", "job", "--tail", "1"); got != "two\n" {
		t.Errorf("logs --tail 1: %q", got)
	}
	if got := h.Must("logs", "job", "-f"); got != "one\ntwo\n" {
		t.Errorf("logs -f of a finished container: %q", got)
	}
}

func TestCopyBothWaysFilesAndTrees(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "dev")
	local := t.TempDir()
	tree := filepath.Join(local, "tree")
	for name, content := range map[string]string{"a.txt": "a", "sub/b with space.txt": "b", "sub/deep/c": "c"} {
		file := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.txt", filepath.Join(tree, "link")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // copying again gives the same tree
		h.Must("cp", tree, "dev:/tmp/tree")
	}
	h.Must("cp", "dev:/tmp/tree", filepath.Join(local, "back"))
	for name, want := range map[string]string{"a.txt": "a", "sub/b with space.txt": "b", "sub/deep/c": "c", "link": "a"} {
		got, err := os.ReadFile(filepath.Join(local, "back", name))
		if err != nil || string(got) != want {
			t.Errorf("%s came back as %q (%v)", name, got, err)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(local, "back")); err != nil || len(entries) != 3 {
		t.Errorf("the copy holds %v (%v)", entries, err)
	}
	h.Must("cp", filepath.Join(tree, "a.txt"), "dev:/tmp/one.txt")
	h.Must("cp", "dev:/tmp/one.txt", filepath.Join(local, "one.txt"))
	if got, _ := os.ReadFile(filepath.Join(local, "one.txt")); string(got) != "a" {
		t.Errorf("one file came back as %q", got)
	}
	for _, missing := range [][]string{{"cp", filepath.Join(local, "none"), "dev:/tmp/x"}, {"cp", "dev:/none", local}} {
		if r := h.Plugin(missing...); r.Code != 1 || r.Stderr == "" {
			t.Errorf("a missing source: %v", r)
		}
	}
}

func TestSuspendResumeExtendAndWait(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "dev", "--volume", "work=16Mi:/work", "--ttl", "1h")
	h.Must("exec", "dev", "--", "sh", "-c", "echo kept > /work/file")
	h.Must("suspend", "dev", "--wait")
	if h.Get("dev", &corev1.Pod{}) {
		t.Error("suspend --wait returned before the Pod was gone")
	}
	if r := h.Plugin("exec", "dev", "--", "true"); r.Code != 1 || !strings.Contains(r.Stderr, "resume dev") {
		t.Errorf("exec in a suspended sandbox: %v", r)
	}
	if r := h.Plugin("wait", "dev", "--for", "ready"); r.Code != 1 || !strings.Contains(r.Stderr, "resume dev") {
		t.Errorf("waiting for a suspended sandbox to be ready: %v", r)
	}
	h.Must("wait", "dev", "--for", "suspended")
	var before, after agentsv1beta1.Sandbox
	h.Get("dev", &before)
	if before.Spec.Replicas == nil || *before.Spec.Replicas != 0 || before.Spec.OperatingMode == nil ||
		*before.Spec.OperatingMode != "Suspended" {
		t.Errorf("suspend must set both replicas and operatingMode: %v %v",
			before.Spec.Replicas, before.Spec.OperatingMode)
	}
	h.Must("resume", "dev", "--wait")
	if got := h.Must("exec", "dev", "--", "cat", "/work/file"); got != "kept\n" {
		t.Errorf("after resuming the volume holds %q", got)
	}
	h.Must("extend", "dev", "--by", "30m")
	if h.Get("dev", &after); after.Spec.ShutdownTime.Sub(before.Spec.ShutdownTime.Time).Minutes() != 30 {
		t.Errorf("extended from %v to %v", before.Spec.ShutdownTime, after.Spec.ShutdownTime)
	}
	if r := h.Plugin("suspend", "dev", "nobody", "--wait"); r.Code != 1 || !strings.Contains(r.Stderr, "nobody") {
		t.Errorf("one of two names is missing: %v", r)
	}
	h.Condition("dev", "Suspended=True/PodTerminated")
}

func TestVersionAndCompletion(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "dev")
	if out := h.Must("version"); !strings.Contains(out, "v") {
		t.Errorf("version: %q", out)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := h.Must("completion", shell); len(out) < 1000 {
			t.Errorf("completion %s: %q", shell, out)
		}
	}
	if out := h.Must("__complete", "exec", ""); !strings.Contains(out, "dev") {
		t.Errorf("names do not complete: %q", out)
	}
	if r := h.KubectlWithoutNamespace("sandbox", "list", "-n", h.Namespace); r.Code != 0 ||
		!strings.Contains(r.Stdout, "dev") {
		t.Errorf("as a plugin of kubectl: %v", r)
	}
}

func TestInstallAgainChangesNothing(t *testing.T) {
	h := harness.New(t)
	generation := func() string {
		return h.MustKubectl("-n", "agent-sandbox-system", "get", "deployment", "agent-sandbox-controller", "-o",
			"jsonpath={.metadata.generation}")
	}
	before := generation()
	h.Must("install", "--namespace", "agent-sandbox-system", "--image", harness.RequireEnv("E2E_IMAGE"))
	if after := generation(); after != before {
		t.Errorf("the Deployment went from generation %s to %s", before, after)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(h.Must("install", "--export")), "\n---\n") {
		if !strings.Contains(line, "kind:") {
			t.Errorf("not an object: %.100s", line)
		}
	}
}
