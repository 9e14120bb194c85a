// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package list_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/list"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/status"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// dev returns a Sandbox whose Ready condition changed that long ago, and its Pod.
func dev(ready bool, since time.Duration, options ...builders.PodOption) []runtime.Object {
	sandbox := builders.Sandbox(
		"dev", builders.InNamespace("ns"), builders.WithUID("s"), builders.CreatedAt(now.Add(-time.Hour)),
		builders.WithCondition(apis.ConditionReady, ready, apis.ReasonDependenciesReady, "", now.Add(-since)),
	)
	pod := builders.Pod("dev", append([]builders.PodOption{
		builders.InNamespace("ns"), builders.WithUID("p"), builders.OwnedBy(sandbox), builders.OnNode("n1"),
		builders.WithLabel(apis.LabelSandboxNameHash, naming.Hash("dev")),
	}, options...)...)
	return []runtime.Object{sandbox, pod}
}

// restarted gives the Pod a container that restarted that often and has run that long since.
func restarted(times int32, runs time.Duration) builders.PodOption {
	return builders.PodWith(func(p *corev1.Pod) {
		builders.Pod("x", builders.Ready()).Status.DeepCopyInto(&p.Status)
		status := &p.Status.ContainerStatuses[0]
		status.RestartCount = times
		status.State = corev1.ContainerState{
			Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(now.Add(-runs))},
		}
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1}
	})
}

func warning(reason string) *corev1.Event {
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "e", Namespace: "ns"},
		Type:       corev1.EventTypeWarning, Reason: reason, Message: `secret "x" not found`,
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "dev", UID: "p"},
	}
}

// state returns what list and status say about dev.
func state(t *testing.T, cluster *fakecluster.Cluster) (listed, diagnosed string) {
	t.Helper()
	out, _, err := run(t, cluster, "--no-headers")
	if err != nil {
		t.Fatal(err)
	}
	listed = strings.Fields(out)[2]
	streams, _, said, _ := genericiooptions.NewTestIOStreams()
	cmd := status.NewCommand(&fake.Factory{
		In: "ns", Time: clocktesting.NewFakeClock(now),
		SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
	}, streams)
	cmd.SetArgs([]string{"dev", "-o", "json"})
	var result struct{ Items []struct{ Verdict string } }
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(said.Bytes(), &result); err != nil {
		t.Fatal(err)
	}
	return listed, result.Items[0].Verdict
}

func TestListAndStatusSayTheSameWord(t *testing.T) {
	hidden := func(c *fakecluster.Cluster) { c.Refuse("*", "pods", fakecluster.Forbidden("list", "pods", "")) }
	tests := map[string]struct {
		objects []runtime.Object
		change  func(*fakecluster.Cluster)
		want    string
	}{
		"a Sandbox that is ready": {objects: dev(true, time.Hour, builders.Ready()), want: "Ready"},
		"an image that cannot be pulled": {
			objects: dev(false, time.Minute, builders.ImagePullError()),
			want:    "Blocked",
		},
		"a container that crashes": {
			objects: dev(false, time.Second, builders.CrashLoop(1, 4)),
			want:    "Blocked",
		},
		"a container that crashed and just runs again": {
			objects: dev(true, time.Second, restarted(4, time.Second)),
			want:    "Blocked",
		},
		"a container that was started again once": {
			objects: dev(true, time.Second, restarted(1, time.Second)),
			want:    "Starting",
		},
		"a container that crashed and has run for long": {
			objects: dev(true, time.Minute, restarted(4, time.Minute)),
			want:    "Ready",
		},
		"a Pod that no node takes": {
			objects: dev(false, time.Minute, builders.Unschedulable("0/1 nodes")),
			want:    "Blocked",
		},
		"a mount that fails": {
			objects: append(dev(false, time.Minute), warning("FailedMount")),
			want:    "Blocked",
		},
		"a Pod that just starts": {objects: dev(false, time.Second), want: "Starting"},
		"a Pod that may not be read": {
			objects: dev(false, time.Second, builders.ImagePullError()),
			change:  hidden,
			want:    "Starting",
		},
		"an operator that says nothing": {
			objects: []runtime.Object{
				builders.Sandbox("dev", builders.InNamespace("ns"), builders.CreatedAt(now.Add(-time.Hour))),
			},
			want: "Blocked",
		},
		"a Sandbox that is suspended": {
			objects: []runtime.Object{builders.Sandbox("dev", builders.InNamespace("ns"), builders.WithReplicas(0),
				builders.WithCondition(apis.ConditionSuspended, true, apis.ReasonPodTerminated, "", now))},
			want: "Suspended",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(tt.objects...)
			if tt.change != nil {
				tt.change(cluster)
			}
			if listed, diagnosed := state(t, cluster); listed != tt.want || diagnosed != tt.want {
				t.Errorf("list says %s, status says %s, want %s", listed, diagnosed, tt.want)
			}
		})
	}
}

