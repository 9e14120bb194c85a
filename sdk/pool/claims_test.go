// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestFrom(t *testing.T) {
	claim := builders.Claim("dev", "python", builders.WithUID("c"), builders.BoundTo("x"))
	held := func(name string, options ...builders.SandboxOption) *agentsv1beta1.Sandbox {
		return builders.Sandbox(name, append(options, builders.OwnedBy(claim))...)
	}
	cold, warm := builders.WithLabel(
		apis.LabelLaunchType,
		apis.LaunchTypeCold,
	), builders.WithLabel(
		apis.LabelLaunchType,
		apis.LaunchTypeWarm,
	)
	tests := map[string]struct {
		held *agentsv1beta1.Sandbox
		want string
	}{
		"a warm Sandbox is called after its pool":       {held: held("python-warm-x2x4z", warm), want: "python-warm"},
		"a cold one is called after its claim":          {held: held("dev", cold)},
		"a cold one may look like a pool's":             {held: held("a-b-x2x4z", cold)},
		"without a label the name decides":              {held: held("pool-x2x4z"), want: "pool"},
		"without a label the claim's name is its own":   {held: held("dev")},
		"a name without a suffix is nobody's":           {held: held("other", warm)},
		"a name whose suffix has no hyphen is nobody's": {held: held("pool.x2x4z", warm)},
		"what another holds is not the claim's": {
			held: builders.Sandbox("pool-x2x4z", warm, builders.OwnedByStranger()),
		},
		"no Sandbox comes from no pool": {},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := pool.SourcePool(claim, tt.held); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHandedOut(t *testing.T) {
	claim := builders.Claim("dev", "python", builders.WithUID("c"), builders.BoundTo("warm-aaaaa"))
	elsewhere := builders.Claim(
		"dev",
		"python",
		builders.WithUID("e"),
		builders.BoundTo("warm-aaaaa"),
		builders.InNamespace("elsewhere"),
	)
	f := world(
		sandboxes(
			builders.Sandbox(
				"warm-aaaaa",
				builders.OwnedBy(claim),
				builders.WithLabel(apis.LabelLaunchType, apis.LaunchTypeWarm),
			),
		),
	)
	f.Claims = []*extensionsv1beta1.SandboxClaim{
		claim,
		elsewhere,
		builders.Claim("other", "python", builders.BoundTo("gone")),
	}
	if s := pool.Summarize(
		warm(),
		f,
	); s.Claimed != 1 || len(s.Claims) != 1 || s.Claims[0].UID != "c" ||
		len(s.Members) != 0 {
		t.Errorf("claimed %d, members %d", s.Claimed, len(s.Members))
	}
}

func TestHit(t *testing.T) {
	claim := func(first time.Duration) *extensionsv1beta1.SandboxClaim {
		c := builders.Claim("dev", "python", builders.WithUID("c"), builders.BoundTo("warm-aaaaa"), builders.CreatedAt(now))
		if first > 0 {
			at := metav1.NewMicroTime(now.Add(first))
			c.Status.FirstReadyTime = &at
		}
		return c
	}
	held := func(status bool, since time.Duration) *agentsv1beta1.Sandbox {
		return builders.Sandbox(
			"warm-aaaaa",
			builders.OwnedBy(claim(0)),
			builders.WithLabel(apis.LabelLaunchType, apis.LaunchTypeWarm),
			builders.WithCondition(apis.ConditionReady, status, apis.ReasonDependenciesReady, "", now.Add(since)),
		)
	}
	tests := map[string]struct {
		claim *extensionsv1beta1.SandboxClaim
		held  *agentsv1beta1.Sandbox
		want  bool
	}{
		"a member that was Ready is a hit": {claim(30 * time.Millisecond), held(true, -time.Minute), true},
		"in the same second too":           {claim(30 * time.Millisecond), held(true, 0), true},
		"one that became Ready in its hands is none": {
			claim(8500 * time.Millisecond), held(true, 8*time.Second), false,
		},
		"soon as well": {claim(1500 * time.Millisecond), held(true, time.Second), false},
		"one that is not Ready and never was is none":      {claim(0), held(false, -time.Minute), false},
		"one that was suspended since was a hit":           {claim(30 * time.Millisecond), held(false, time.Hour), true},
		"one that was resumed since was a hit":             {claim(30 * time.Millisecond), held(true, time.Hour), true},
		"one that was late and was suspended since is not": {claim(time.Minute), held(false, time.Hour), false},
		"what no pool had is none": {
			claim(30 * time.Millisecond), builders.Sandbox("dev", builders.OwnedBy(claim(0))), false,
		},
	}
	for name, tt := range tests {
		if got := pool.ServedWarm(tt.claim, tt.held); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
