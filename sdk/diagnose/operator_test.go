// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose_test

import (
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
)

func TestAMissingOperatorComesBeforeEverythingThatNeedsOne(t *testing.T) {
	problem := operator.Problem{Message: "the operator is scaled to zero", Cure: "kubectl scale"}
	idle := suspended(sandbox(condition(apis.ConditionSuspended, true, apis.ReasonPodTerminated, 2)))
	failed := sandbox(condition(apis.ConditionFinished, true, apis.ReasonPodFailed, 2))
	expired := sandbox(condition(apis.ConditionReady, false, apis.ReasonSandboxExpired, 2))
	for name, tt := range map[string]struct {
		snapshot diagnose.Snapshot
		verdict  diagnose.Verdict
		first    bool
	}{
		"a sandbox that starts": {diagnose.Snapshot{Sandbox: sandbox(notReady)}, diagnose.Blocked, true},
		"one that is blocked by its image too": {
			diagnose.Snapshot{Sandbox: sandbox(notReady), Pod: pod(waiting("ErrImagePull", "not found"))},
			diagnose.Blocked, true,
		},
		"one that is being suspended": {diagnose.Snapshot{Sandbox: suspended(sandbox(ready))}, diagnose.Suspending, true},
		"one that is ready":           {diagnose.Snapshot{Sandbox: sandbox(ready)}, diagnose.Ready, false},
		"one that is suspended": {
			diagnose.Snapshot{Sandbox: idle}, diagnose.Suspended, false,
		},
		"one that has failed": {
			diagnose.Snapshot{Sandbox: failed, Pod: pod(terminated(3, "Error"))}, diagnose.Failed, false,
		},
		"one that has expired": {diagnose.Snapshot{Sandbox: expired}, diagnose.Expired, false},
	} {
		tt.snapshot.Now, tt.snapshot.Operator, tt.snapshot.OperatorProblem = now, diagnose.OperatorDown, problem
		d := diagnose.Of(tt.snapshot)
		first := strings.HasPrefix(d.Obstacle, "operator: the operator is scaled to zero")
		if d.Verdict != tt.verdict || first != tt.first || first != strings.Contains(d.Next[0].Text, "kubectl scale") {
			t.Errorf("%s: %s, %q, next %q", name, d.Verdict, d.Obstacle, d.Next[0].Text)
		}
	}
}

func TestWithoutPodsTheConditionsTellTheCause(t *testing.T) {
	for message, tt := range map[string]struct {
		verdict diagnose.Verdict
		next    string
	}{
		`Pod exists with phase: Pending: container c: ImagePullBackOff: cannot pull image "x"`: {
			diagnose.Blocked, "check the image's name",
		},
		"Pod exists with phase: Pending: container c: CreateContainerError: no":     {diagnose.Blocked, "check the Secrets"},
		"Pod is Running but not Ready: container c: CrashLoopBackOff":               {diagnose.Blocked, "read what it wrote"},
		"Pod exists with phase: Pending: Unschedulable: 0/1 nodes":                  {diagnose.Blocked, "ask for less"},
		"Pod is Running but not Ready: NodeNotReady: node n1 has stopped reporting": {diagnose.Blocked, "node n1"},
		"Pod exists with phase: Pending":                                            {diagnose.Starting, "wait for it"},
	} {
		c := notReady
		c.Message = message
		held := sandbox(c)
		held.Status.NodeName = "n1"
		snapshot := diagnose.Snapshot{Now: now, Sandbox: held, PodHidden: true}
		d := diagnose.Of(snapshot)
		if d.Verdict != tt.verdict || !strings.Contains(d.Next[0].Text, tt.next) {
			t.Errorf("%s: %s, next %q", message, d.Verdict, d.Next[0].Text)
		}
		snapshot.PodHidden = false
		if got := diagnose.VerdictByConditions(snapshot); got != tt.verdict {
			t.Errorf("%s: by its conditions it is %s", message, got)
		}
	}
}

func TestWhatIsShortenedIsShownWholeOnRequest(t *testing.T) {
	const whole = `failed to pull and unpack image "r/x:1": failed to resolve reference "r/x:1": r/x:1: not found`
	d := diagnose.Of(diagnose.Snapshot{Now: now, Sandbox: sandbox(notReady), Pod: pod(waiting("ErrImagePull", whole))})
	const brief = "image img:1 cannot be pulled"
	finding := d.Containers[0]
	if finding.Text != brief+": not found" || finding.Detail != brief+": "+whole || finding.Quotation() != whole ||
		d.Headline() != "container main: "+brief {
		t.Errorf("%+v, %q", finding, d.Headline())
	}
	if got := d.Whole().Containers[0].Text; got != brief+": "+whole || d.Containers[0].Text != finding.Text {
		t.Errorf("the whole text is %q, and the short one became %q", got, d.Containers[0].Text)
	}
}
