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

// Demand is what a pool must serve. Without a rate and a burst, the existing claims are the demand.
type Demand struct {
	// Rate is the average number of claims per second, which arrive at random times.
	Rate float64
	// Burst is how many claims arrive at once, beyond the rate.
	Burst int
	// Start is how long a new member takes to become ready; zero means as long as the pool's Sandboxes took.
	Start time.Duration
}

// Plan says how many members a pool needs so that claims do not start cold.
type Plan struct {
	Pool     string `json:"pool"`
	Template string `json:"template"`
	Desired  int    `json:"desired"`
	// Start is how long a member takes to become ready: 90 % of the Measured ones took no longer. Measured is 0 if the
	// time was given.
	Start    time.Duration `json:"startNanoseconds"`
	Measured int           `json:"measured"`
	// Seen is the number of existing claims that wanted a member, the first of them at Since; Peak of them arrived
	// within Start.
	Seen  int        `json:"seenClaims"`
	Peak  int        `json:"peakClaims"`
	Since *time.Time `json:"since,omitempty"`
	// Given reports that Needed follows from a given rate or burst, and not from existing claims.
	Given  bool `json:"given"`
	Needed int  `json:"needed"`
	// Member is what one member requests; empty if the template is unknown.
	Member corev1.ResourceList `json:"member,omitempty"`
}

// NotPlannable is the error if no plan can be made. It says what would help.
type NotPlannable struct{ Why string }

// Error implements error.
func (e *NotPlannable) Error() string { return e.Why }

// peakReserve is added to the observed peak: the next one may be higher.
const peakReserve = 0.2

// standardDeviations is how far above its mean the number of claims is provided for: it is lower in 99 of 100 cases.
const standardDeviations = 2.33

// PlanFor returns how many members the pool needs: as many as claims arrive while a used member is replaced. Its error
// is a *NotPlannable.
func PlanFor(s *Summary, f *Inventory, d Demand) (*Plan, error) {
	p := &Plan{
		Pool: s.Pool.Name, Template: s.Pool.Spec.TemplateRef.Name, Desired: s.Desired, Start: d.Start, Given: d.Rate > 0 ||
			d.Burst > 0, Member: s.requests(),
	}
	if p.Start == 0 {
		if p.Start, p.Measured = s.startupTime(f); p.Measured == 0 {
			return nil, &NotPlannable{
				Why: fmt.Sprintf(
					"no sandbox of pool %s has been ready yet, so nobody knows how long one takes: give --start", p.Pool,
				),
			}
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
		return nil, &NotPlannable{
			Why: fmt.Sprintf("no claim that asks for pool %s is left to learn from: give --rate or --burst", p.Pool),
		}
	default:
		p.Needed = p.Peak + int(math.Ceil(float64(p.Peak)*peakReserve))
	}
	return p, nil
}

// startupTime returns how long 90 % of the pool's Sandboxes took to become ready, claimed ones included. The timestamps
// are whole seconds, so the result is rounded up.
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
			if sandbox := f.Sandboxes[i]; sandbox.Namespace == claim.Namespace &&
				sandbox.Name == claim.Status.SandboxStatus.Name {
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

// countDemand counts the claims that wanted a member, and the most that arrived within the time of a replacement.
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

// requests returns what one member requests: for each container its requests, or else its limits, as the API server
// defaults them; and the sizes of its volumes.
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
		for _, name := range []corev1.ResourceName{
			corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage,
		} {
			add(name, resources.Requests, resources.Limits)
		}
	}
	for i := range s.Template.Spec.VolumeClaimTemplates {
		add(corev1.ResourceStorage, s.Template.Spec.VolumeClaimTemplates[i].Spec.Resources.Requests)
	}
	return sum
}

// Total returns what that many members request.
func (p *Plan) Total(members int) corev1.ResourceList {
	all := corev1.ResourceList{}
	for name, quantity := range p.Member {
		total := quantity.DeepCopy()
		total.Mul(int64(members))
		all[name] = total
	}
	return all
}
