// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
	"github.com/agent-sandbox/kubectl-sandbox/test/golden"
)

// variableParts match the parts of the output that differ between runs, with their replacements.
var variableParts = []struct {
	pattern *regexp.Regexp
	word    string
}{
	{regexp.MustCompile(`e2e-[a-z0-9-]+`), "NS"},
	{regexp.MustCompile(`\b10\.244\.\d+\.\d+\b`), "IP"},
	{regexp.MustCompile(`\b(warm)-[a-z0-9]{5}\b`), "$1-XXXXX"},
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ][0-9:]+( UTC|Z)`), "TIME"},
	{regexp.MustCompile(`\b(\d+(ms|s|m))+\b`), "AGE"},
	{regexp.MustCompile(` +`), " "},
	{regexp.MustCompile(` \n`), "\n"},
}

var events = regexp.MustCompile(`Events:\n( AGE ago .*\n)+`)

// transcript records commands and their output.
type transcript struct {
	*harness.T

	text strings.Builder
}

// run runs one command and records it. It replaces what differs between runs, and sequences of spaces by one space.
func (s *transcript) run(words ...string) {
	s.Helper()
	got := "$ kubectl sandbox " + strings.Join(words, " ") + "\n" + s.Must(words...)
	for _, v := range variableParts {
		got = v.pattern.ReplaceAllString(got, v.word)
	}
	if words[0] == "list" { // the order of generated names varies
		lines := strings.SplitAfter(got, "\n")
		slices.Sort(lines[2 : len(lines)-1])
		got = strings.Join(lines, "")
	}
	got = events.ReplaceAllString(got, "") // events of the same second come in any order
	s.text.WriteString(got)
}

func TestThePluginFromATemplateToAClaimAndBack(t *testing.T) {
	t.Parallel()
	s := &transcript{T: harness.New(t)}
	s.run("template", "create", "shell", "--image", harness.ImagePython, "--port", "http=8080", "--env", "BASE=x",
		"--env-policy", "Allowed")
	s.run("pool", "create", "warm", "--template", "shell", "--replicas", "2")
	s.FullPool("warm")
	s.run("template", "list")
	s.run("template", "describe", "shell")
	s.run("create", "dev", "--template", "shell", "--wait", "--ttl", "1h", "--label", "team=a")
	s.run("create", "two", "--pool", "warm", "--wait", "-o", "name")
	s.run("create", "env", "--template", "shell", "--pool", "none", "--env", "WHO=me", "--wait")
	s.FullPool("warm")
	s.run("list")
	s.run("pool", "list")
	s.run("pool", "describe", "warm")
	s.run("tree", "dev")
	s.run("status", "dev")
	s.run("describe", "dev")
	for _, name := range []string{"dev", "two", "env"} {
		s.run("delete", name, "--yes", "--wait")
	}
	s.run("pool", "delete", "warm", "--yes")
	s.run("template", "delete", "shell", "--yes")
	golden.Compare(t, "testdata/template-to-claim-and-back.txt", []byte(s.text.String()))
}

func TestRunInAWarmSandboxPassesTheCodeAndLeavesNothing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("template", "create", "python", "--image", harness.ImagePython)
	h.Must("pool", "create", "warm", "--template", "python", "--replicas", "1")
	h.FullPool("warm")
	if r := h.Plugin("run", "--template", "python", "--name", "once", "--", "sh", "-c",
		"echo out; echo err >&2; exit 7"); r.Code != 7 || r.Stdout != "out\n" ||
		!strings.Contains(r.Stderr, "err\n") {
		t.Errorf("%v", r)
	}
	h.Gone("once", &extensionsv1beta1.SandboxClaim{})
	if r := h.PluginWithInput(strings.NewReader("print(6*7)"), "run", "--pool", "warm", "--name", "script", "--",
		"python3", "-"); r.Code != 0 || r.Stdout != "42\n" {
		t.Errorf("%v", r)
	}
	if r := h.Plugin("run", "--template", "python", "--name", "stays", "--keep", "--", "true"); r.Code != 0 ||
		!strings.Contains(r.Stderr, "claim/stays stays") {
		t.Errorf("%v", r)
	}
	h.Claimed("stays")
	if r := h.Plugin("run", "--template", "none-such", "--name", "never", "--timeout", "5s", "--", "true"); r.Code == 0 ||
		!strings.Contains(r.Stderr, `SandboxTemplate "none-such" does not exist`) {
		t.Errorf("%v", r)
	}
	h.Gone("never", &extensionsv1beta1.SandboxClaim{})

	command := exec.CommandContext(t.Context(), harness.RequireEnv("E2E_PLUGIN"), "-n", h.Namespace, "run", "--template",
		"python", "--name", "cut",
		"--", "sh", "-c", "echo started; sleep 600")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if n, err := stdout.Read(make([]byte, 16)); n == 0 {
		t.Fatalf("nothing came: %v, %s", err, stderr.String())
	}
	h.Claimed("cut")
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); command.ProcessState.ExitCode() != 130 {
		t.Errorf("after an interrupt: %v, %s", err, stderr.String())
	}
	h.Gone("cut", &extensionsv1beta1.SandboxClaim{})
	h.FullPool("warm")
}

func TestThePluginSaysWhatIsWrongWithAClaim(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	failingCommand{
		[]string{"create", "lost", "--template", "none-such", "--wait", "--timeout", "60s"}, 1,
		[]string{`SandboxTemplate "none-such" does not exist`},
	}.check(t, h)
	if r := h.Plugin("status", "lost"); !strings.Contains(r.Stdout, "template none-such does not exist: create it") {
		t.Errorf("status: %v", r)
	}
	if r := h.Plugin("exec", "lost", "--", "true"); r.Code != 1 || !strings.Contains(r.Stderr, "none-such") {
		t.Errorf("exec: %v", r)
	}
	h.Must("pool", "create", "empty", "--template", "none-such")
	h.Eventually("the pool says why it is short", func() error {
		if out := h.Must("pool", "list"); !strings.Contains(out, "none-such") || !strings.Contains(out, "template") {
			return fmt.Errorf("%s", out)
		}
		return nil
	})
	h.Must("template", "create", "none-such", "--image", harness.ImageShell)
	h.Must("wait", "lost", "--for", "ready")
	h.FullPool("empty")
	for name, m := range map[string]failingCommand{
		"template and image": {
			[]string{"create", "x", "--template", "none-such", "--image", "a"}, 2, []string{"--image"},
		},
		"none without a template": {[]string{"create", "x", "--pool", "none"}, 2, []string{"--template"}},
		"variables and a warm pool": {
			[]string{"create", "x", "--template", "none-such", "--pool", "empty", "--env", "A=b"}, 2, []string{"--pool none"},
		},
		"a pool below nothing":     {[]string{"pool", "scale", "empty", "--replicas", "-1"}, 2, []string{"--replicas"}},
		"a pool that is missing":   {[]string{"pool", "describe", "nobody"}, 1, []string{"nobody"}},
		"a template that is there": {[]string{"template", "create", "none-such", "--image", "a"}, 1, []string{"exists"}},
		"a pool without --yes":     {[]string{"pool", "delete", "empty"}, 2, []string{"--yes"}},
	} {
		t.Run(name, func(t *testing.T) { m.check(t, h) })
	}
}

func TestThePluginWorksOnAClaimAsOnASandbox(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Must("template", "create", "shell", "--image", harness.ImagePython)
	h.Must("pool", "create", "warm", "--template", "shell")
	h.FullPool("warm")
	h.Must("create", "dev", "--template", "shell", "--wait", "--ttl", "1h")
	s := h.Claimed("dev")
	if !harness.Warm(s) {
		t.Errorf("the claim started cold: %v", s.Labels)
	}
	h.Must("exec", "dev", "--", "sh", "-c", "echo inside > /tmp/file")
	if got := h.Must("exec", "sandbox/"+s.Name, "--", "cat", "/tmp/file"); got != "inside\n" {
		t.Errorf("the Sandbox holds %q", got)
	}
	if out := h.Must("cp", "dev:/tmp/file", "-"); out != "inside\n" {
		t.Errorf("cp gives %q", out)
	}
	h.Must("suspend", "dev", "--wait")
	if h.Get(s.Name, &corev1.Pod{}) {
		t.Error("suspend --wait returned before the Pod was gone")
	}
	h.ClaimCondition("dev", "Ready=False/SandboxSuspended")
	h.Must("resume", "dev", "--wait")
	if now := h.Claimed("dev"); now.UID != s.UID {
		t.Errorf("after resuming the claim has %s, and had %s", now.Name, s.Name)
	}
	var before, after extensionsv1beta1.SandboxClaim
	h.Get("dev", &before)
	h.Must("extend", "dev", "--by", "30m")
	if h.Get("dev", &after); after.Spec.Lifecycle.ShutdownTime.Sub(
		before.Spec.Lifecycle.ShutdownTime.Time).Minutes() != 30 {
		t.Errorf("extended from %v to %v", before.Spec.Lifecycle.ShutdownTime, after.Spec.Lifecycle.ShutdownTime)
	}
	var list struct {
		Kind  string
		Items []struct{ Kind string }
	}
	err := json.Unmarshal([]byte(h.Must("list", "--members", "-o", "json")), &list)
	if err != nil || list.Kind != "List" || len(list.Items) != 3 {
		t.Errorf("list -o json: %v, %+v", err, list)
	}
	if out := h.Must("__complete", "create", "x", "--template", ""); !strings.Contains(out, "shell") {
		t.Errorf("templates do not complete: %q", out)
	}
	h.Must("pool", "scale", "warm", "--replicas", "0")
	h.FullPool("warm")
	h.Must("delete", "dev", "--yes", "--wait")
	if h.Get(s.Name, &corev1.Pod{}) {
		t.Error("delete --wait returned before all was gone")
	}
	h.Must("pool", "delete", "warm", "--yes")
	h.Must("template", "delete", "shell", "--yes")
	h.Gone("warm", &extensionsv1beta1.SandboxWarmPool{})
	h.Gone("shell", &extensionsv1beta1.SandboxTemplate{})
}
