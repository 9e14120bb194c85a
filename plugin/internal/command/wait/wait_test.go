// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package wait

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// finished returns a Sandbox that has finished with the exit code, and its Pod. Without a Pod its end is not known.
func finished(name string, code int32, pod bool) []runtime.Object {
	reason, phase := apis.ReasonPodSucceeded, corev1.PodSucceeded
	if code != 0 {
		reason, phase = apis.ReasonPodFailed, corev1.PodFailed
	}
	sandbox := builders.Sandbox(name, builders.InNamespace("ns"), builders.WithUID("uid"),
		builders.WithCondition(apis.ConditionFinished, true, reason, "", now))
	if !pod {
		return []runtime.Object{sandbox}
	}
	return []runtime.Object{sandbox, builders.Pod(name, builders.InNamespace("ns"), builders.OwnedBy(sandbox),
		builders.WithLabel(apis.LabelSandboxNameHash, naming.Hash(name)), builders.PodWith(func(p *corev1.Pod) {
			p.Status.Phase = phase
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: p.Spec.Containers[0].Name, State: corev1.ContainerState{
				Terminated: &corev1.ContainerStateTerminated{ExitCode: code},
			}}}
		}))}
}

func TestTheExitCodeIsPassedOn(t *testing.T) {
	var objects []runtime.Object
	for name, code := range map[string]int32{"good": 0, "three": 3, "also-three": 3, "four": 4} {
		objects = append(objects, finished(name, code, true)...)
	}
	objects = append(objects, finished("gone", 0, false)...)
	tests := map[string]struct {
		args string
		code int
		out  string
		said string
	}{
		"success is 0":                  {args: "good --exit-code", out: "good finished\n"},
		"a code, without an error":      {args: "three --exit-code", code: 3, out: "three finished\n"},
		"not unless asked for":          {args: "three", out: "three finished\n"},
		"the code of those that failed": {args: "good three also-three --exit-code -q", code: 3},
		"1 if their codes differ":       {args: "three four --exit-code -q", code: 1},
		"an end that nobody knows is 1": {args: "gone --exit-code", code: 1, said: "its exit code is not known"},
		"another goal has no exit codes": {
			args: "three --for ready --exit-code", code: cli.ExitUsage, said: "--for finished only",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(objects...)
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			cmd := NewCommand(&fake.Factory{
				In: "ns", Time: clocktesting.NewFakeClock(now),
				SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
			}, streams)
			cmd.SetArgs(append([]string{"--for", "finished", "--timeout", "0"}, strings.Fields(tt.args)...))
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			said := ""
			if err != nil {
				said = strings.TrimSpace(err.Error())
			}
			if cli.ExitCode(err) != tt.code || !strings.Contains(said, tt.said) || (tt.said == "" && said != "") ||
				(tt.out != "" && out.String() != tt.out) {
				t.Errorf("code %d, %q, stdout %q", cli.ExitCode(err), said, out)
			}
		})
	}
}
