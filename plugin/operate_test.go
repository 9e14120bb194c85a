// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/extend"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/resume"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/suspend"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/wait"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func sandbox(name string, change ...func(*agentsv1beta1.Sandbox)) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-of-" + name)},
	}
	for _, c := range change {
		c(s)
	}
	return s
}

func asleep(s *agentsv1beta1.Sandbox) {
	s.Spec.Replicas, s.Spec.OperatingMode = new(int32(0)), new(agentsv1beta1.OperatingModeSuspended)
	condition(s, apis.ConditionSuspended, apis.ReasonPodTerminated)
}

func ready(s *agentsv1beta1.Sandbox) { condition(s, apis.ConditionReady, apis.ReasonDependenciesReady) }

func condition(s *agentsv1beta1.Sandbox, kind apis.ConditionType, reason apis.Reason) {
	s.Status.Conditions = append(
		s.Status.Conditions, apis.NewCondition(nil, kind, true, reason, "", 0, metav1.NewTime(now)),
	)
}

func ends(in time.Duration) func(*agentsv1beta1.Sandbox) {
	return func(s *agentsv1beta1.Sandbox) { s.Spec.ShutdownTime = &metav1.Time{Time: now.Add(in)} }
}

// TestCommands runs against three Sandboxes: up is ready, down is suspended, late has expired.
func TestCommands(t *testing.T) {
	type maker = func(factory.Factory, genericiooptions.IOStreams) *cobra.Command
	tests := map[string]struct {
		command maker
		args    string
		out     []string // sorted
		says    string   // part of the error
		code    int
	}{
		"suspend asks only": {
			command: suspend.NewCommand, args: "up", out: []string{"sandbox/up suspending"},
		},
		"suspend changes nothing that is suspended": {
			command: suspend.NewCommand, args: "down", out: []string{"sandbox/down unchanged"},
		},
		"suspend of several tries all, and fails for the one that is missing": {
			command: suspend.NewCommand,
			args:    "nope up down",
			out:     []string{"sandbox/down unchanged", "sandbox/up suspending"},
			says:    `"nope"`,
			code:    cli.ExitFailed,
		},
		"suspend --all takes all": {
			command: suspend.NewCommand,
			args:    "--all",
			out:     []string{"sandbox/down unchanged", "sandbox/late suspending", "sandbox/up suspending"},
		},
		"suspend waits until it is suspended": {
			command: suspend.NewCommand, args: "down --wait", out: []string{"sandbox/down suspended"},
		},
		"resume asks only": {
			command: resume.NewCommand, args: "down", out: []string{"sandbox/down resuming"},
		},
		"resume of what is ready is done at once": {
			command: resume.NewCommand, args: "up --wait", out: []string{"sandbox/up ready"},
		},
		"resume promises nothing for what is over": {
			command: resume.NewCommand, args: "late", says: "late has expired", code: cli.ExitFailed,
		},
		"extend counts from now for what is over": {
			command: extend.NewCommand, args: "late --by 30m", out: []string{"sandbox/late extended to 2026-05-01T12:30:00Z"},
		},
		"extend gives no end to what has none": {
			command: extend.NewCommand, args: "up --by 30m", says: "nothing to extend", code: cli.ExitFailed,
		},
		"wait is done at once for what is ready": {
			command: wait.NewCommand, args: "up --for ready", out: []string{"up ready"},
		},
		"wait fails for what cannot come": {
			command: wait.NewCommand, args: "down --for ready", says: "it is suspended", code: cli.ExitFailed,
		},
		"wait that runs out of time is 124": {
			command: wait.NewCommand, args: "up --for finished --timeout 0", says: "timed out", code: cli.ExitTimeout,
		},
		"wait for several fails if one does": {
			command: wait.NewCommand, args: "up down --for ready", out: []string{"up ready"}, says: "it is suspended",
			code: cli.ExitFailed,
		},
		"wait for deletion is done for what is gone": {
			command: wait.NewCommand, args: "nope --for deleted", out: []string{"nope deleted"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(sandbox("up", ready), sandbox("down", asleep), sandbox("late", ends(-time.Hour)))
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			cmd := tt.command(&fake.Factory{
				In:               "ns",
				Time:             clocktesting.NewFakeClock(now),
				SandboxesClient:  cluster.Sandboxes,
				KubernetesClient: cluster.Kubernetes,
			}, streams)
			cmd.SetArgs(strings.Fields(tt.args))
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			lines := strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' })
			slices.Sort(lines)
			if !slices.Equal(lines, tt.out) || cli.ExitCode(err) != tt.code ||
				(err != nil && !strings.Contains(err.Error(), tt.says)) {
				t.Errorf("stdout %q, error %v", lines, err)
			}
		})
	}
}
