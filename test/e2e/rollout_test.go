// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// colouredTemplate returns a file with the template "shell", whose container has the variable COLOUR.
func colouredTemplate(image, colour string) string {
	return fmt.Sprintf(`apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxTemplate
metadata: {name: shell}
spec:
  podTemplate:
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: main, image: %q, env: [{name: COLOUR, value: %s}]}]
`, image, colour)
}

// apply has the plugin apply the template, and checks what it says.
func apply(h *harness.T, image, colour, want string) harness.Result {
	h.Helper()
	r := h.PluginWithInput(strings.NewReader(colouredTemplate(image, colour)), "template", "apply", "-f", "-")
	if r.Code != 0 || r.Stdout != "template/shell "+want+"\n" {
		h.Fatalf("%v, want %s", r, want)
	}
	return r
}

// rolledOut has the plugin wait for the pool, whose members then are others than before and have the colour.
func rolledOut(h *harness.T, pool, colour string, before []agentsv1beta1.Sandbox) []agentsv1beta1.Sandbox {
	h.Helper()
	if got := h.Must("pool", "rollout", "status", pool, "--timeout", "2m"); got != "pool/"+pool+" rolled out\n" {
		h.Errorf("it says %q", got)
	}
	return h.FullPool(pool, notAmong(before), hasEnv("COLOUR", colour))
}

// editWith has the plugin edit the template with a command as the editor.
func editWith(h *harness.T, editor string) {
	h.Helper()
	command := exec.CommandContext(h.Context(), harness.RequireEnv("E2E_PLUGIN"),
		"-n", h.Namespace, "template", "edit", "shell")
	command.Env = append(os.Environ(), "KUBE_EDITOR="+editor)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil || stdout.String() != "template/shell configured\n" {
		h.Fatalf("%v, %q, %q", err, stdout.String(), stderr.String())
	}
}

func TestATemplateIsChangedAndRolledOutFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	apply(h, harness.ImageShell, "red", "created")
	h.Must("pool", "create", "warm", "--template", "shell", "--replicas", "2", "--update-strategy", "Recreate")
	before := rolledOut(h, "warm", "red", nil)
	apply(h, harness.ImageShell, "red", "unchanged")
	if r := apply(h, harness.ImageShell, "blue", "configured"); !strings.Contains(
		r.Stderr, "pool/warm replaces older sandboxes now",
	) {
		t.Errorf("%v", r)
	}
	before = rolledOut(h, "warm", "blue", before)
	editWith(h, "sed -i s/blue/green/")
	before = rolledOut(h, "warm", "green", before)
	h.Must("template", "create", "other", "--image", harness.ImageShell, "--env", "COLOUR=white", "--", "sleep", "1d")
	if got := h.Must("pool", "set-template", "warm", "other"); got != "pool/warm now uses template other\n" {
		t.Errorf("it says %q", got)
	}
	rolledOut(h, "warm", "white", before)
	if r := h.Plugin("pool", "set-template", "warm", "none-such"); r.Code != 1 ||
		!strings.Contains(r.Stderr, `pool warm keeps template other: no template is called "none-such"`) {
		t.Errorf("%v", r)
	}
}

func TestARolloutThatCannotComeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	apply(h, harness.ImageShell, "red", "created")
	h.Must("pool", "create", "warm", "--template", "shell", "--replicas", "1", "--update-strategy", "Recreate")
	rolledOut(h, "warm", "red", nil)
	apply(h, "localhost/none:v1", "red", "configured")
	if r := h.Plugin("pool", "rollout", "status", "warm", "--timeout", "2m"); r.Code != 1 ||
		!strings.Contains(r.Stderr, "pool warm does not roll out: 0 of 1 sandboxes are ready") ||
		!strings.Contains(r.Stderr, "localhost/none:v1") {
		t.Errorf("%v", r)
	}
	h.Must("template", "delete", "shell", "--yes")
	if r := h.Plugin("pool", "rollout", "status", "warm", "--timeout", "2m"); r.Code != 1 ||
		!strings.Contains(r.Stderr, "template shell does not exist") {
		t.Errorf("%v", r)
	}
}

func TestARolloutOnReplenishLastsUntilClaimsHaveTakenTheOlderMembers(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	apply(h, harness.ImageShell, "red", "created")
	h.Must("pool", "create", "slow", "--template", "shell", "--replicas", "1")
	before := rolledOut(h, "slow", "red", nil)
	apply(h, harness.ImageShell, "blue", "configured")
	if r := h.Plugin("pool", "rollout", "status", "slow", "--timeout", "0"); r.Code != 124 ||
		!strings.Contains(r.Stderr, "1 older ones stay until claims take them (update strategy OnReplenish)") {
		t.Errorf("%v", r)
	}
	h.Must("create", "taken", "--pool", "slow", "--wait")
	rolledOut(h, "slow", "blue", before)
}

func TestAClaimIsRefusedAVolumeThatNothingMounts(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	allowed := withVolumePolicy(extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed)
	h.CreateAll(h.NewTemplate("bare", allowed), h.NewTemplate("mounts", allowed, withMount("d")), h.NewTemplate("closed"))
	for template, says := range map[string]string{
		"bare": "no container of template bare mounts a volume d", "closed": "template closed lets claims add no volumes",
	} {
		r := h.Plugin("create", "refused", "--template", template, "--pool", "none", "--volume", "d=32Mi")
		if r.Code != 1 || !strings.Contains(r.Stderr, says) || !strings.Contains(r.Stderr, "template edit "+template) {
			t.Errorf("%v", r)
		}
	}
	if h.Get("refused", &extensionsv1beta1.SandboxClaim{}) {
		t.Error("a claim that was refused is there")
	}
	h.Must("create", "dev", "--template", "mounts", "--pool", "none", "--volume", "d=32Mi", "--wait")
	if got := h.Must("exec", "dev", "--", "sh", "-c", "echo kept > /d/file && grep -c ' /d ' /proc/mounts"); got != "1\n" {
		t.Errorf("volume d is mounted %q times", got)
	}
}
