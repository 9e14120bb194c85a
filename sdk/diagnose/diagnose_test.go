// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// sandbox returns a Sandbox of generation 2 that is a minute old, with the conditions.
func sandbox(conditions ...metav1.Condition) *agentsv1beta1.Sandbox {
	return &agentsv1beta1.Sandbox{
		ObjectMeta: metav1.ObjectMeta{Name: "dev", Generation: 2, CreationTimestamp: metav1.NewTime(now.Add(-time.Minute))},
		Status:     agentsv1beta1.SandboxStatus{Conditions: conditions},
	}
}

func condition(kind apis.ConditionType, status bool, reason apis.Reason, generation int64) metav1.Condition {
	return apis.NewCondition(nil, kind, status, reason, "", generation, metav1.NewTime(now))
}

var (
	ready    = condition(apis.ConditionReady, true, apis.ReasonDependenciesReady, 2)
	notReady = condition(apis.ConditionReady, false, apis.ReasonDependenciesNotReady, 2)
)

func suspended(s *agentsv1beta1.Sandbox) *agentsv1beta1.Sandbox {
	s.Spec.Replicas = new(int32(0))
	return s
}

func ending(s *agentsv1beta1.Sandbox, at time.Time) *agentsv1beta1.Sandbox {
	s.Spec.ShutdownTime = &metav1.Time{Time: at}
	return s
}

// pod returns a Pod on a node, with one container in the state.
func pod(status corev1.ContainerStatus) *corev1.Pod {
	status.Name, status.Image = "main", "img:1"
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "dev"}, Spec: corev1.PodSpec{NodeName: "n1"},
		Status: corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{status}},
	}
}

func waiting(reason, message string) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}},
	}
}

func terminated(code int32, reason string) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}},
	}
}

// takenBy returns a Pod whose container was killed because the Pod was deleted or evicted.
func takenBy(whom, reason string, going bool) *corev1.Pod {
	p := pod(terminated(137, "Error"))
	p.Status.Phase, p.Status.Reason = corev1.PodFailed, reason
	p.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: whom, Message: "because"},
	}
	if going {
		p.DeletionTimestamp = &metav1.Time{Time: now}
	}
	return p
}

func unschedulable() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "dev"}, Status: corev1.PodStatus{
		Phase: corev1.PodPending,
		Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/1 nodes are available: 1 Insufficient cpu."},
		},
	}}
}

func unbound() []corev1.PersistentVolumeClaim {
	return []corev1.PersistentVolumeClaim{
		{
			ObjectMeta: metav1.ObjectMeta{Name: "data-dev"},
			Status:     corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
		},
	}
}

func warning(kind, name, reason, message string) []corev1.Event {
	return []corev1.Event{
		{InvolvedObject: corev1.ObjectReference{Kind: kind, Name: name}, Reason: reason, Message: message},
	}
}

func TestATemplateThatMakesWhatCannotStartIsNamed(t *testing.T) {
	made := sandbox(notReady)
	made.Annotations = map[string]string{"agents.x-k8s.io/sandbox-template-ref": "python"}
	broken := pod(waiting("ImagePullBackOff", `Back-off pulling image "img:1": ErrImagePull: not found`))
	d := diagnose.Of(diagnose.Snapshot{Sandbox: made, Pod: broken})
	if d.Verdict != diagnose.Blocked || d.Template != "python" ||
		d.Obstacle != "container main: image img:1 of template python cannot be pulled: not found" ||
		!strings.Contains(d.Next[0].Text, "template python") ||
		d.Next[0].Command != "" ||
		d.Next[1].Command != "delete dev --yes" {
		t.Errorf("%+v", d)
	}
	member := made.DeepCopy()
	member.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "extensions.agents.x-k8s.io/v1beta1", Kind: "SandboxWarmPool", Name: "warm", Controller: new(true)},
	}
	if d := diagnose.Of(diagnose.Snapshot{Sandbox: member, Pod: broken}); !strings.Contains(
		d.Next[1].Text, "its pool replaces it",
	) {
		t.Errorf("%+v", d.Next)
	}
	for reason, says := range map[string]string{
		"CreateContainerConfigError": "template python names", "InvalidImageName": "image in template python",
	} {
		if d := diagnose.Of(diagnose.Snapshot{Sandbox: made, Pod: pod(waiting(reason, "x"))}); d.Template != "python" ||
			!strings.Contains(d.Next[0].Text, says) {
			t.Errorf("%s: %+v", reason, d)
		}
	}
	if d := diagnose.Of(diagnose.Snapshot{Sandbox: made, Pod: unschedulable()}); d.Template != "" ||
		!strings.Contains(d.Next[0].Text, "template python") {
		t.Errorf("%+v", d)
	}
	if d := diagnose.Of(diagnose.Snapshot{Sandbox: sandbox(notReady), Pod: broken}); d.Template != "" ||
		strings.Contains(d.Obstacle, "template") {
		t.Errorf("%+v", d)
	}
}

