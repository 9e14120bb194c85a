// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package list

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
)

// none stands in a cell that has nothing to say.
const none = "-"

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

// rows returns one row for each object, claims first.
func (o *found) rows(now time.Time) []metav1.TableRow {
	var all []metav1.TableRow
	byName := map[types.NamespacedName]*agentsv1beta1.Sandbox{}
	for i := range o.sandboxes {
		sandbox := &o.sandboxes[i]
		byName[types.NamespacedName{Namespace: sandbox.Namespace, Name: sandbox.Name}] = sandbox
	}
	for i := range o.claims {
		claim := &o.claims[i]
		held := byName[types.NamespacedName{Namespace: claim.Namespace, Name: claim.Status.SandboxStatus.Name}]
		facts := diagnose.Facts{Now: now, Claim: claim, Sandbox: held}
		all = append(all, row(&claim.ObjectMeta, "claim", &facts, claim.Status.Conditions,
			claim.Status.SandboxStatus.PodIPs, ""))
	}
	for i := range o.sandboxes {
		sandbox := &o.sandboxes[i]
		facts := diagnose.Facts{Now: now, Sandbox: sandbox}
		all = append(all, row(&sandbox.ObjectMeta, "sandbox", &facts, sandbox.Status.Conditions,
			sandbox.Status.PodIPs, sandbox.Status.NodeName))
	}
	return all
}

func row(
	object *metav1.ObjectMeta, kind string, facts *diagnose.Facts, conditions []metav1.Condition, ips []string, node string,
) metav1.TableRow {
	message := ""
	if ready := apis.FindCondition(conditions, apis.ConditionReady); ready != nil {
		message = strings.Join(strings.Fields(ready.Message), " ")
	}
	return metav1.TableRow{
		Cells: []any{
			object.Name, kind, string(diagnose.VerdictOf(facts)), age(object, facts.Now), endsIn(facts), heldBy(object),
			orNone(strings.Join(ips, ",")), orNone(node), orNone(message),
		},
		Object: runtime.RawExtension{Object: &metav1.PartialObjectMetadata{ObjectMeta: *object}},
	}
}

func age(object *metav1.ObjectMeta, now time.Time) string {
	if object.CreationTimestamp.IsZero() {
		return none
	}
	return duration.HumanDuration(now.Sub(object.CreationTimestamp.Time))
}

func endsIn(facts *diagnose.Facts) string {
	deadline := facts.Deadline()
	switch {
	case !deadline.Set():
		return none
	case deadline.Reached(facts.Now):
		return "over"
	}
	return duration.HumanDuration(deadline.Remaining(facts.Now))
}

func heldBy(object *metav1.ObjectMeta) string {
	holder := metav1.GetControllerOf(object)
	if holder == nil {
		return none
	}
	switch holder.Kind {
	case apis.KindSandboxClaim:
		return "claim/" + holder.Name
	case apis.KindSandboxWarmPool:
		return "pool/" + holder.Name
	}
	return strings.ToLower(holder.Kind) + "/" + holder.Name
}

func orNone(text string) string {
	if text == "" {
		return none
	}
	return text
}
