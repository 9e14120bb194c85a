// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"cmp"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

const (
	// maxSeries limits what tenants can make of template names; Sandboxes beyond it are counted under other.
	maxSeries     = 10000
	otherTemplate = "other"
)

// sandboxes counts the Sandboxes as the watch shows them, and times suspensions and resumptions.
type sandboxes struct {
	clock           clock.PassiveClock
	isLeader        func() bool
	desc            *prometheus.Desc
	suspend, resume prometheus.Histogram

	mu        sync.Mutex
	counts    map[series]*sample
	bySandbox map[types.UID]*sample
	// moving is since when a Sandbox is on its way to be suspended, or back.
	transitions map[types.UID]transition
}

// series are the labels of one sample, in the order of the descriptor.
type series struct{ namespace, ready, expired, launchType, template, ownedBy string }

// sample is a sample; Sandboxes share it, so that remembering one takes a pointer.
type sample struct {
	series series
	count  int
}

type transition struct {
	suspending bool
	since      time.Time
}

func newSandboxes(clk clock.PassiveClock, leads func() bool) *sandboxes {
	histogram := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: sandboxBuckets()})
	}
	return &sandboxes{
		clock: clk, isLeader: leads,
		desc: prometheus.NewDesc("agent_sandboxes", "Sandboxes in the cluster now.",
			[]string{labelNamespace, "ready_condition", "expired", labelLaunchType, labelTemplate, "owned_by"}, nil),
		suspend: histogram("agent_sandbox_suspend_latency_ms",
			"Milliseconds from the request to suspend a Sandbox to its Pod being gone."),
		resume: histogram("agent_sandbox_resume_latency_ms",
			"Milliseconds from the request to resume a Sandbox to its being Ready."),
		counts: map[series]*sample{}, bySandbox: map[types.UID]*sample{}, transitions: map[types.UID]transition{},
	}
}

// Describe implements prometheus.Collector.
func (f *sandboxes) Describe(out chan<- *prometheus.Desc) { out <- f.desc }

// Collect implements prometheus.Collector.
func (f *sandboxes) Collect(out chan<- prometheus.Metric) {
	if !f.isLeader() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for s, t := range f.counts {
		out <- prometheus.MustNewConstMetric(f.desc, prometheus.GaugeValue, float64(t.count),
			s.namespace, s.ready, s.expired, s.launchType, s.template, s.ownedBy)
	}
}

// update notes a Sandbox as it is; was is nil where it was not there before.
func (f *sandboxes) update(was, is *agentsv1beta1.Sandbox) {
	if was != nil && was.UID != is.UID {
		f.remove(was)
		was = nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count(is.UID, seriesOf(is))
	if was != nil {
		f.observeTransition(was, is)
	}
}

// remove forgets a Sandbox that is gone.
func (f *sandboxes) remove(sandbox *agentsv1beta1.Sandbox) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.release(f.bySandbox[sandbox.UID])
	delete(f.bySandbox, sandbox.UID)
	delete(f.transitions, sandbox.UID)
}

func (f *sandboxes) count(uid types.UID, s series) {
	before := f.bySandbox[uid]
	if before != nil && before.series == s {
		return
	}
	f.release(before)
	now := f.counts[s]
	if now == nil && len(f.counts) >= maxSeries {
		s.template = otherTemplate
		now = f.counts[s]
	}
	if now == nil {
		now = &sample{series: s}
		f.counts[s] = now
	}
	now.count++
	f.bySandbox[uid] = now
}

func (f *sandboxes) release(t *sample) {
	if t == nil {
		return
	}
	if t.count--; t.count == 0 {
		delete(f.counts, t.series)
	}
}

// observeTransition follows a Sandbox from the change of what is asked for to the condition that answers it. One whose beginning this process
// has not seen is not timed.
func (f *sandboxes) observeTransition(was, is *agentsv1beta1.Sandbox) {
	before, _ := was.Spec.SuspensionRequested()
	asked, _ := is.Spec.SuspensionRequested()
	if before != asked {
		f.transitions[is.UID] = transition{suspending: asked, since: f.clock.Now()}
		return
	}
	m, known := f.transitions[is.UID]
	arrived, histogram := apis.ConditionReady, f.resume
	if m.suspending {
		arrived, histogram = apis.ConditionSuspended, f.suspend
	}
	answer := apis.FindCondition(is.Status.Conditions, arrived)
	if !known || answer == nil || answer.Status != metav1.ConditionTrue || answer.ObservedGeneration != is.Generation {
		return
	}
	delete(f.transitions, is.UID)
	if f.isLeader() {
		histogram.Observe(milliseconds(f.clock.Now().Sub(m.since)))
	}
}

func seriesOf(sandbox *agentsv1beta1.Sandbox) series {
	s := series{
		namespace: sandbox.Namespace, ready: "false", expired: "false", ownedBy: "None",
		template: cmp.Or(sandbox.Annotations[apis.AnnotationTemplateRef], unknown),
	}
	if ready := apis.FindCondition(sandbox.Status.Conditions, apis.ConditionReady); ready != nil {
		s.ready = strconv.FormatBool(ready.Status == metav1.ConditionTrue)
		s.expired = strconv.FormatBool(ready.Reason == string(apis.ReasonSandboxExpired))
	}
	otherwise := apis.LaunchTypeCold
	if ref := metav1.GetControllerOfNoCopy(sandbox); ref != nil && (ref.Kind == apis.KindSandboxClaim || ref.Kind == apis.KindSandboxWarmPool) {
		if gv, err := schema.ParseGroupVersion(ref.APIVersion); err == nil && gv.Group == apis.GroupExtensions {
			s.ownedBy = ref.Kind
		}
	}
	if s.ownedBy == apis.KindSandboxWarmPool {
		otherwise = apis.LaunchTypeWarm // that is what whoever claims it gets
	}
	s.launchType = launchType(sandbox.Labels[apis.LabelLaunchType], otherwise)
	return s
}
