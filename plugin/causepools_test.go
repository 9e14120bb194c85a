// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/tui/rows"
)

func TestEveryPlaceTellsWhyAPoolIsShort(t *testing.T) {
	now := selectionTime
	owner := b.Pool("warm", "python", b.WithUID("w"), b.WithReplicas(1))
	refused := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: "refused"}, Reason: "MemberRejected",
		Message:        `The API server rejects members of SandboxTemplate "python": denied by policy`,
		LastTimestamp:  metav1.NewTime(now),
		InvolvedObject: corev1.ObjectReference{Kind: "SandboxWarmPool", Name: "warm", UID: "w"},
	}
	member := func(reason apis.Reason, message string) *agentsv1beta1.Sandbox {
		return b.Sandbox("warm-aaaaa", b.WithUID("m"), b.OwnedBy(owner), b.CreatedAt(now.Add(-time.Minute)),
			b.WithAnnotation(apis.AnnotationTemplateRef, "python"),
			b.WithCondition(apis.ConditionReady, false, reason, message, now))
	}
	pending := apis.MessagePodPhase + "Pending: "
	for name, tt := range map[string]struct {
		member         *agentsv1beta1.Sandbox
		with           []runtime.Object
		state          diagnose.Verdict
		broken         bool
		says, next, no string
	}{
		"its image cannot be pulled": {
			member: member(apis.ReasonDependenciesNotReady, pending+
				`container main: ImagePullBackOff: cannot pull image "registry.test/app:v1": `+runtimeError),
			with: []runtime.Object{pythonTemplate()}, state: diagnose.Blocked, broken: true,
			says: "not found", next: "correct the image in template python", no: "failed to resolve",
		},
		"its template is gone": {
			state: diagnose.Blocked, broken: true, says: "template python does not exist", next: "create the template",
			member: member(apis.ReasonReconcilerError, "exceeded quota: small"),
		},
		"the quota is full": {
			member: member(apis.ReasonReconcilerError, "exceeded quota: small"), with: []runtime.Object{pythonTemplate()},
			state: diagnose.Blocked, says: "exceeded quota: small", next: "status sandbox/warm-aaaaa",
		},
		"no node fits": {
			member: member(apis.ReasonDependenciesNotReady, pending+"Unschedulable: 0/1 nodes: Insufficient cpu"),
			with:   []runtime.Object{pythonTemplate()}, state: diagnose.Blocked,
			says: "Insufficient cpu", next: "status sandbox/warm-aaaaa",
		},
		"its members crash": {
			member: member(apis.ReasonDependenciesNotReady,
				pending+"container main: CrashLoopBackOff: exited with code 3 (Error)"),
			with: []runtime.Object{pythonTemplate()}, state: diagnose.Blocked, broken: true,
			says: "code 3", next: "correct template python",
		},
		"the node is down": {
			member: member(apis.ReasonDependenciesNotReady,
				"Pod is Running but not Ready: NodeNotReady: node n1 has stopped reporting"),
			with: []runtime.Object{pythonTemplate()}, state: diagnose.Blocked,
			says: "node n1 has stopped reporting", next: "status sandbox/warm-aaaaa",
		},
		"a policy rejects its members": {
			with: []runtime.Object{pythonTemplate(), refused}, says: "denied by policy",
			next: "correct what the message names in template python",
		},
		"a member starts": {
			member: member(apis.ReasonDependenciesNotReady, apis.MessagePodPhase+"Pending"),
			with:   []runtime.Object{pythonTemplate()}, state: diagnose.Starting, says: "phase: Pending",
			next: "status sandbox/",
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append([]runtime.Object{owner, b.Operator(1)}, tt.with...)
			inventory := &pool.Inventory{
				Now: now, Templates: []*extensionsv1beta1.SandboxTemplate{}, Sandboxes: []*agentsv1beta1.Sandbox{},
				Claims: []*extensionsv1beta1.SandboxClaim{},
			}
			for _, object := range tt.with {
				if template, is := object.(*extensionsv1beta1.SandboxTemplate); is {
					inventory.Templates = append(inventory.Templates, template)
				}
			}
			if tt.member != nil {
				objects = append(objects, tt.member)
				inventory.Sandboxes = append(inventory.Sandboxes, tt.member)
				if got := rows.FromSandbox(tt.member, nil, false, now).State; got != tt.state {
					t.Errorf("the dashboard says that its member is %s", got)
				}
				summary := pool.Summarize(owner, inventory)
				row := rows.FromPool(&summary, 0, 0, nil, nil)
				if row.Broken != tt.broken || !strings.Contains(row.Short, tt.says) {
					t.Errorf("the dashboard says %v: %s", row.Broken, row.Short)
				}
			}
			listed, described := where(t, now, "pool list", objects...), where(t, now, "pool describe warm", objects...)
			if !strings.Contains(listed, tt.says) || !strings.Contains(described, tt.says) {
				t.Errorf("not everybody says %q:\n%s\n%s", tt.says, listed, described)
			}
			if tt.member != nil && !strings.Contains(described, string(tt.state)) {
				t.Errorf("it does not say %s:\n%s", tt.state, described)
			}
			_, next, _ := strings.Cut(described, "Next:\n")
			if first, _, _ := strings.Cut(next, "\n"); !strings.Contains(first, tt.next) {
				t.Errorf("the first step is not %q:\n%s", tt.next, described)
			}
			if strings.Contains(tt.next, "template python") {
				page := where(t, now, "template describe python", objects...)
				if !strings.Contains(page, tt.says) || !strings.Contains(page, "kubectl edit sandboxtemplate python") {
					t.Errorf("the template's page does not say it:\n%s", page)
				}
			}
			if tt.no != "" && strings.Contains(listed+described, tt.no) {
				t.Errorf("it says %q:\n%s\n%s", tt.no, listed, described)
			}
		})
	}
}

func TestAPoolSaysWhatOnlyTheEventsOfItsMembersTell(t *testing.T) {
	now := selectionTime
	owner := b.Pool("warm", "python", b.WithUID("w"), b.WithReplicas(1))
	member := b.Sandbox("warm-aaaaa", b.WithUID("m"), b.OwnedBy(owner), b.CreatedAt(now.Add(-time.Minute)),
		b.WithCondition(apis.ConditionReady, false, apis.ReasonDependenciesNotReady, apis.MessagePodPhase+"Pending", now))
	pod := b.Pod("warm-aaaaa", b.WithUID("p"), b.OwnedBy(member), b.OnNode("n1"), b.Waiting("ContainerCreating", ""),
		b.WithLabel(apis.LabelSandboxNameHash, naming.Hash("warm-aaaaa")))
	unmounted := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.Namespace, Name: "unmounted"}, Type: corev1.EventTypeWarning,
		Reason: "FailedMount", Message: `secret "token" not found`, LastTimestamp: metav1.NewTime(now),
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "warm-aaaaa", UID: "p"},
	}
	for _, line := range []string{"pool list", "pool describe warm"} {
		said := where(t, now, line, owner, pythonTemplate(), member, pod, unmounted, b.Operator(1))
		if !strings.Contains(said, `1 not ready: FailedMount: secret "token" not found`) {
			t.Errorf("%s does not say why:\n%s", line, said)
		}
		if strings.HasPrefix(line, "pool describe") && !strings.Contains(said, "Blocked") {
			t.Errorf("%s does not say that its member is blocked:\n%s", line, said)
		}
	}
}
