// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package list

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

func columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string"},
		{Name: "Kind", Type: "string"},
		{Name: "Status", Type: "string"},
		{Name: "Age", Type: "string"},
		{Name: "Ends in", Type: "string"},
		{Name: "Held by", Type: "string"},
		{Name: "Pod IPs", Type: "string", Priority: 1},
		{Name: "Node", Type: "string", Priority: 1},
		{Name: "Message", Type: "string", Priority: 1},
	}
}

// targets returns the listed objects, claims first, each claim with the Sandbox that it holds.
func (o *found) targets() []*resolve.Target {
	byName := map[types.NamespacedName]*agentsv1beta1.Sandbox{}
	for i := range o.sandboxes {
		sandbox := &o.sandboxes[i]
		byName[types.NamespacedName{Namespace: sandbox.Namespace, Name: sandbox.Name}] = sandbox
	}
	var all []*resolve.Target
	for i := range o.claims {
		claim := &o.claims[i]
		held := byName[types.NamespacedName{Namespace: claim.Namespace, Name: claim.Status.SandboxStatus.Name}]
		if held != nil && !metav1.IsControlledBy(held, claim) {
			held = nil // owned by another object: the status of the claim is out of date
		}
		all = append(all, &resolve.Target{Namespace: claim.Namespace, Claim: claim, Sandbox: held})
	}
	if o.kind != resolve.KindClaim {
		for i := range o.sandboxes {
			all = append(all, &resolve.Target{Namespace: o.sandboxes[i].Namespace, Sandbox: &o.sandboxes[i]})
		}
	}
	return append(all, o.named...)
}

// items returns one item for each snapshot.
func items(all []diagnose.Snapshot, style printing.Style) ([]printing.Item, error) {
	listed := make([]printing.Item, 0, len(all))
	for i := range all {
		item, err := itemOf(&all[i], style)
		if err != nil {
			return nil, err
		}
		listed = append(listed, item)
	}
	return listed, nil
}

func itemOf(snapshot *diagnose.Snapshot, style printing.Style) (printing.Item, error) {
	claim, sandbox := snapshot.Claim, snapshot.Sandbox
	if claim == nil {
		return printing.NewItem(sandbox, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox),
			row(&sandbox.ObjectMeta, "sandbox", snapshot, style, sandbox.Status.Conditions, sandbox.Status.PodIPs)...)
	}
	return printing.NewItem(claim, extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxClaim),
		row(&claim.ObjectMeta, "claim", snapshot, style, claim.Status.Conditions, claim.Status.SandboxStatus.PodIPs)...)
}

func nodeOf(sandbox *agentsv1beta1.Sandbox) string {
	if sandbox == nil {
		return ""
	}
	return sandbox.Status.NodeName
}

func row(
	object *metav1.ObjectMeta, kind string, snapshot *diagnose.Snapshot, style printing.Style,
	conditions []metav1.Condition, ips []string,
) []any {
	d := diagnose.Of(*snapshot)
	message := d.Obstacle
	if ready := apis.FindCondition(conditions, apis.ConditionReady); ready != nil && explains(ready, &d) {
		message = podreason.ShortConditionMessage(ready.Message)
	}
	return []any{
		object.Name, kind, printing.ColoredCell{Text: string(d.Verdict), Paint: style.VerdictPainter(d.Verdict)},
		printing.Age(object.CreationTimestamp, snapshot.Now), endsIn(snapshot), heldBy(object),
		printing.OrNone(strings.Join(ips, ",")), printing.OrNone(nodeOf(snapshot.Sandbox)), printing.OrNone(message),
	}
}

// explains reports whether the message of the Ready condition explains the verdict. Otherwise the diagnosis knows more.
func explains(ready *metav1.Condition, d *diagnose.Diagnosis) bool {
	isReady := ready.Status == metav1.ConditionTrue
	return ready.Message != "" && isReady == (d.Verdict == diagnose.Ready) &&
		(d.Verdict != diagnose.Blocked || strings.Contains(d.Obstacle, podreason.ShortConditionMessage(ready.Message)))
}

func endsIn(snapshot *diagnose.Snapshot) string {
	deadline := snapshot.Deadline()
	switch {
	case !deadline.IsSet():
		return printing.None
	case deadline.Reached(snapshot.Now):
		return "over"
	}
	return duration.HumanDuration(deadline.Remaining(snapshot.Now))
}

func heldBy(object *metav1.ObjectMeta) string {
	holder := metav1.GetControllerOf(object)
	if holder == nil {
		return printing.None
	}
	switch holder.Kind {
	case apis.KindSandboxClaim:
		return "claim/" + holder.Name
	case apis.KindSandboxWarmPool:
		return "pool/" + holder.Name
	}
	return strings.ToLower(holder.Kind) + "/" + holder.Name
}
