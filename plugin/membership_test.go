// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// entered runs a command line on a cluster with a pool's member, a Sandbox that a claim took from the pool, and one
// that a user made. It returns the output on stderr.
func entered(t *testing.T, line string) string {
	t.Helper()
	server := streamfake.New()
	t.Cleanup(server.Close)
	server.Exec = func(context.Context, streamfake.Process) error { return nil }
	pool := b.Pool("warm", "python", b.WithUID("w"))
	claim := b.Claim("dev", "python", b.WithUID("c"), b.BoundTo("warm-bbbbb"))
	member := b.Sandbox("warm-aaaaa", b.WithUID("a"), b.OwnedBy(pool))
	taken := b.Sandbox("warm-bbbbb", b.WithUID("b"), b.OwnedBy(claim))
	own := b.Sandbox("own", b.WithUID("o"))
	pod := func(of *agentsv1beta1.Sandbox) *corev1.Pod {
		return b.Pod(of.Name, b.OwnedBy(of), b.Ready(), b.WithLabel(apis.LabelSandboxNameHash, naming.Hash(of.Name)))
	}
	cluster := fakecluster.New(pool, claim, member, taken, own, pod(member), pod(taken), pod(own))
	var out, errOut bytes.Buffer
	f := &fake.Factory{
		In: b.Namespace, Time: clocktesting.NewFakeClock(selectionTime), Config: server.Config(),
		SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
	}
	root := newCommand(f, genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &out, ErrOut: &errOut})
	execute(t.Context(), root, strings.Fields(line), f, &errOut)
	return errOut.String()
}

func TestWhoEntersAMemberOfAPoolIsWarnedOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("words"), 0o600); err != nil {
		t.Fatal(err)
	}
	const warning = "Warning: Sandbox warm-aaaaa is a member of pool warm that no claim has taken: whoever gets it next " +
		"finds the files and processes that you leave in it. For one of your own: kubectl sandbox create --pool warm; -q " +
		"omits this warning.\n"
	for _, line := range []string{
		"exec NAME -- true", "exec NAME -d -- true", "exec NAME --timeout 1m -- true", "shell NAME", "attach NAME",
		"cp " + file + " NAME:/tmp/file", "cp own:/tmp/file NAME:/tmp/file",
	} {
		for name, times := range map[string]int{"warm-aaaaa": 1, "sandbox/warm-aaaaa": 1, "dev": 0, "own": 0} {
			words := strings.ReplaceAll(line, "NAME", name)
			if said := entered(t, words); strings.Count(said, warning) != times {
				t.Errorf("%s: %q", words, said)
			}
		}
		command, rest, _ := strings.Cut(strings.ReplaceAll(line, "NAME", "warm-aaaaa"), " ")
		if said := entered(t, command+" -q "+rest); strings.Contains(said, "member of pool") {
			t.Errorf("%s -q: %q", command, said)
		}
	}
	for _, line := range []string{"cp warm-aaaaa:/tmp/file " + file, "logs warm-aaaaa"} { // they leave nothing
		if said := entered(t, line); strings.Contains(said, "member of pool") {
			t.Errorf("%s: %q", line, said)
		}
	}
}
