// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// failingCommand is a command line that must fail with the code and with one message that contains the given parts.
type failingCommand struct {
	args         []string
	code         int
	messageParts []string
}

func (m failingCommand) check(t *testing.T, h *harness.T) {
	t.Helper()
	r := h.Plugin(m.args...)
	if r.Code != m.code {
		t.Errorf("exit code %d, want %d: %v", r.Code, m.code, r)
	}
	if r.Stdout != "" && !strings.Contains(r.Stdout, "created") {
		t.Errorf("an error on standard output: %v", r)
	}
	for _, word := range m.messageParts {
		if !strings.Contains(r.Stderr, word) {
			t.Errorf("the message lacks %q: %v", word, r)
		}
	}
	if strings.Contains(r.Stderr, "goroutine") || strings.Contains(r.Stderr, "panic") {
		t.Errorf("a stack trace: %v", r)
	}
}

func TestMistakesHaveOneClearMessageAndTheRightCode(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "there")
	image := []string{"--image", harness.ImageShell}
	mistakes := map[string]failingCommand{
		"a flag that does not exist": {append([]string{"create", "x", "--nonsense"}, image...), 2, []string{"--nonsense"}},
		"no image":                   {[]string{"create", "x"}, 2, []string{"--image"}},
		"two names":                  {append([]string{"create", "a", "b"}, image...), 2, []string{`unexpected argument "b"`}},
		"a command that is unknown":  {[]string{"explode"}, 2, []string{"explode"}},
		"a name that exists":         {append([]string{"create", "there"}, image...), 1, []string{"there", "exists"}},
		"a name that is too long":    {append([]string{"create", strings.Repeat("x", 254)}, image...), 2, []string{"253"}},
		"a name with capitals":       {append([]string{"create", "Upper"}, image...), 2, []string{"Upper"}},
		"a volume without a size": {
			append([]string{"create", "x", "--volume", "data"}, image...), 2, []string{"--volume"},
		},
		"a sandbox that is missing": {[]string{"exec", "nobody", "--", "true"}, 1, []string{"nobody"}},
		"an extension by nothing":   {[]string{"extend", "there"}, 2, []string{"--by"}},
		"a wait for nothing known":  {[]string{"wait", "there", "--for", "luck"}, 2, []string{"ready"}},
		"a port that is none":       {[]string{"port-forward", "there", "http:x:y"}, 2, []string{"http:x:y"}},
	}
	for name, m := range mistakes {
		t.Run(name, func(t *testing.T) { m.check(t, h) })
	}
	if h.Get("x", &agentsv1beta1.Sandbox{}) {
		t.Error("a mistake left a Sandbox behind")
	}
}

func TestAnUnknownImageAndImpossibleResourcesAreNamedWhileWaiting(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	failingCommand{
		[]string{"create", "unknown", "--image", "localhost/none:v1", "--wait", "--timeout", "15s"}, 124,
		[]string{"localhost/none:v1", "cannot be pulled", "delete unknown"},
	}.check(t, h)
	h.Create(h.NewSandbox("huge", func(s *agentsv1beta1.Sandbox) {
		s.Spec.PodTemplate.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: quantity("4000")}
	}))
	failingCommand{[]string{"wait", "huge", "--for", "ready", "--timeout", "8s"}, 124, []string{"cpu"}}.check(t, h)
	if r := h.Plugin("status", "huge"); !strings.Contains(r.Stdout, "Insufficient cpu") {
		t.Errorf("status does not say why: %v", r)
	}
}

func TestAForeignPodUnderTheNameIsReported(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = h.Namespace, "foreign"
	h.NewSandbox("x").Spec.PodTemplate.Spec.DeepCopyInto(&pod.Spec)
	if err := h.Client.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	failingCommand{
		[]string{"create", "foreign", "--image", harness.ImageShell, "--wait", "--timeout", "60s"}, 1,
		[]string{"Pod \"foreign\"", "delete it"},
	}.check(t, h)
}

func TestWithoutAClusterOrPermissionOrWithAnOldCertificate(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	dir := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	nowhere := write("nowhere",
		"apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"+
			"contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: t}}]\ncurrent-context: c\n")
	failingCommand{[]string{"list", "--kubeconfig", nowhere}, 1, []string{"127.0.0.1:1"}}.check(t, h)

	h.MustKubectl("create", "serviceaccount", "nobody")
	token := strings.TrimSpace(h.MustKubectl("create", "token", "nobody"))
	server := strings.TrimSpace(h.MustKubectl("config", "view", "--minify", "-o",
		"jsonpath={.clusters[0].cluster.server}"))
	powerless := write("powerless", "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: '"+server+
		"', insecure-skip-tls-verify: true}}]\n"+
		"contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: "+token+
		"}}]\ncurrent-context: c\n")
	failingCommand{
		[]string{"create", "x", "--image", harness.ImageShell, "--kubeconfig", powerless}, 1, []string{"create", "sandboxes"},
	}.check(t, h)
	failingCommand{
		[]string{"exec", "x", "--kubeconfig", powerless, "--", "true"}, 1, []string{"get", "sandboxes"},
	}.check(t, h)
	failingCommand{[]string{"list", "--kubeconfig", powerless}, 1, []string{"list", "sandboxes"}}.check(t, h)
	failingCommand{[]string{"install", "--kubeconfig", powerless}, 1, []string{"customresourcedefinitions"}}.check(t, h)

	expired := write("expired", "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: '"+server+
		"', insecure-skip-tls-verify: true}}]\n"+
		"contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {client-certificate: "+
		expiredCertificate(t,
			dir)+
		", client-key: "+filepath.Join(dir, "expired.key")+"}}]\ncurrent-context: c\n")
	failingCommand{[]string{"list", "--kubeconfig", expired}, 1, []string{"certificate", "expired"}}.check(t, h)
}

func TestWithoutAnOperatorTheWaitingSaysSo(t *testing.T) {
	h := harness.New(t) // not parallel: it stops the operator
	operator := func(args ...string) { h.MustKubectl(append([]string{"-n", "agent-sandbox-system"}, args...)...) }
	operator("scale", "deployment/agent-sandbox-controller", "--replicas=0")
	operator("wait", "--for=delete", "pod", "-l", "app=agent-sandbox-controller", "--timeout=60s")
	defer func() {
		operator("scale", "deployment/agent-sandbox-controller", "--replicas=1")
		operator("rollout", "status", "deployment/agent-sandbox-controller", "--timeout=120s")
	}()
	failingCommand{
		[]string{"create", "alone", "--image", harness.ImageShell, "--wait", "--timeout", "8s"}, 124,
		[]string{"no operator manages sandboxes", "the operator is scaled to zero"},
	}.check(t, h)
}
