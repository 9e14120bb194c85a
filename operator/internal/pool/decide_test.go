// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandboxspec"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func member(name string, age time.Duration, options ...func(*agentsv1beta1.Sandbox)) *agentsv1beta1.Sandbox {
	s := newMember(poolOfThree(), python(), sandboxspec.BlueprintHash(python()), name)
	s.UID = types.UID(name)
	builders.CreatedAt(testNow.Add(-age))(s)
	for _, option := range options {
		option(s)
	}
	return s
}

func markReady(s *agentsv1beta1.Sandbox) {
	s.Status.Conditions = append(s.Status.Conditions,
		apis.NewCondition(nil, apis.ConditionReady, true, apis.ReasonDependenciesReady, "", 1, s.CreationTimestamp))
}

func terminating(s *agentsv1beta1.Sandbox) { builders.DeletedAt(testNow)(s) }

func TestDecide(t *testing.T) {
	all := func(members ...*agentsv1beta1.Sandbox) []*agentsv1beta1.Sandbox { return members }
	old, young := member("old", 2*time.Minute, markReady), member("young", time.Minute, markReady)
	starting := member("starting", 3*time.Minute)
	tests := map[string]struct {
		replicas int32
		seen     observed
		options  func(*Options)
		remove   []string
		create   int
		again    time.Duration
	}{
		"what is missing is made": {replicas: 3, seen: observed{members: all(old)}, create: 2},
		"one that is going takes up room until it is gone": {
			replicas: 2, seen: observed{members: all(old, member("x", time.Minute, markReady, terminating))},
		},
		"one that was deleted takes up room while the cache shows it": {
			replicas: 2, seen: observed{members: all(old, young),
				pending: pendingWrites{deletions: map[types.UID]time.Time{"young": testNow}}},
		},
		"one that nobody has seen yet takes up room": {
			replicas: 2, seen: observed{members: all(old),
				pending: pendingWrites{creations: map[string]pendingCreation{"new": {since: testNow}}}}, again: waits.CacheLag,
		},
		"not Ready goes before Ready": {
			replicas: 2, seen: observed{members: all(old, starting, young)}, remove: []string{"starting"},
			again: 2 * time.Minute,
		},
		"then the newest goes": {replicas: 1, seen: observed{members: all(old, young)}, remove: []string{"young"}},
		"a deletion is not repeated": {replicas: 1,
			seen: observed{members: all(old, young),
				pending: pendingWrites{deletions: map[types.UID]time.Time{"young": testNow}}}},
		"a batch is bounded, and the rest follows": {
			replicas: 1000, seen: observed{}, create: 300, again: waits.NextBatch,
		},
		"a rate bounds what is made": {
			replicas: 9, seen: observed{bucket: tokenBucket{tokens: 2.5, at: testNow}},
			options: func(o *Options) { o.RefillRate = 1 },
			create:  2, again: 500 * time.Millisecond,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			options := testOptions
			if tt.options != nil {
				tt.options(&options)
			}
			template := python()
			tt.seen.template, tt.seen.blueprintHash = template, sandboxspec.BlueprintHash(template)
			p := decide(testNow, poolOfThree(builders.WithReplicas(tt.replicas)), tt.seen, options)
			var removed []string
			for _, s := range p.remove {
				removed = append(removed, s.Name)
			}
			if !slices.Equal(removed, tt.remove) || p.create != tt.create || p.requeueAfter != tt.again {
				t.Errorf("remove %v, create %d, again in %s; want %v, %d, %s", removed, p.create, p.requeueAfter, tt.remove,
					tt.create, tt.again)
			}
		})
	}
}

func TestPaceNeverOverflows(t *testing.T) {
	for _, rate := range []float64{math.SmallestNonzeroFloat64, 1e-9, 0.3, 1, 1e9, math.MaxFloat64} {
		c := newTokenBucket(rate, testNow)
		for _, wanted := range []int{0, 1, 300, math.MaxInt32, math.MaxInt} {
			now, next := c.allow(wanted, rate)
			if now < 0 || now > wanted || next < 0 || next > time.Hour || (now < wanted && next == 0) {
				t.Errorf("rate %v, wanted %d: %d now, the next in %s", rate, wanted, now, next)
			}
			c = c.withdraw(now).refilled(rate, c.at.Add(100*365*24*time.Hour))
		}
	}
}

func TestOptions(t *testing.T) {
	for name, spoil := range map[string]func(*Options){
		"max-batch-size":         func(o *Options) { o.MaxBatch = 0 },
		"readiness-grace-period": func(o *Options) { o.ReadinessGracePeriod = 0 },
		"unschedulable-recheck":  func(o *Options) { o.UnschedulableRecheck = -1 },
		"refill-rate":            func(o *Options) { o.RefillRate = math.NaN() },
	} {
		options := testOptions
		spoil(&options)
		var wrong []string
		options.Validate(func(setting, _ string, _ ...any) { wrong = append(wrong, setting) })
		if !slices.Equal(wrong, []string{name}) {
			t.Errorf("%s: wrong are %v", name, wrong)
		}
	}
}

func TestSlowStart(t *testing.T) {
	calls := func(count, failing int) int {
		var mu sync.Mutex
		called := map[int]bool{}
		slowStartBatch(context.Background(), count, maxParallelism, func(i int) error {
			mu.Lock()
			defer mu.Unlock()
			called[i] = true
			if i == failing {
				return errors.New("no")
			}
			return nil
		})
		return len(called)
	}
	for name, tt := range map[string]struct{ count, failing, want int }{
		"none are none":                     {0, -1, 0},
		"all are called, whatever the size": {300, -1, 300},
		"the first refusal is heard once":   {300, 0, 1},
		"a later one ends its round":        {300, 4, 7},
	} {
		if got := calls(tt.count, tt.failing); got != tt.want {
			t.Errorf("%s: %d calls, want %d", name, got, tt.want)
		}
	}
}