func TestOf(t *testing.T) {
	tests := map[string]struct {
		snapshot diagnose.Snapshot
		verdict  diagnose.Verdict
		obstacle string // part of it; empty means none at all
		next     string // the first command
	}{
		"a ready Sandbox has no obstacle": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(ready)}, verdict: diagnose.Ready, next: "shell dev",
		},
		"readiness of an earlier generation counts for nothing": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(condition(apis.ConditionReady, true, apis.ReasonDependenciesReady, 1))},
			verdict:  diagnose.Starting, obstacle: "has not seen the latest change", next: "wait dev --for ready",
		},
		"an image that cannot be pulled is named, in one text for all attempts": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(notReady), Pod: pod(waiting("ImagePullBackOff",
				`Back-off pulling image "img:1": ErrImagePull: no such host`))},
			verdict:  diagnose.Blocked,
			obstacle: "container main: image img:1 cannot be pulled: no such host",
			next:     "delete dev --yes",
		},
		"a crash loop points at the logs of the run before": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(notReady), Pod: pod(waiting("CrashLoopBackOff", ""))},
			verdict:  diagnose.Blocked, obstacle: "crashes again and again", next: "logs dev --previous",
		},
		"a container killed for its memory says so": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(notReady), Pod: pod(terminated(137, "OOMKilled"))},
			verdict:  diagnose.Blocked, obstacle: "more memory than its limit", next: "logs dev",
		},
		"impossible resources are the scheduler's words": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(notReady), Pod: unschedulable()},
			verdict:  diagnose.Blocked,
			obstacle: "no node takes it: 0/1 nodes are available: 1 Insufficient cpu.",
			next:     "delete dev --yes",
		},
		"a volume that is only being made is waited for": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(notReady), Volumes: unbound()}, verdict: diagnose.Starting,
			obstacle: "volume data-dev: is not bound yet", next: "wait dev --for ready",
		},
		"a volume that cannot be made is a problem": {
			snapshot: diagnose.Snapshot{
				Sandbox: sandbox(notReady), Volumes: unbound(),
				Events: warning("PersistentVolumeClaim", "data-dev", "ProvisioningFailed", "no such class"),
			},
			verdict: diagnose.Blocked, obstacle: "ProvisioningFailed: no such class",
		},
		"a mount that fails is found in the events": {
			snapshot: diagnose.Snapshot{
				Sandbox: sandbox(notReady), Pod: pod(waiting("ContainerCreating", "")),
				Events: warning("Pod", "dev", "FailedMount", `secret "x" not found`),
			},
			verdict: diagnose.Blocked, obstacle: `FailedMount: secret "x" not found`,
		},
		"silence with an absent operator says to install it": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(), Operator: diagnose.OperatorAbsent},
			verdict:  diagnose.Blocked, obstacle: "operator: it is not installed", next: "install",
		},
		"silence with an operator that is down says so": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(), Operator: diagnose.OperatorDown},
			verdict:  diagnose.Blocked, obstacle: "operator: it is not running", next: "doctor",
		},
		"long silence without knowledge of the operator is suspicious": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox()}, verdict: diagnose.Blocked, obstacle: "it may not be running",
		},
		"a suspended Sandbox names the field that asks for it": {
			snapshot: diagnose.Snapshot{
				Sandbox: suspended(sandbox(condition(apis.ConditionSuspended, true, apis.ReasonPodTerminated, 2))),
			},
			verdict: diagnose.Suspended,
			next:    "resume dev",
		},
		"a Sandbox whose Pod still ends is suspending": {
			snapshot: diagnose.Snapshot{
				Sandbox: suspended(sandbox(condition(apis.ConditionSuspended, false, apis.ReasonPodNotTerminated, 2))),
			},
			verdict:  diagnose.Suspending,
			obstacle: "its Pod does not exist yet",
			next:     "resume dev",
		},
		"a Pod that ended well has succeeded": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(condition(apis.ConditionFinished, true, apis.ReasonPodSucceeded, 2))},
			verdict:  diagnose.Succeeded, next: "logs dev",
		},
		"a Pod that failed names its exit code": {
			snapshot: diagnose.Snapshot{
				Sandbox: sandbox(condition(apis.ConditionFinished, true, apis.ReasonPodFailed, 2)),
				Pod:     pod(terminated(3, "Error")),
			},
			verdict: diagnose.Failed, obstacle: "container main: ended with exit code 3", next: "logs dev",
		},
		"a Pod that is being deleted may take that badly": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(notReady), Pod: takenBy("EvictionByEvictionAPI", "", true)},
			verdict:  diagnose.Starting,
			obstacle: "Pod dev: is being deleted: EvictionByEvictionAPI: because",
			next:     "wait dev --for ready",
		},
		"a Pod that its node evicted is recreated": {
			snapshot: diagnose.Snapshot{Sandbox: sandbox(notReady), Pod: takenBy("TerminationByKubelet", "Evicted", false)},
			verdict:  diagnose.Starting,
			obstacle: "Pod dev: was removed (Evicted): the operator recreates it",
			next:     "wait dev --for ready",
		},
		"at its deadline it has expired": {
			snapshot: diagnose.Snapshot{
				Sandbox: ending(sandbox(ready), now),
			},
			verdict:  diagnose.Expired,
			obstacle: "it has expired",
			next:     "extend dev --by 1h",
		},
		"before its deadline it has not": {
			snapshot: diagnose.Snapshot{Sandbox: ending(sandbox(ready), now.Add(time.Second))}, verdict: diagnose.Ready,
			next: "shell dev",
		},
		"no facts at all give no panic": {verdict: diagnose.Starting, obstacle: "its Pod does not exist yet"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.snapshot.Now = now
			d := diagnose.Of(tt.snapshot)
			if d.Verdict != tt.verdict {
				t.Errorf("verdict %s, want %s", d.Verdict, tt.verdict)
			}
			if !strings.Contains(d.Obstacle, tt.obstacle) || (tt.obstacle == "") != (d.Obstacle == "") {
				t.Errorf("obstacle %q, want %q", d.Obstacle, tt.obstacle)
			}
			command := ""
			for _, step := range d.Next {
				if command == "" {
					command = step.Command
				}
			}
			if tt.next != "" && command != tt.next {
				t.Errorf("next %q, want %q", command, tt.next)
			}
			if len(d.Next) == 0 {
				t.Error("there is nothing to do next")
			}
		})
	}
}
