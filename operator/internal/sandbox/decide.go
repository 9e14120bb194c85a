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
)

// desiredState is what a Sandbox asks for at a point in time.
type desiredState int

const (
	desiredRunning desiredState = iota
	desiredSuspended
	desiredExpired
)

// action is what is to be done about one child. The set is closed.
type action int

const (
	leave  action = iota // as it is
	create               // it is missing
	patch                // it is ours, or becomes ours, and differs
	remove               // it is ours and not wanted
	wait                 // it is going: something new must wait
	refuse               // it is not ours and may not be taken
)

// step is one child's part of a plan. was is what is there (nil: nothing), want what should be.
type step[T client.Object] struct {
	action    action
	was, want T
	adopts    bool  // the patch gives it an owner that may be going
	refusal   error // of a refusal
}

// A Pod that was taken away, an evicted one say, is replaced when it is that old: one that goes as soon as it comes would be made
// anew without a pause.
const minReplacementAge, maxReplacementAge = 10 * time.Second, time.Minute

// plan is everything that a pass will do. It holds no decisions for later.
type plan struct {
	state        desiredState
	deadline     lifecycle.Deadline
	deleteSelf   bool // delete the Sandbox itself
	volumes      []step[*corev1.PersistentVolumeClaim]
	pods         []step[*corev1.Pod]
	service      step[*corev1.Service]
	multiplePods bool          // several live Pods are ours: a person must choose
	podName      string        // value of the pod-name annotation; empty means none
	droppedKeys  []string      // metadata keys of the Pod's template that tenants may not set
	requeueAfter time.Duration // when to look again though nothing happens; zero: never
}

func desiredStateOf(now time.Time, sandbox *agentsv1beta1.Sandbox) (desiredState, lifecycle.Deadline) {
	deadline := lifecycle.Of(sandbox.Spec.ShutdownTime, nil, nil)
	asked, _ := sandbox.Spec.SuspensionAsked()
	switch {
	case deadline.Reached(now):
		return desiredExpired, deadline
	case asked:
		return desiredSuspended, deadline
	default:
		return desiredRunning, deadline
	}
}

// decide compares what is there with what is asked for. It touches nothing.
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

// decideChild is the three-state ownership rule that all kinds of children share.
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
		s.adopts = relationOf(was, sandbox) == owner.Adoptable || len(want.GetOwnerReferences()) > len(was.GetOwnerReferences())
	}
	return s
}

func (p *plan) decidePods(now time.Time, sandbox *agentsv1beta1.Sandbox, seen observed) {
	var live, going []*corev1.Pod
	for _, pod := range seen.pods {
		if pod.DeletionTimestamp == nil {
			live = append(live, pod)
		} else {
			going = append(going, pod)
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
		for _, pod := range going {
			p.pods = append(p.pods, step[*corev1.Pod]{action: wait, was: pod})
		}
	case len(live) == 1 && ending.Of(live[0]).Left() && relationOf(live[0], sandbox) == owner.Owned:
		p.replacePod(now, sandbox, live[0])
	case len(live) == 1:
		p.ensurePod(sandbox, live[0])
	case len(going) > 0:
		p.pods = []step[*corev1.Pod]{{action: wait, was: going[0]}}
		p.podName = going[0].Name
	default:
		p.ensurePod(sandbox, seen.unownedPod)
	}
}

// replacePod removes a Pod that was taken away and that nobody else deletes; the next one has its name and its volumes. One that
// does not last makes the one after it wait longer, as its Sandbox stays unready longer, up to a limit.
func (p *plan) replacePod(now time.Time, sandbox *agentsv1beta1.Sandbox, was *corev1.Pod) {
	pause := minReplacementAge
	ready := apis.FindCondition(sandbox.Status.Conditions, apis.ConditionReady)
	if ready != nil && ready.Status == metav1.ConditionFalse {
		pause = min(max(pause, was.CreationTimestamp.Sub(ready.LastTransitionTime.Time)), maxReplacementAge)
	}
	s := step[*corev1.Pod]{action: remove, was: was}
	if p.requeueAfter = was.CreationTimestamp.Add(pause).Sub(now); p.requeueAfter > 0 {
		s.action = leave
	}
	p.pods, p.podName = []step[*corev1.Pod]{s}, was.Name
}

// ensurePod decides about the one Pod of a running Sandbox: was is it, something under its name, or nil.
func (p *plan) ensurePod(sandbox *agentsv1beta1.Sandbox, was *corev1.Pod) {
	want, dropped := buildPod(sandbox, was)
	s := decideChild("Pod", sandbox, was, was == nil, want)
	if s.action == create && p.volumesBlocked() {
		s.action = wait // a Pod without its volumes would write its data to the wrong place
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
	was, asked := seen.service, sandbox.Spec.Service
	ours := was != nil && relationOf(was, sandbox) == owner.Owned
	unwanted := w == desiredExpired || (asked != nil && !*asked)
	switch {
	case unwanted && ours && was.DeletionTimestamp == nil:
		return step[*corev1.Service]{action: remove, was: was}
	case unwanted, asked == nil && !ours:
		return step[*corev1.Service]{} // somebody else's, or nobody asks for one
	case was != nil && relationOf(was, sandbox) == owner.Adoptable && was.Spec.ClusterIP != corev1.ClusterIPNone:
		return step[*corev1.Service]{action: refuse, was: was, refusal: refuseClusterIP(was)}
	}
	return decideChild("Service", sandbox, was, was == nil, buildService(sandbox, was, livePod(seen)))
}

// livePod is the Pod whose ports the Service shows: the live one of ours, if there is one.
func livePod(seen observed) *corev1.Pod {
	for _, pod := range seen.pods {
		if pod.DeletionTimestamp == nil {
			return pod
		}
	}
	return nil
}
