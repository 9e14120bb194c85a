// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package delete_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/delete"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// objects returns a claim "a" with its Sandbox "a-1", and Sandboxes "b" and "c" without a claim. "c" has the label
// team=x.
func objects() []runtime.Object {
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-of-" + name)}
	}
	claim := &extensionsv1beta1.SandboxClaim{ObjectMeta: meta("a")}
	held := &agentsv1beta1.Sandbox{ObjectMeta: meta("a-1")}
	held.OwnerReferences = []metav1.OwnerReference{
		{Kind: apis.KindSandboxClaim, Name: "a", UID: "uid-of-a", Controller: new(true)},
	}
	labelled := &agentsv1beta1.Sandbox{ObjectMeta: meta("c")}
	labelled.Labels = map[string]string{"team": "x"}
	return []runtime.Object{claim, held, &agentsv1beta1.Sandbox{ObjectMeta: meta("b")}, labelled}
}

func run(t *testing.T, args ...string) (stdout, stderr string, left []string, err error) {
	t.Helper()
	cluster := fakecluster.New(objects()...)
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	cmd := delete.NewCommand(&fake.Factory{
		In: "ns", Time: clocktesting.NewFakeClock(time.Unix(0, 0)), SandboxesClient: cluster.Sandboxes,
		KubernetesClient: cluster.Kubernetes,
	}, streams)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	claims, listErr := cluster.Sandboxes.ExtensionsV1beta1().SandboxClaims("ns").List(t.Context(), metav1.ListOptions{})
	if listErr != nil {
		t.Fatal(listErr)
	}
	for i := range claims.Items {
		left = append(left, claims.Items[i].Name)
	}
	sandboxes, listErr := cluster.Sandboxes.AgentsV1beta1().Sandboxes("ns").List(t.Context(), metav1.ListOptions{})
	if listErr != nil {
		t.Fatal(listErr)
	}
	for i := range sandboxes.Items {
		left = append(left, sandboxes.Items[i].Name)
	}
	return out.String(), errOut.String(), left, err
}

func TestDelete(t *testing.T) {
	tests := map[string]struct {
		args []string
		out  []string // lines, sorted
		left string
		code int
	}{
		"nothing is deleted without a terminal or --yes": {args: []string{"b"}, left: "a a-1 b c", code: cli.ExitUsage},
		"one name": {args: []string{"b", "--yes"}, out: []string{"sandbox/b deleted"}, left: "a a-1 c"},
		"the Sandbox of a deleted claim is left to the garbage collector": {
			args: []string{"a", "--yes"}, out: []string{"claim/a deleted"}, left: "a-1 b c",
		},
		"a missing name fails, and the others are deleted": {
			args: []string{"nope", "b", "c", "--yes"}, out: []string{"sandbox/b deleted", "sandbox/c deleted"}, left: "a a-1",
			code: cli.ExitFailed,
		},
		"--all selects claims, and Sandboxes without an owner": {
			args: []string{"--all", "--yes"}, out: []string{"claim/a deleted", "sandbox/b deleted", "sandbox/c deleted"},
			left: "a-1",
		},
		"a label selects": {
			args: []string{"-l", "team=x", "--yes"}, out: []string{"sandbox/c deleted"}, left: "a a-1 b",
		},
		"a name that is given twice is deleted once": {
			args: []string{"b", "sandbox/b", "--yes"}, out: []string{"sandbox/b deleted"}, left: "a a-1 c",
		},
		"--wait returns when the Sandbox is gone": {
			args: []string{"b", "--yes", "--wait"}, out: []string{"sandbox/b deleted"}, left: "a a-1 c",
		},
		"a label that selects nothing is not an error": {args: []string{"-l", "team=y", "--yes"}, left: "a a-1 b c"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, errOut, left, err := run(t, tt.args...)
			lines := strings.FieldsFunc(out, func(r rune) bool { return r == '\n' })
			slices.Sort(lines)
			if cli.ExitCode(err) != tt.code || !slices.Equal(lines, tt.out) || strings.Join(left, " ") != tt.left {
				t.Errorf("%v, stdout %q, stderr %q, left %v", err, out, errOut, left)
			}
		})
	}
}

func TestEachFailureIsTold(t *testing.T) {
	_, _, _, err := run(t, "x", "y", "--yes")
	if !resolve.Is(err, resolve.NotFound) || !strings.Contains(err.Error(), `"x"`) ||
		!strings.Contains(err.Error(), `"y"`) {
		t.Errorf("got %v", err)
	}
}
