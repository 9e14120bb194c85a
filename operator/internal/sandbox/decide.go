// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/ending"
	"github.com/agent-sandbox/kubectl-sandbox/apis/lifecycle"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// desiredState is the state that a Sandbox should be in at a point in time.
type desiredState int

const (
	desiredRunning desiredState = iota
	desiredSuspended
	desiredExpired
)

// action is what a reconcile does about one child. The set is closed.
type action int

const (
	leave  action = iota // do nothing
	create               // the child is missing
	patch                // the child is ours, or is adopted, and differs from what is wanted
	remove               // the child is ours and not wanted
	wait                 // the child is being deleted and blocks its successor
	refuse               // the object is not ours and may not be adopted
)

// step is one child's part of a plan. was is the existing object, or nil; want is what it should be.
type step[T client.Object] struct {
	action    action
	was, want T
	adopts    bool  // the patch sets an owner, which may have been deleted meanwhile
	refusal   error // why the object may not be adopted
}

// plan is everything that a reconcile does. apply makes no decisions of its own.
type plan struct {
	state        desiredState
	deadline     lifecycle.Deadline
	deleteSelf   bool // delete the Sandbox
	volumes      []step[*corev1.PersistentVolumeClaim]
	pods         []step[*corev1.Pod]
	service      step[*corev1.Service]
	multiplePods bool          // several live Pods are ours: the user must delete all but one
	podName      string        // value of the pod-name annotation; empty: no annotation
	droppedKeys  []string      // reserved metadata keys in the Pod template
	requeueAfter time.Duration // when to reconcile again without an event; 0: never
}

func desiredStateOf(now time.Time, sandbox *agentsv1beta1.Sandbox) (desiredState, lifecycle.Deadline) {
	deadline := lifecycle.Of(sandbox.Spec.ShutdownTime, nil, nil)
	suspend, _ := sandbox.Spec.SuspensionRequested()
	switch {
	case deadline.Reached(now):
		return desiredExpired, deadline
	case suspend:
		return desiredSuspended, deadline
	default:
		return desiredRunning, deadline
	}
}

// decide compares the observed children with the spec and returns a plan. It is pure.
func decide(now time.Time, sandbox *agentsv1beta1.Sandbox, seen observed) plan {
	var p plan
	p.state, p.deadline = desiredStateOf(now, sandbox)
	p.volumes = decideVolumes(sandbox, seen)
	if p.state == desiredExpired {
		p.volumes = retentionSteps(sandbox, p.volumes)
	}
	policy := sandbox.Spec.ShutdownPolicy
	if p.state == desiredExpired && policy != nil && *policy == agentsv1beta1.ShutdownPolicyDelete {
		p.deleteSelf = true
		return p
	}
	p.decidePods(now, sandbox, seen)
	p.service = decideService(sandbox, seen, p.state)
	return p
}

// decideChild applies the ownership rules, which are the same for all kinds of children.
func decideChild[T client.Object](kind string, sandbox *agentsv1beta1.Sandbox, was T, missing bool, want T) step[T] {
	s := step[T]{was: was, want: want}
	switch {
	case missing:
		s.action = create
	case relationOf(was, sandbox) == owner.Foreign:
		s.action, s.refusal = refuse, refuseChild(kind, was)
	case relationOf(was, sandbox) == owner.Leftover, was.GetDeletionTimestamp() != nil:
		s.action = wait
	case !equality.Semantic.DeepEqual(was, want):
		s.action = patch
		s.adopts = relationOf(was, sandbox) == owner.Adoptable ||
			len(want.GetOwnerReferences()) > len(was.GetOwnerReferences())
	}
	return s
}

