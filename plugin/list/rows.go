// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package list

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/table"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
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

// items returns one item for each object, claims first.
func (o *found) items(now time.Time) ([]table.Item, error) {
	var all []table.Item
	byName := map[types.NamespacedName]*agentsv1beta1.Sandbox{}
	for i := range o.sandboxes {
		sandbox := &o.sandboxes[i]
		byName[types.NamespacedName{Namespace: sandbox.Namespace, Name: sandbox.Name}] = sandbox
	}
	for i := range o.claims {
		claim := &o.claims[i]
		held := byName[types.NamespacedName{Namespace: claim.Namespace, Name: claim.Status.SandboxStatus.Name}]
		if held != nil && !metav1.IsControlledBy(held, claim) {
			held = nil // somebody else's: the operator has not caught up
		}
		facts := diagnose.Facts{Now: now, Claim: claim, Sandbox: held}
		item, err := table.NewItem(claim, extensionsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandboxClaim),
			row(&claim.ObjectMeta, "claim", &facts, claim.Status.Conditions, claim.Status.SandboxStatus.PodIPs, nodeOf(held))...)
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	for i := range o.sandboxes {
		sandbox := &o.sandboxes[i]
		facts := diagnose.Facts{Now: now, Sandbox: sandbox}
		item, err := table.NewItem(sandbox, agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox),
			row(&sandbox.ObjectMeta, "sandbox", &facts, sandbox.Status.Conditions, sandbox.Status.PodIPs, nodeOf(sandbox))...)
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

func nodeOf(sandbox *agentsv1beta1.Sandbox) string {
	if sandbox == nil {
		return ""
	}
	return sandbox.Status.NodeName
}

func row(
	object *metav1.ObjectMeta, kind string, facts *diagnose.Facts, conditions []metav1.Condition, ips []string, node string,
) []any {
	message := ""
	if ready := apis.FindCondition(conditions, apis.ConditionReady); ready != nil {
		message = strings.Join(strings.Fields(ready.Message), " ")
	}
	return []any{
		object.Name, kind, string(diagnose.VerdictOf(facts)), table.Age(object.CreationTimestamp, facts.Now), endsIn(facts), heldBy(object),
		table.OrNone(strings.Join(ips, ",")), table.OrNone(node), table.OrNone(message),
	}
}

func endsIn(facts *diagnose.Facts) string {
	deadline := facts.Deadline()
	switch {
	case !deadline.Set():
		return table.None
	case deadline.Reached(facts.Now):
		return "over"
	}
	return duration.HumanDuration(deadline.Remaining(facts.Now))
}

func heldBy(object *metav1.ObjectMeta) string {
	holder := metav1.GetControllerOf(object)
	if holder == nil {
		return table.None
	}
	switch holder.Kind {
	case apis.KindSandboxClaim:
		return "claim/" + holder.Name
	case apis.KindSandboxWarmPool:
		return "pool/" + holder.Name
	}
	return strings.ToLower(holder.Kind) + "/" + holder.Name
}
