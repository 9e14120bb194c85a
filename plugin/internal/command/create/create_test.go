// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package create

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// command runs create against a cluster whose operator makes every Sandbox ready at once, or never.
func command(
	t *testing.T, operator bool, args ...string,
) (stdout, stderr string, cluster *fakecluster.Cluster, err error) {
	t.Helper()
	cluster = fakecluster.New()
	if operator {
		makeReady := func(action clienttesting.Action) (bool, runtime.Object, error) {
			s := action.(clienttesting.CreateAction).GetObject().(*agentsv1beta1.Sandbox)
			s.UID = "one"
			ready := apis.NewCondition(nil, apis.ConditionReady, true, apis.ReasonDependenciesReady, "", 0, metav1.NewTime(now))
			s.Status.Conditions = []metav1.Condition{ready}
			return false, nil, nil
		}
		cluster.Sandboxes.PrependReactor("create", apis.ResourceSandboxes, makeReady)
	}
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	f := &fake.Factory{
		In: "ns", Time: clocktesting.NewFakeClock(now),
		SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
	}
	cmd := NewCommand(f, streams)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errOut.String(), cluster, err
}

func TestCommand(t *testing.T) {
	t.Run("what was created is named", func(t *testing.T) {
		out, errOut, _, err := command(t, false, "dev", "--image", "x", "--memory", "1Gi")
		if err != nil || out != "sandbox."+apis.GroupAgents+"/dev created\n" || errOut != "" {
			t.Errorf("%v, %q, %q", err, out, errOut)
		}
	})
	t.Run("a Sandbox without a memory limit is created with one warning", func(t *testing.T) {
		for _, without := range [][]string{nil, {"--cpu", "1"}, {"--requests", "memory=1Gi"}, {"--dry-run=server"}} {
			_, errOut, _, err := command(t, true, append([]string{"dev", "--image", "x", "--wait=false"}, without...)...)
			if err != nil || strings.Count(errOut, "Warning: ") != 1 ||
				!strings.Contains(errOut, "Sandbox dev sets no memory limit: unless a LimitRange of the namespace does") ||
				!strings.Contains(errOut, "--memory (-q omits this warning) sets one") {
				t.Errorf("%v: %v, %q", without, err, errOut)
			}
		}
		for _, with := range [][]string{{"--limits", "memory=1Gi"}, {"-q"}, {"--dry-run=client"}} {
			if _, errOut, _, err := command(t, true, append([]string{"dev", "--image", "x"}, with...)...); err != nil ||
				errOut != "" {
				t.Errorf("%v: %v, %q", with, err, errOut)
			}
		}
	})
	t.Run("a name is generated, and -q prints it alone", func(t *testing.T) {
		out, errOut, cluster, err := command(t, true, "--image", "example.com/python:3.13", "-q", "--wait", "--ttl", "1h",
			"--volume", "data=1Gi")
		name := strings.TrimSuffix(out, "\n")
		if err != nil || !strings.HasPrefix(name, "python-") || errOut != "" {
			t.Fatalf("%v, %q, %q", err, out, errOut)
		}
		_, err = cluster.Sandboxes.AgentsV1beta1().Sandboxes("ns").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("a prefix begins a generated name", func(t *testing.T) {
		out, _, _, err := command(t, false, "--image", "x", "--generate-name", "job-", "-q")
		if err != nil || !strings.HasPrefix(out, "job-") {
			t.Errorf("%v, %q", err, out)
		}
	})
	t.Run("a wait reports on stderr and leaves stdout to the result", func(t *testing.T) {
		out, errOut, _, err := command(t, true, "dev", "--image", "x", "--wait")
		if err != nil || strings.Count(out, "\n") != 1 || !strings.Contains(errOut, "dev is ready after") {
			t.Errorf("%v, %q, %q", err, out, errOut)
		}
	})
	t.Run("waiting with -o json prints one document, of the ready Sandbox", func(t *testing.T) {
		out, _, _, err := command(t, true, "dev", "--image", "x", "--wait", "-o", "json")
		s := &agentsv1beta1.Sandbox{}
		if err != nil || json.Unmarshal([]byte(out), s) != nil || s.Kind != apis.KindSandbox ||
			!apis.ConditionTrue(s.Status.Conditions, apis.ConditionReady) {
			t.Errorf("%v, %s", err, out)
		}
	})
	t.Run("a Sandbox that does not become ready stays, and the output says how to delete it", func(t *testing.T) {
		out, errOut, cluster, err := command(t, false, "dev", "--image", "x", "--wait", "--timeout", "0")
		if cli.ExitCode(err) != cli.ExitTimeout || !strings.Contains(out, "created") ||
			!strings.Contains(errOut, "kubectl sandbox delete dev --yes") {
			t.Errorf("%v, %q, %q", err, out, errOut)
		}
		_, err = cluster.Sandboxes.AgentsV1beta1().Sandboxes("ns").Get(t.Context(), "dev", metav1.GetOptions{})
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("a dry run of the client sends nothing", func(t *testing.T) {
		out, _, cluster, err := command(t, false, "dev", "--image", "x", "--dry-run=client")
		if err != nil || !strings.Contains(out, "created (dry run)") || len(cluster.Sandboxes.Actions()) != 0 {
			t.Errorf("%v, %q, %v", err, out, cluster.Sandboxes.Actions())
		}
	})
	t.Run("a dry run of the server says so to the server", func(t *testing.T) {
		out, _, cluster, err := command(t, false, "dev", "--image", "x", "--dry-run=server")
		options := cluster.Sandboxes.Actions()[0].(clienttesting.CreateActionImpl).CreateOptions
		if err != nil || !strings.Contains(out, "created (server dry run)") || len(options.DryRun) != 1 {
			t.Errorf("%v, %q, %v", err, out, options)
		}
	})
}
