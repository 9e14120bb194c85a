// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"fmt"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
)

// Demand is what a pool is to serve. Without a rate and a burst it is what the claims that still exist have asked for.
type Demand struct {
	// Rate is how many claims come in a second, on average and at random moments.
	Rate float64
	// Burst is how many claims come at once, beyond the rate.
	Burst int
	// Start is how long a new member takes to be ready; zero takes it from the Sandboxes of the pool.
	Start time.Duration
}

// Plan says how many members a pool needs so that claims do not have to start cold.
type Plan struct {
	Pool     string `json:"pool"`
	Template string `json:"template"`
	Desired  int    `json:"desired"`
	// Start is how long a member takes to be ready, in nanoseconds: nine of ten of those Measured took no longer. None was
	// measured if the time was given.
	Start    time.Duration `json:"startNanoseconds"`
	Measured int           `json:"measured"`
	// Seen are the claims that asked for a member and still exist, the first of them at Since; Peak of them came within Start.
	Seen  int        `json:"seenClaims"`
	Peak  int        `json:"peakClaims"`
	Since *time.Time `json:"since,omitempty"`
	// Given says that Needed answers a rate or burst that was given, and not the claims that were seen.
	Given  bool `json:"given"`
	Needed int  `json:"needed"`
	// Member is what one member requests of a node; empty if the template does not say.
	Member corev1.ResourceList `json:"member,omitempty"`
}

// NotPlannable is why no plan can be made, and what would help.
type NotPlannable struct{ Why string }

// Error implements error.
func (e *NotPlannable) Error() string { return e.Why }

// peakReserve is kept beyond the peak that was seen: the next one may be higher.
const peakReserve = 0.2

// standardDeviations is how many standard deviations above its mean the number of claims is provided for: 99 times of 100 they are fewer.
const standardDeviations = 2.33

// PlanFor says how many members the pool needs: as many as claims come while a member that was taken is replaced. Its error
// is a *NotPlannable.
func PlanFor(s *Summary, f *Inventory, d Demand) (*Plan, error) {
	p := &Plan{
		Pool: s.Pool.Name, Template: s.Pool.Spec.TemplateRef.Name, Desired: s.Desired, Start: d.Start, Given: d.Rate > 0 || d.Burst > 0, Member: s.requests(),
	}
	if p.Start == 0 {
		if p.Start, p.Measured = s.startupTime(f); p.Measured == 0 {
			return nil, &NotPlannable{Why: fmt.Sprintf("no sandbox of pool %s has been ready yet, so nobody knows how long one takes: give --start", p.Pool)}
		}
	}
	p.countDemand(s, f)
	switch {
	case p.Given:
		mean := d.Rate * p.Start.Seconds()
		p.Needed = d.Burst + int(math.Ceil(mean+standardDeviations*math.Sqrt(mean)))
	case f.Claims == nil:
		return nil, &NotPlannable{Why: "you may not list claims: give --rate or --burst"}
	case p.Seen == 0:
		return nil, &NotPlannable{Why: fmt.Sprintf("no claim that asks for pool %s is left to learn from: give --rate or --burst", p.Pool)}
	default:
		p.Needed = p.Peak + int(math.Ceil(float64(p.Peak)*peakReserve))
	}
	return p, nil
}

// startupTime is how long nine of ten of the pool's Sandboxes took to be ready, those included that were claimed. The times that
// it is taken from are whole seconds, so the answer is rounded up.
func (s *Summary) startupTime(f *Inventory) (took time.Duration, measured int) {
	var all []time.Duration
	add := func(sandbox *agentsv1beta1.Sandbox) {
		ready := apis.FindCondition(sandbox.Status.Conditions, apis.ConditionReady)
		if ready != nil && ready.Status == metav1.ConditionTrue && !sandbox.CreationTimestamp.IsZero() {
			all = append(all, max(0, ready.LastTransitionTime.Sub(sandbox.CreationTimestamp.Time)))
		}
	}
	for _, member := range s.Members {
		add(member)
	}
	for _, claim := range s.Claims {
		for i := range f.Sandboxes {
			if sandbox := f.Sandboxes[i]; sandbox.Namespace == claim.Namespace && sandbox.Name == claim.Status.SandboxStatus.Name {
				add(sandbox)
			}
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	return all[(len(all)*9-1)/10] + time.Second, len(all)
}

// countDemand counts the claims that asked for a member, and the most of them that came within the time that a replacement takes.
func (p *Plan) countDemand(s *Summary, f *Inventory) {
	var came []time.Time
	for i := range f.Claims {
		if claim := f.Claims[i]; claim.Namespace == s.Pool.Namespace && claim.Spec.AcceptsPool(s.Pool) {
			came = append(came, claim.CreationTimestamp.Time)
		}
	}
	slices.SortFunc(came, time.Time.Compare)
	p.Seen = len(came)
	if p.Seen > 0 {
		p.Since = &came[0]
	}
	first := 0
	for i := range came {
		for first < i && came[i].Sub(came[first]) >= p.Start {
			first++
		}
		p.Peak = max(p.Peak, i-first+1)
	}
}

// requests is what one member requests: of its containers what they ask for, or else their limits, which the API server takes
// instead; and the sizes of its volumes.
func (s *Summary) requests() corev1.ResourceList {
	if s.Template == nil {
		return nil
	}
	sum := corev1.ResourceList{}
	add := func(name corev1.ResourceName, from ...corev1.ResourceList) {
		for _, list := range from {
			if quantity, ok := list[name]; ok {
				total := sum[name]
				total.Add(quantity)
				sum[name] = total
				return
			}
		}
	}
	for i := range s.Template.Spec.PodTemplate.Spec.Containers {
		resources := &s.Template.Spec.PodTemplate.Spec.Containers[i].Resources
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
			add(name, resources.Requests, resources.Limits)
		}
	}
	for i := range s.Template.Spec.VolumeClaimTemplates {
		add(corev1.ResourceStorage, s.Template.Spec.VolumeClaimTemplates[i].Spec.Resources.Requests)
	}
	return sum
}

// Total is what so many members request.
func (p *Plan) Total(members int) corev1.ResourceList {
	all := corev1.ResourceList{}
	for name, quantity := range p.Member {
		total := quantity.DeepCopy()
		total.Mul(int64(members))
		all[name] = total
	}
	return all
}
