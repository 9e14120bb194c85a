// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rows converts objects into rows of the dashboard's tables, and filters and sorts rows.
//
// Invariants:
//   - every function is pure;
//   - a row never changes after its creation, so any goroutine may read it;
//   - the keys for filters and sorting are computed once for each row, not for each comparison.
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

// Source is the origin of the Sandbox behind a row. It is empty if the claim has no Sandbox yet.
type Source string

// The sources.
const (
	// SourceWarm means that the Sandbox was a Ready member of a pool.
	SourceWarm Source = "warm"
	// SourceLate means that the Sandbox was a member of a pool that was not Ready yet, so that the claim had to wait.
	SourceLate Source = "late"
	// SourceCold means that the Sandbox was created for the claim.
	SourceCold Source = "cold"
	// SourceDirect means that a user created the Sandbox.
	SourceDirect Source = "direct"
	// SourcePool means that the Sandbox is a member of a pool.
	SourcePool Source = "pool"
)

// Row is the row of a claim or Sandbox.
type Row struct {
	Kind            resolve.Kind
	UID             types.UID
	Namespace, Name string
	Labels          map[string]string
	State           diagnose.Verdict
	Source          Source
	// Sandbox is the name of the Sandbox behind a claim.
	Sandbox string
	// Pool is the pool that a warm Sandbox came from or that a member belongs to.
	Pool string
	// NamedPool is the pool that the claim names.
	NamedPool string
	Template  string
	Created   time.Time
	Deadline  lifecycle.Deadline
	Node, IP  string
	// Reason is why the Sandbox is not ready, in one line; empty if it is ready.
	Reason string
	// Restarts is the number of restarts of all containers.
	Restarts int32
	// Stale says that a member was created from an earlier version of its template.
	Stale bool
	// Volumes are the volumes of the Sandbox, and whether they are deleted with it.
	Volumes []volume.Outcome
	// Version changes whenever one of the objects behind the row changes.
	Version string

	byConditions diagnose.Verdict
	path, search string
}

// Ref returns the reference with which commands of the plugin name the row.
func (r *Row) Ref() resolve.Ref { return resolve.Ref{Kind: r.Kind, Name: r.Name} }

// FromClaim returns the row of a claim. Held is its Sandbox and pod the Pod of that Sandbox; both may be nil.
func FromClaim(claim *extensionsv1beta1.SandboxClaim, held *agentsv1beta1.Sandbox, pod *corev1.Pod,
	now time.Time) *Row {
	if held != nil && !metav1.IsControlledBy(held, claim) {
		held = nil // it has another owner: the claim's status is outdated
	}
	snapshot := diagnose.Snapshot{Now: now, Claim: claim, Sandbox: held}
	r := newRow(resolve.KindClaim, &claim.ObjectMeta, &snapshot, claim.Status.Conditions)
	r.Sandbox, r.IP = claim.Status.SandboxStatus.Name, strings.Join(claim.Status.SandboxStatus.PodIPs, ",")
	r.Template, r.NamedPool = claim.Spec.TemplateName(), claim.Spec.PoolName()
	if held != nil {
		r.Volumes = volume.Outcomes(claim, held, nil)
		r.addSandbox(held, pod)
		r.Source = SourceCold
		if r.Pool = pool.SourcePool(claim, held); r.Pool != "" {
			r.Source = SourceLate
		}
		if pool.ServedWarm(claim, held) {
			r.Source = SourceWarm
		}
	}
	r.setSearchText()
	return r
}

// FromSandbox returns the row of a Sandbox. Its Pod may be nil.
func FromSandbox(sandbox *agentsv1beta1.Sandbox, pod *corev1.Pod, stale bool, now time.Time) *Row {
	snapshot := diagnose.Snapshot{Now: now, Sandbox: sandbox}
	r := newRow(resolve.KindSandbox, &sandbox.ObjectMeta, &snapshot, sandbox.Status.Conditions)
	r.addSandbox(sandbox, pod)
	r.Volumes = volume.Outcomes(nil, sandbox, nil)
	r.IP, r.Stale = strings.Join(sandbox.Status.PodIPs, ","), stale
	r.Source = SourceDirect
	if owner := metav1.GetControllerOf(sandbox); owner != nil && owner.Kind == apis.KindSandboxWarmPool {
		r.Source, r.Pool = SourcePool, owner.Name
	}
	r.setSearchText()
	return r
}

// FromPool reports whether the row is of a claim whose Sandbox came from a pool.
func (r *Row) FromPool() bool { return r.Source == SourceWarm || r.Source == SourceLate }

func newRow(kind resolve.Kind, object *metav1.ObjectMeta, snapshot *diagnose.Snapshot,
	conditions []metav1.Condition) *Row {
	r := &Row{
		Kind: kind, UID: object.UID, Namespace: object.Namespace, Name: object.Name, Labels: object.Labels,
		State: diagnose.VerdictByConditions(*snapshot), Created: object.CreationTimestamp.Time, Deadline: snapshot.Deadline(),
		Version: object.ResourceVersion,
	}
	r.byConditions = r.State
	if ready := apis.FindCondition(conditions, apis.ConditionReady); ready != nil && r.State != diagnose.Ready {
		r.Reason = shortReason(strings.Join(strings.Fields(ready.Message), " "))
	} else if ready == nil && (r.State == diagnose.Starting || r.State == diagnose.Blocked) {
		r.Reason = "the operator has not seen it yet"
	}
	return r
}

// shortReason omits what comes before the reason, because columns are narrow: the Pod's phase, and which write the API
// server refused. It shortens the texts of the container runtime.
func shortReason(message string) string {
	if why, _ := podreason.FromConditionMessage(message); why != "" {
		return podreason.ShortPodMessage(why)
	}
	if _, why, refused := strings.Cut(message, " is forbidden: "); refused &&
		strings.HasPrefix(message, apis.MessageErrorPrefix) {
		return why
	}
	return message
}

// addSandbox sets the fields that come from the Sandbox and its Pod.
func (r *Row) addSandbox(sandbox *agentsv1beta1.Sandbox, pod *corev1.Pod) {
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

// setSearchText computes the keys for filters and sorting.
func (r *Row) setSearchText() {
	r.path = r.Namespace + "/" + r.Name
	r.search = strings.ToLower(strings.Join([]string{
		r.path, r.Sandbox, string(r.State), string(r.Source), r.Pool, r.Template, r.Node, r.IP, r.Reason,
	}, "\x00"))
}

// Outdated reports whether the deadline has passed since the row was created, so that the row has to be rebuilt.
func (r *Row) Outdated(now time.Time) bool {
	return r.Deadline.Reached(now) && r.State != diagnose.Expired && r.State != diagnose.Deleting
}
