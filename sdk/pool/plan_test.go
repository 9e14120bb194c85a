// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// took returns a member that became ready that long after its creation.
func took(name string, d time.Duration) *agentsv1beta1.Sandbox {
	return member(name, ready, builders.CreatedAt(now.Add(-d)))
}

// came adds claims that were created that many seconds after noon.
func came(seconds ...int) func(*pool.Inventory) {
	return func(f *pool.Inventory) {
		for _, s := range seconds {
			f.Claims = append(f.Claims, builders.Claim("c", "python", builders.CreatedAt(now.Add(time.Duration(s)*time.Second))))
		}
	}
}

func TestAPoolIsAsLargeAsWhatComesWhileAMemberIsReplaced(t *testing.T) {
	tests := map[string]struct {
		inventory                    *pool.Inventory
		demand                       pool.Demand
		start                        time.Duration
		measured, seen, peak, needed int
	}{
		"the closest claims decide, and a fifth is kept for worse": {
			inventory: world(came(0, 60, 61, 62, 62, 63, 120)),
			demand:    pool.Demand{Start: 3 * time.Second}, start: 3 * time.Second, seen: 7, peak: 4, needed: 5,
		},
		"claims that come one by one need one, and one more": {
			inventory: world(came(0, 60, 120)),
			demand:    pool.Demand{Start: 5 * time.Second}, start: 5 * time.Second, seen: 3, peak: 1, needed: 2,
		},
		"nine of ten members say how long one takes": {
			inventory: world(func(f *pool.Inventory) {
				for i := range 9 {
					f.Sandboxes = append(f.Sandboxes, took("warm-aaaa"+string(rune('a'+i)), 2*time.Second))
				}
				f.Sandboxes = append(f.Sandboxes, took("warm-slow1", time.Minute), member("warm-never", notReady("no")))
				came(0)(f)
			}),
			start: 3 * time.Second, measured: 10, seen: 1, peak: 1, needed: 2,
		},
		"a burst that is expected is the size": {
			inventory: world(came(0)),
			demand:    pool.Demand{Burst: 50, Start: time.Second},
			start:     time.Second,
			seen:      1,
			peak:      1,
			needed:    50,
		},
		"a rate is provided for 99 times of 100": { // 4 while one is replaced, and 4.66 more
			inventory: world(nil), demand: pool.Demand{Rate: 2, Start: 2 * time.Second}, start: 2 * time.Second, needed: 9,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := pool.Summarize(warm(), tt.inventory)
			p, err := pool.PlanFor(&s, tt.inventory, tt.demand)
			if err != nil {
				t.Fatal(err)
			}
			if p.Start != tt.start || p.Measured != tt.measured || p.Seen != tt.seen || p.Peak != tt.peak ||
				p.Needed != tt.needed {
				t.Errorf("got %+v", p)
			}
		})
	}
}

func TestWhatNobodyKnowsIsAskedFor(t *testing.T) {
	for name, tt := range map[string]struct {
		inventory *pool.Inventory
		demand    pool.Demand
		says      string
	}{
		"how long a member takes": {inventory: world(came(0)), says: "give --start"},
		"what comes, where nothing has": {
			inventory: world(nil), demand: pool.Demand{Start: time.Second}, says: "give --rate or --burst",
		},
		"what comes, where it cannot be read": {
			inventory: world(func(f *pool.Inventory) { f.Claims = nil }), demand: pool.Demand{Start: time.Second},
			says: "may not list claims",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := pool.Summarize(warm(), tt.inventory)
			_, err := pool.PlanFor(&s, tt.inventory, tt.demand)
			if problem := (*pool.NotPlannable)(nil); !errors.As(err, &problem) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAsks(t *testing.T) {
	for name, tt := range map[string]struct {
		options []builders.ClaimOption
		want    bool
	}{
		"a claim of the template asks": {want: true},
		"a claim that leaves the pool open asks": {
			options: []builders.ClaimOption{builders.WithWarmPool(apis.WarmPoolDefault)}, want: true,
		},
		"a claim of the pool asks": {
			options: []builders.ClaimOption{builders.FromPool("warm")}, want: true,
		},
		"a claim of the template and the pool asks": {
			options: []builders.ClaimOption{builders.WithWarmPool("warm")}, want: true,
		},
		"a claim of another pool does not":       {options: []builders.ClaimOption{builders.FromPool("other")}},
		"a claim of another pool of it does not": {options: []builders.ClaimOption{builders.WithWarmPool("other")}},
		"a claim of no pool does not": {
			options: []builders.ClaimOption{builders.WithWarmPool(apis.WarmPoolNone)},
		},
		"a claim that brings a variable starts cold": {
			options: []builders.ClaimOption{builders.FromPool("warm"), builders.WithEnv("A", "b")},
		},
		"a claim of another template is not meant": {
			options: []builders.ClaimOption{builders.WithClaimSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
				s.TemplateRef.Name = "node"
			})},
		},
		"a claim that names nothing asks for nothing": {
			options: []builders.ClaimOption{builders.WithClaimSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
				s.TemplateRef = nil
			})},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := builders.Claim("dev", "python", tt.options...).Spec.AcceptsPool(warm()); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestAPlanSaysWhatItsMembersRequest(t *testing.T) {
	template := builders.Template("python", builders.WithTemplateSpec(func(s *extensionsv1beta1.SandboxTemplateSpec) {
		containers := &s.PodTemplate.Spec.Containers
		(*containers)[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}
		(*containers)[0].Resources.Limits = corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("64Mi"),
		}
		*containers = append(*containers, corev1.Container{Name: "side", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m")},
		}})
	}))
	inventory := world(func(f *pool.Inventory) { f.Templates = []*extensionsv1beta1.SandboxTemplate{template} })
	s := pool.Summarize(warm(), inventory)
	p, err := pool.PlanFor(&s, inventory, pool.Demand{Burst: 10, Start: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	total := p.Total(p.Needed)
	if cpu, memory := total[corev1.ResourceCPU], total[corev1.ResourceMemory]; cpu.String() != "1500m" ||
		memory.String() != "640Mi" {
		t.Errorf("%v", total)
	}
	if cpu := p.Member[corev1.ResourceCPU]; cpu.String() != "150m" {
		t.Errorf("the sum changed what one requests: %v", p.Member)
	}
}
