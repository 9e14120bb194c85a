// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rows turns objects into what tables of the dashboard show of them, and filters and sorts that.
//
// Invariants:
//   - everything here is a pure function of its arguments;
//   - a row never changes once it is made: whoever holds one may read it from any goroutine;
//   - what filters and sorting look at is computed once for each row, not once for each comparison.
package rows

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/lifecycle"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/volume"
)

// Source says where the Sandbox behind a row came from.
type Source string

// The sources.
const (
	// SourceNone: a claim that has no Sandbox yet.
	SourceNone Source = ""
	// SourceWarm: a pool had it ready.
	SourceWarm Source = "warm"
	// SourceCold: it was made for the claim.
	SourceCold Source = "cold"
	// SourceDirect: somebody made the Sandbox itself.
	SourceDirect Source = "direct"
	// SourcePool: it waits in a pool.
	SourcePool Source = "pool"
)

// Row is one claim or Sandbox.
type Row struct {
	Kind            resolve.Kind
	UID             types.UID
	Namespace, Name string
	Labels          map[string]string
	State           diagnose.Verdict
	Source          Source
	// Sandbox is the name of the Sandbox behind a claim.
	Sandbox string
	// Hit says that the claim took a Sandbox that was Ready.
	Hit bool
	// Pool is where a warm Sandbox came from, or where a member is.
	Pool     string
	Template string
	Created  time.Time
	Deadline lifecycle.Deadline
	Node, IP string
	// Reason is why it is not ready, in one line; empty when it is.
	Reason string
	// Restarts of its containers.
	Restarts int32
	// Stale says of a member that it was built from what its template no longer says.
	Stale bool
	// Volumes are those of the Sandbox, and what becomes of them when it is deleted.
	Volumes []volume.Outcome
	// Version changes whenever one of the objects behind the row does.
	Version string

	path, search string
}

// Ref is how commands of the plugin name the row.
func (r *Row) Ref() resolve.Ref { return resolve.Ref{Kind: r.Kind, Name: r.Name} }

// OfClaim makes the row of a claim. Held is the Sandbox it holds and pod the Pod of that; both may be nil.
func OfClaim(claim *extensionsv1beta1.SandboxClaim, held *agentsv1beta1.Sandbox, pod *corev1.Pod, now time.Time) *Row {
	if held != nil && !metav1.IsControlledBy(held, claim) {
		held = nil // somebody else's: the operator has not caught up
	}
	facts := diagnose.Snapshot{Now: now, Claim: claim, Sandbox: held}
	r := newRow(resolve.KindClaim, &claim.ObjectMeta, &facts, claim.Status.Conditions)
	r.Sandbox, r.IP = claim.Status.SandboxStatus.Name, strings.Join(claim.Status.SandboxStatus.PodIPs, ",")
	r.Template = claim.Spec.TemplateName()
	if held != nil {
		r.Volumes = volume.Outcomes(claim, held, nil)
		r.behind(held, pod)
		r.Source = SourceCold
		if r.Pool = pool.SourcePool(claim, held); r.Pool != "" {
			r.Source, r.Hit = SourceWarm, pool.ServedWarm(claim, held)
		}
	}
	r.index()
	return r
}

// OfSandbox makes the row of a Sandbox. Its Pod may be nil.
func OfSandbox(sandbox *agentsv1beta1.Sandbox, pod *corev1.Pod, stale bool, now time.Time) *Row {
	facts := diagnose.Snapshot{Now: now, Sandbox: sandbox}
	r := newRow(resolve.KindSandbox, &sandbox.ObjectMeta, &facts, sandbox.Status.Conditions)
	r.behind(sandbox, pod)
	r.Volumes = volume.Outcomes(nil, sandbox, nil)
	r.IP, r.Stale = strings.Join(sandbox.Status.PodIPs, ","), stale
	r.Source = SourceDirect
	if owner := metav1.GetControllerOf(sandbox); owner != nil && owner.Kind == apis.KindSandboxWarmPool {
		r.Source, r.Pool = SourcePool, owner.Name
	}
	r.index()
	return r
}

func newRow(kind resolve.Kind, object *metav1.ObjectMeta, facts *diagnose.Snapshot, conditions []metav1.Condition) *Row {
	r := &Row{
		Kind: kind, UID: object.UID, Namespace: object.Namespace, Name: object.Name, Labels: object.Labels,
		State: diagnose.VerdictOf(facts), Created: object.CreationTimestamp.Time, Deadline: facts.Deadline(),
		Version: object.ResourceVersion,
	}
	if r.State == diagnose.Starting {
		known := *facts
		known.PodHidden = true // its Pod is not looked at: the conditions tell what it lacks
		r.State = diagnose.Of(known).Verdict
	}
	if ready := apis.FindCondition(conditions, apis.ConditionReady); ready != nil && r.State != diagnose.Ready {
		r.Reason = brief(strings.Join(strings.Fields(ready.Message), " "))
		if _, cause := podreason.FromConditionMessage(ready.Message); cause != podreason.None && r.State == diagnose.Starting {
			r.State = diagnose.Blocked
		}
	} else if ready == nil && (r.State == diagnose.Starting || r.State == diagnose.Blocked) {
		r.Reason = "the operator has not seen it yet"
	}
	return r
}

// brief leaves out the Pod's phase where the message goes on with why it is that.
func brief(message string) string {
	if why, _ := podreason.FromConditionMessage(message); why != "" {
		return why
	}
	return message
}

// behind takes over what the Sandbox and its Pod tell.
func (r *Row) behind(sandbox *agentsv1beta1.Sandbox, pod *corev1.Pod) {
	r.Node, r.Sandbox = sandbox.Status.NodeName, sandbox.Name
	if r.Template == "" {
		r.Template = sandbox.Annotations[apis.AnnotationTemplateRef]
	}
	r.Version += "/" + sandbox.ResourceVersion
	if pod == nil {
		return
	}
	r.Version += "/" + pod.ResourceVersion
	for i := range pod.Status.ContainerStatuses {
		r.Restarts += pod.Status.ContainerStatuses[i].RestartCount
	}
}

// index computes what filters look at.
func (r *Row) index() {
	r.path = r.Namespace + "/" + r.Name
	r.search = strings.ToLower(strings.Join([]string{
		r.path, r.Sandbox, string(r.State), string(r.Source), r.Pool, r.Template, r.Node, r.IP, r.Reason,
	}, "\x00"))
}

// Outdated says whether the deadline passed since the row was made, so that it has to be made again.
func (r *Row) Outdated(now time.Time) bool {
	return r.Deadline.Reached(now) && r.State != diagnose.Expired && r.State != diagnose.Deleting
}
