// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func named(names ...string) cli.SelectionOptions { return cli.SelectionOptions{Names: names} }

func TestValidate(t *testing.T) {
	tests := map[string]struct {
		options Options
		valid   bool
	}{
		"a name is enough":                       {Options{Selection: named("dev"), Tail: all}, true},
		"no lines at all may be asked for":       {Options{Selection: named("dev"), Tail: 0}, true},
		"a number of lines is not negative":      {Options{Selection: named("dev"), Tail: -2}, false},
		"a time that has passed is not negative": {Options{Selection: named("dev"), Tail: all, Since: -time.Second}, false},
		"what has ended cannot be followed": {
			Options{Selection: named("dev"), Tail: all, Follow: true, Previous: true}, false,
		},
		"a name must be one": {Options{Selection: named("a/b/c"), Tail: all}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := test.options.Validate(); (err == nil) != test.valid || (err != nil && cli.ExitCode(err) != cli.ExitUsage) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWhyThereAreNoLogs(t *testing.T) {
	sandbox := builders.Sandbox("dev", builders.WithUID("s"))
	tests := map[string]struct {
		state builders.PodOption
		args  []string
		says  string // empty: there are logs
	}{
		"a Pod that no node takes": {
			state: builders.Unschedulable("0/1 nodes are available"),
			says:  "no node takes it",
		},
		"an image that cannot be pulled":     {state: builders.ImagePullError(), says: "cannot be pulled"},
		"a container that runs":              {state: builders.Ready()},
		"a container that crashed":           {state: builders.CrashLoop(1, 2)},
		"a Pod that has ended":               {state: builders.Succeeded()},
		"the run before is asked the server": {state: builders.ImagePullError(), args: []string{"--previous"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			pod := builders.Pod(
				"dev", builders.OwnedBy(sandbox), builders.OnNode("n1"),
				builders.WithLabel(apis.LabelSandboxNameHash, naming.Hash("dev")), tt.state,
			)
			cluster := fakecluster.New(sandbox, pod, builders.Operator(1))
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			cmd := NewCommand(&fake.Factory{SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes}, streams)
			cmd.SetArgs(append([]string{"dev"}, tt.args...))
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			switch {
			case tt.says == "" && (err != nil || out.Len() == 0):
				t.Errorf("%v, %q", err, out)
			case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says) ||
				!strings.Contains(err.Error(), "has not started")):
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	tests := map[string]struct {
		options Options
		want    corev1.PodLogOptions
	}{
		"by default everything is asked for": {Options{Tail: all}, corev1.PodLogOptions{Container: "main"}},
		"no lines is not the same as all": {
			Options{Tail: 0},
			corev1.PodLogOptions{Container: "main", TailLines: new(int64(0))},
		},
		"parts of a second are rounded up": {
			Options{Tail: all, Since: 1500 * time.Millisecond},
			corev1.PodLogOptions{Container: "main", SinceSeconds: new(int64(2))},
		},
		"the flags are passed on": {
			Options{Tail: all, Follow: true, Timestamps: true},
			corev1.PodLogOptions{Container: "main", Follow: true, Timestamps: true},
		},
		"the container before is asked for by it": {
			Options{Tail: all, Previous: true},
			corev1.PodLogOptions{Container: "main", Previous: true},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&test.want, test.options.request("main")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