func (p *plan) decidePods(now time.Time, sandbox *agentsv1beta1.Sandbox, seen observed) {
	var live, terminating []*corev1.Pod
	for _, pod := range seen.pods {
		if pod.DeletionTimestamp == nil {
			live = append(live, pod)
		} else {
			terminating = append(terminating, pod)
		}
	}
	switch {
	case len(live) > 1 && p.state != desiredExpired:
		p.multiplePods = true
		p.podName = sandbox.Annotations[apis.AnnotationPodName]
		for _, pod := range live {
			p.pods = append(p.pods, step[*corev1.Pod]{was: pod})
		}
	case p.state != desiredRunning:
		for _, pod := range live {
			p.pods = append(p.pods, step[*corev1.Pod]{action: remove, was: pod})
		}
		for _, pod := range terminating {
			p.pods = append(p.pods, step[*corev1.Pod]{action: wait, was: pod})
		}
	case len(live) == 1 && ending.Of(live[0]).NeedsDeletion() && relationOf(live[0], sandbox) == owner.Owned:
		p.replacePod(now, sandbox, live[0])
	case len(live) == 1:
		p.ensurePod(sandbox, live[0])
	case len(terminating) > 0:
		p.pods = []step[*corev1.Pod]{{action: wait, was: terminating[0]}}
		p.podName = terminating[0].Name
	default:
		p.ensurePod(sandbox, seen.unownedPod)
	}
}

// replacePod removes a Pod that was evicted or lost and that nobody else deletes. Its successor gets the same name and
// volumes. The longer the Sandbox has not been Ready, the longer the wait before the next replacement, up to a limit.
func (p *plan) replacePod(now time.Time, sandbox *agentsv1beta1.Sandbox, was *corev1.Pod) {
	pause := waits.MinReplacementAge
	ready := apis.FindCondition(sandbox.Status.Conditions, apis.ConditionReady)
	if ready != nil && ready.Status == metav1.ConditionFalse {
		pause = min(max(pause, was.CreationTimestamp.Sub(ready.LastTransitionTime.Time)), waits.MaxReplacementAge)
	}
	s := step[*corev1.Pod]{action: remove, was: was}
	if p.requeueAfter = was.CreationTimestamp.Add(pause).Sub(now); p.requeueAfter > 0 {
		s.action = leave
	}
	p.pods, p.podName = []step[*corev1.Pod]{s}, was.Name
}

// ensurePod plans the single Pod of a running Sandbox. was is that Pod, or another object under its name, or nil.
func (p *plan) ensurePod(sandbox *agentsv1beta1.Sandbox, was *corev1.Pod) {
	want, dropped := buildPod(sandbox, was)
	s := decideChild("Pod", sandbox, was, was == nil, want)
	if s.action == create && p.volumesBlocked() {
		s.action = wait // without its volumes the Pod would write its data to the wrong place
	}
	if s.action != refuse {
		p.podName = want.Name
	}
	p.pods, p.droppedKeys = []step[*corev1.Pod]{s}, dropped
}

func (p *plan) volumesBlocked() bool {
	for _, c := range p.volumes {
		if c.action == refuse || c.action == wait {
			return true
		}
	}
	return false
}

func decideService(sandbox *agentsv1beta1.Sandbox, seen observed, w desiredState) step[*corev1.Service] {
	was, wanted := seen.service, sandbox.Spec.Service
	ours := was != nil && relationOf(was, sandbox) == owner.Owned
	unwanted := w == desiredExpired || (wanted != nil && !*wanted)
	switch {
	case unwanted && ours && was.DeletionTimestamp == nil:
		return step[*corev1.Service]{action: remove, was: was}
	case unwanted, wanted == nil && !ours:
		return step[*corev1.Service]{} // no Service is wanted, or it is not ours
	case was != nil && relationOf(was, sandbox) == owner.Adoptable && was.Spec.ClusterIP != corev1.ClusterIPNone:
		return step[*corev1.Service]{action: refuse, was: was, refusal: refuseClusterIP(was)}
	}
	return decideChild("Service", sandbox, was, was == nil, buildService(sandbox, was, livePod(seen)))
}

// livePod returns the Pod whose ports the Service lists: the first one that is not being deleted, or nil.
func livePod(seen observed) *corev1.Pod {
	for _, pod := range seen.pods {
		if pod.DeletionTimestamp == nil {
			return pod
		}
	}
	return nil
}
