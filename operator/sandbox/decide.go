// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/lifecycle"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
)

// wish is what a Sandbox asks for at a point in time.
type wish int

const (
	wishRunning wish = iota
	wishSuspended
	wishExpired
)

// verb is what is to be done about one child. The set is closed.
type verb int

const (
	leave  verb = iota // as it is
	create             // it is missing
	patch              // it is ours, or becomes ours, and differs
	remove             // it is ours and not wanted
	wait               // it is going: something new must wait
	refuse             // it is not ours and may not be taken
)

// step is one child's part of a plan. was is what is there (nil: nothing), want what should be.
type step[T client.Object] struct {
	verb      verb
	was, want T
	why       error // of a refusal
}

// plan is everything that a pass will do. It holds no decisions for later.
type plan struct {
	wish     wish
	deadline lifecycle.Deadline
	end      bool // delete the Sandbox itself
	claims   []step[*corev1.PersistentVolumeClaim]
	pods     []step[*corev1.Pod]
	service  step[*corev1.Service]
	multiple bool     // several live Pods are ours: a person must choose
	podName  string   // value of the pod-name annotation; empty means none
	dropped  []string // metadata keys of the Pod's template that tenants may not set
}

func wishOf(now time.Time, sandbox *v1beta1.Sandbox) (wish, lifecycle.Deadline) {
	deadline := lifecycle.Of(sandbox.Spec.ShutdownTime, nil, nil)
	asked, _ := sandbox.Spec.SuspensionAsked()
	switch {
	case deadline.Reached(now):
		return wishExpired, deadline
	case asked:
		return wishSuspended, deadline
	default:
		return wishRunning, deadline
	}
}

// decide compares what is there with what is asked for. It touches nothing.
func decide(now time.Time, sandbox *v1beta1.Sandbox, seen observed) plan {
	var p plan
	p.wish, p.deadline = wishOf(now, sandbox)
	policy := sandbox.Spec.ShutdownPolicy
	if p.wish == wishExpired && policy != nil && *policy == v1beta1.ShutdownPolicyDelete {
		p.end = true
		return p
	}
	if p.wish != wishExpired {
		p.claims = decideClaims(sandbox, seen)
	}
	p.decidePods(sandbox, seen)
	p.service = decideService(sandbox, seen, p.wish)
	return p
}

func decideClaims(sandbox *v1beta1.Sandbox, seen observed) []step[*corev1.PersistentVolumeClaim] {
	templates := sandbox.Spec.VolumeClaimTemplates
	steps := make([]step[*corev1.PersistentVolumeClaim], 0, len(templates))
	for i := range templates {
		was := seen.claims[naming.PersistentVolumeClaim(templates[i].Name, sandbox.Name)]
		steps = append(steps, decideClaim(sandbox, &templates[i], was))
	}
	return steps
}

func decideClaim(
	sandbox *v1beta1.Sandbox, template *v1beta1.PersistentVolumeClaimTemplate, was *corev1.PersistentVolumeClaim,
) step[*corev1.PersistentVolumeClaim] {
	return decideChild("PersistentVolumeClaim", sandbox, was, was == nil, buildClaim(sandbox, template, was))
}

// decideChild is the three-state ownership rule that all kinds of children share.
func decideChild[T client.Object](kind string, sandbox *v1beta1.Sandbox, was T, missing bool, want T) step[T] {
	s := step[T]{was: was, want: want}
	switch {
	case missing:
		s.verb = create
	case ownershipOf(was, sandbox) == foreign:
		s.verb, s.why = refuse, refuseChild(kind, was)
	case ownershipOf(was, sandbox) == leftover, was.GetDeletionTimestamp() != nil:
		s.verb = wait
	case !equality.Semantic.DeepEqual(was, want):
		s.verb = patch
	}
	return s
}

func (p *plan) decidePods(sandbox *v1beta1.Sandbox, seen observed) {
	var live, going []*corev1.Pod
	for _, pod := range seen.pods {
		if pod.DeletionTimestamp == nil {
			live = append(live, pod)
		} else {
			going = append(going, pod)
		}
	}
	switch {
	case len(live) > 1 && p.wish != wishExpired:
		p.multiple = true
		p.podName = sandbox.Annotations[apis.AnnotationPodName]
		for _, pod := range live {
			p.pods = append(p.pods, step[*corev1.Pod]{was: pod})
		}
	case p.wish != wishRunning:
		for _, pod := range live {
			p.pods = append(p.pods, step[*corev1.Pod]{verb: remove, was: pod})
		}
		for _, pod := range going {
			p.pods = append(p.pods, step[*corev1.Pod]{verb: wait, was: pod})
		}
	case len(live) == 1:
		p.keepPod(sandbox, live[0])
	case len(going) > 0:
		p.pods = []step[*corev1.Pod]{{verb: wait, was: going[0]}}
		p.podName = going[0].Name
	default:
		p.keepPod(sandbox, seen.named)
	}
}

// keepPod decides about the one Pod of a running Sandbox: was is it, something under its name, or nil.
func (p *plan) keepPod(sandbox *v1beta1.Sandbox, was *corev1.Pod) {
	want, dropped := buildPod(sandbox, was)
	s := decideChild("Pod", sandbox, was, was == nil, want)
	if s.verb == create && p.claimsRefused() {
		s.verb = wait // a Pod without its volumes would write its data to the wrong place
	}
	if s.verb != refuse {
		p.podName = want.Name
	}
	p.pods, p.dropped = []step[*corev1.Pod]{s}, dropped
}

func (p *plan) claimsRefused() bool {
	for _, c := range p.claims {
		if c.verb == refuse || c.verb == wait {
			return true
		}
	}
	return false
}

func decideService(sandbox *v1beta1.Sandbox, seen observed, w wish) step[*corev1.Service] {
	was, asked := seen.service, sandbox.Spec.Service
	ours := was != nil && ownershipOf(was, sandbox) == owned
	unwanted := w == wishExpired || (asked != nil && !*asked)
	switch {
	case unwanted && ours && was.DeletionTimestamp == nil:
		return step[*corev1.Service]{verb: remove, was: was}
	case unwanted, asked == nil && !ours:
		return step[*corev1.Service]{} // somebody else's, or nobody asks for one
	case was != nil && ownershipOf(was, sandbox) == adoptable && was.Spec.ClusterIP != corev1.ClusterIPNone:
		return step[*corev1.Service]{verb: refuse, was: was, why: refuseClusterIP(was)}
	}
	return decideChild("Service", sandbox, was, was == nil, buildService(sandbox, was, podOf(seen)))
}

// podOf is the Pod whose ports the Service shows: the live one of ours, if there is one.
func podOf(seen observed) *corev1.Pod {
	for _, pod := range seen.pods {
		if pod.DeletionTimestamp == nil {
			return pod
		}
	}
	return nil
}