func TestTheNumberOfRequestsDoesNotGrowWithTheRows(t *testing.T) {
	count := func(sandboxes int) int {
		var objects []runtime.Object
		for i := range sandboxes {
			name := "dev-" + strings.Repeat("x", i)
			objects = append(objects, builders.Sandbox(name, builders.InNamespace("ns"), builders.WithVolume("data", "1Gi"),
				builders.WithCondition(apis.ConditionReady, false, apis.ReasonDependenciesNotReady, "", now)))
		}
		cluster := fakecluster.New(objects...)
		if _, _, err := run(t, cluster); err != nil {
			t.Fatal(err)
		}
		return len(cluster.Sandboxes.Actions()) + len(cluster.Kubernetes.Actions())
	}
	if one, many := count(1), count(60); one != many || many > 6 {
		t.Errorf("%d requests for one row, %d for sixty", one, many)
	}
	settled := fakecluster.New(dev(true, time.Hour, builders.Ready())...)
	if _, _, err := run(t, settled); err != nil || len(settled.Kubernetes.Actions()) > 0 {
		t.Errorf("%v, and what needs no look was looked at: %v", err, settled.Kubernetes.Actions())
	}
}

// lines is a writer that sends each write to the channel.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// watchList runs list -w and returns its output, its clock and a function that ends it.
func watchList(
	t *testing.T, cluster *fakecluster.Cluster, args ...string,
) (printed lines, clock *clocktesting.FakeClock, end func() error) {
	t.Helper()
	printed, clock = make(lines, 100), clocktesting.NewFakeClock(now)
	cmd := list.NewCommand(
		&fake.Factory{In: "ns", Time: clock, SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes},
		genericiooptions.IOStreams{Out: printed, ErrOut: &bytes.Buffer{}},
	)
	cmd.SetArgs(append([]string{"-w"}, args...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- cmd.ExecuteContext(ctx) }()
	return printed, clock, func() error {
		cancel()
		return <-result
	}
}

// next advances the clock until something is printed, and returns it.
func next(t *testing.T, printed lines, clock *clocktesting.FakeClock) string {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		select {
		case text := <-printed:
			return text
		case <-deadline:
			t.Fatal("nothing was printed")
		case <-time.After(5 * time.Millisecond):
			clock.Step(time.Second)
		}
	}
}

func TestAWatchedListGoesOnWithWhatChanges(t *testing.T) {
	cluster := fakecluster.New(dev(true, time.Hour)...)
	printed, clock, end := watchList(t, cluster)
	if first := next(t, printed, clock); !strings.HasPrefix(first, "NAME") || !strings.Contains(first, "Ready") {
		t.Errorf("first %q", first)
	}
	suspended := dev(true, time.Hour)[0].(*agentsv1beta1.Sandbox)
	suspended.Spec.Replicas, suspended.ResourceVersion = new(int32(0)), "2"
	sandboxes := cluster.Sandboxes.AgentsV1beta1().Sandboxes("ns")
	if _, err := sandboxes.Update(t.Context(), suspended, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if row := next(t, printed, clock); !strings.HasPrefix(row, "dev ") || !strings.Contains(row, "Suspending") {
		t.Errorf("then %q", row)
	}
	if err := sandboxes.Delete(t.Context(), "dev", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if row := next(t, printed, clock); !strings.Contains(row, "Deleted") {
		t.Errorf("in the end %q", row)
	}
	if err := end(); cli.ExitCode(err) != cli.ExitInterrupted || err.Error() != "" {
		t.Errorf("ended with %v", err)
	}
}

func TestAWatchedListOutlivesAnAPIServer(t *testing.T) {
	cluster := fakecluster.New(dev(true, time.Hour)...)
	printed, clock, end := watchList(t, cluster, "dev", "-o", "name")
	if first := next(t, printed, clock); first != "sandbox."+apis.GroupAgents+"/dev\n" {
		t.Errorf("first %q", first)
	}
	failing := true
	failed := make(chan struct{}, 100)
	cluster.Sandboxes.PrependReactor(
		"get",
		apis.ResourceSandboxes,
		func(clienttesting.Action) (bool, runtime.Object, error) {
			if failing {
				failing = false
				failed <- struct{}{}
				return true, nil, fakecluster.Forbidden("get", apis.ResourceSandboxes, apis.GroupAgents)
			}
			return false, nil, nil
		},
	)
	for waiting := true; waiting; {
		select {
		case <-failed:
			waiting = false
		case <-time.After(5 * time.Millisecond):
			clock.Step(time.Second)
		}
	}
	changed := dev(true, time.Hour)[0].(*agentsv1beta1.Sandbox)
	changed.ResourceVersion = "2"
	sandboxes := cluster.Sandboxes.AgentsV1beta1().Sandboxes("ns")
	if _, err := sandboxes.Update(t.Context(), changed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if row := next(t, printed, clock); row != "sandbox."+apis.GroupAgents+"/dev\n" {
		t.Errorf("then %q", row)
	}
	if err := end(); cli.ExitCode(err) != cli.ExitInterrupted {
		t.Errorf("ended with %v", err)
	}
}
