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
	// maxSeries limits the series that tenants can create with template names. Further Sandboxes are counted as
	// otherTemplate.
	maxSeries     = 10000
	otherTemplate = "other"
)

// sandboxes counts the Sandboxes that the watch shows, and observes the duration of suspensions and resumptions.
type sandboxes struct {
	clock           clock.PassiveClock
	isLeader        func() bool
	desc            *prometheus.Desc
	suspend, resume prometheus.Histogram

	mu        sync.Mutex
	counts    map[series]*sample
	bySandbox map[types.UID]*sample
	// transitions are the suspensions and resumptions in progress.
	transitions map[types.UID]transition
}

// series are the label values of a sample, in the order of the descriptor.
type series struct{ namespace, ready, expired, launchType, template, ownedBy string }

// sample is shared by all Sandboxes of a series, so that each needs only a pointer.
type sample struct {
	series series
	count  int
}

type transition struct {
	suspending bool
	since      time.Time
}

func newSandboxes(clk clock.PassiveClock, isLeader func() bool) *sandboxes {
	histogram := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: sandboxBuckets()})
	}
	return &sandboxes{
		clock: clk, isLeader: isLeader,
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

// update records a Sandbox. before is nil if the Sandbox is new.
func (f *sandboxes) update(before, after *agentsv1beta1.Sandbox) {
	if before != nil && before.UID != after.UID {
		f.remove(before)
		before = nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count(after.UID, seriesOf(after))
	if before != nil {
		f.observeTransition(before, after)
	}
}

// remove drops a deleted Sandbox.
func (f *sandboxes) remove(sandbox *agentsv1beta1.Sandbox) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.release(f.bySandbox[sandbox.UID])
	delete(f.bySandbox, sandbox.UID)
	delete(f.transitions, sandbox.UID)
}

// count moves a Sandbox to the sample of its series.
func (f *sandboxes) count(uid types.UID, s series) {
	current := f.bySandbox[uid]
	if current != nil && current.series == s {
		return
	}
	f.release(current)
	next := f.counts[s]
	if next == nil && len(f.counts) >= maxSeries {
		s.template = otherTemplate
		next = f.counts[s]
	}
	if next == nil {
		next = &sample{series: s}
		f.counts[s] = next
	}
	next.count++
	f.bySandbox[uid] = next
}

// release takes a Sandbox out of its sample, which may be nil.
func (f *sandboxes) release(t *sample) {
	if t == nil {
		return
	}
	if t.count--; t.count == 0 {
		delete(f.counts, t.series)
	}
}

// observeTransition observes the time from a change of the spec to the condition that answers it. Transitions whose
// start this process has not seen are not observed.
func (f *sandboxes) observeTransition(before, after *agentsv1beta1.Sandbox) {
	wasSuspended, _ := before.Spec.SuspensionRequested()
	suspend, _ := after.Spec.SuspensionRequested()
	if wasSuspended != suspend {
		f.transitions[after.UID] = transition{suspending: suspend, since: f.clock.Now()}
		return
	}
	t, known := f.transitions[after.UID]
	conditionType, histogram := apis.ConditionReady, f.resume
	if t.suspending {
		conditionType, histogram = apis.ConditionSuspended, f.suspend
	}
	answer := apis.FindCondition(after.Status.Conditions, conditionType)
	if !known || answer == nil || answer.Status != metav1.ConditionTrue || answer.ObservedGeneration != after.Generation {
		return
	}
	delete(f.transitions, after.UID)
	if f.isLeader() {
		histogram.Observe(milliseconds(f.clock.Now().Sub(t.since)))
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
	defaultType := apis.LaunchTypeCold
	if ref := metav1.GetControllerOfNoCopy(sandbox); ref != nil &&
		(ref.Kind == apis.KindSandboxClaim || ref.Kind == apis.KindSandboxWarmPool) {
		if gv, err := schema.ParseGroupVersion(ref.APIVersion); err == nil && gv.Group == apis.GroupExtensions {
			s.ownedBy = ref.Kind
		}
	}
	if s.ownedBy == apis.KindSandboxWarmPool {
		defaultType = apis.LaunchTypeWarm // a claim that adopts it starts warm
	}
	s.launchType = launchType(sandbox.Labels[apis.LabelLaunchType], defaultType)
	return s
}
