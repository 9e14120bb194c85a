// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// tell is a step in words.
func tell(s step) string {
	switch s := s.(type) {
	case keep:
		text := "keep " + s.sandbox.Name
		if s.want != nil {
			text += ", repair"
		}
		if len(s.surplus) > 0 {
			text += fmt.Sprintf(", %d too many", len(s.surplus))
		}
		if s.problem != nil {
			text += ", " + s.problem.Error()
		}
		return text
	case replace:
		return "replace " + s.sandbox.Name
	case resume:
		return "resume " + s.member.Name
	case forget:
		return "forget " + s.name
	case draw:
		return "draw from " + pools(s.from) + ", else " + tell(s.cold)
	case create:
		return "create " + s.sandbox.Name
	case reject:
		return "reject " + string(s.why.reason)
	case end:
		return fmt.Sprintf("end %s %d", s.policy, len(s.sandboxes))
	}
	return "?"
}

func pools(from *source) string {
	var names []string
	for _, p := range from.pools {
		names = append(names, p.Name)
	}
	return strings.Join(names, "+")
}

func list[T any](all ...T) []T { return all }

func TestNextStep(t *testing.T) {
	held := func(name string, with ...change) *agentsv1beta1.Sandbox {
		return heldBy(claimOf("c"), member(name, pool("p")), with...)
	}
	both := list(pool("p"), pool("q"))
	foreign := heldBy(claimOf("other"), member("x", pool("p")))
	inOurWay := builders.Sandbox("c", builders.OwnedByStranger())
	tests := map[string]struct {
		claim *extensionsv1beta1.SandboxClaim
		seen  observed
		want  string
	}{
		"a Sandbox we own is kept, however many warm ones there are": {
			seen: observed{owned: list(held("p-a")), template: template(), pools: both}, want: "keep p-a",
		},
		"one that the cache has not shown as ours yet is kept too": {
			claim: claimOf("c", noted("p-a")), seen: observed{recorded: held("p-a"), template: template()}, want: "keep p-a",
		},
		"it is kept when its template is gone": {seen: observed{owned: list(held("p-a"))}, want: "keep p-a"},
		"of two the one that the status names is kept": {
			claim: claimOf("c", builders.BoundTo("p-b"), noted("p-a")), seen: observed{owned: list(held("p-a", older(1)), held("p-b"))},
			want: "keep p-b, 1 too many",
		},
		"labels that somebody took away are put back": {
			seen: observed{owned: list(held("p-a", func(s *agentsv1beta1.Sandbox) { delete(s.Labels, apis.LabelClaimUID) }))}, want: "keep p-a, repair",
		},
		"a Sandbox on its way out is waited for": {
			seen: observed{owned: list(held("p-a", deleting)), template: template(), pools: both}, want: "replace p-a",
		},
		"an adoption that was recorded goes on": {
			claim: claimOf("c", noted("p-a")), seen: observed{recorded: member("p-a", pool("p")), template: template(), pools: both}, want: "resume p-a",
		},
		"a record of somebody else's Sandbox is dropped": {
			claim: claimOf("c", noted("x")), seen: observed{recorded: foreign, template: template(), pools: both}, want: "forget x",
		},
		"a record of a member that nobody may have any more is dropped": {
			claim: claimOf("c", noted("p-a")), seen: observed{recorded: member("p-a", pool("p"), withoutIP), template: template(), pools: both},
			want: "forget p-a",
		},
		"a record of a member of a pool that the claim may not use is dropped": {
			claim: claimOf("c", noted("z-a")), seen: observed{recorded: member("z-a", pool("z")), template: template(), pools: both}, want: "forget z-a",
		},
		"another's Sandbox in a status without a record hinders nothing": {
			claim: claimOf("c", builders.BoundTo("p-x", "10.6.6.6")),
			seen:  observed{recorded: heldBy(claimOf("other"), member("p-x", pool("p"))), template: template(), pools: both},
			want:  "draw from p+q, else create c",
		},
		"a record of what is gone hinders nothing": {
			claim: claimOf("c", noted("p-a")), seen: observed{template: template(), pools: both}, want: "draw from p+q, else create c",
		},
		"a Sandbox whose volumes wait for the claim is made anew, whatever pools there are": {
			claim: claimOf("c", noted("p-a")), seen: observed{kept: "p-a", template: template(), pools: both}, want: "create p-a",
		},
		"one under the claim's name does not hinder it": {
			claim: claimOf("c"), seen: observed{kept: "p-a", named: inOurWay, template: template()}, want: "create p-a",
		},
		"its template must be there": {claim: claimOf("c", noted("p-a")), seen: observed{kept: "p-a", pools: both}, want: "reject TemplateNotFound"},
		"a recorded creation is tried again, and nothing else": {
			claim: claimOf("c", noted("c")), seen: observed{template: template(), pools: both}, want: "create c",
		},
		"without pools it starts cold":    {seen: observed{template: template()}, want: "create c"},
		"a pool that goes serves nobody":  {seen: observed{template: template(), pools: list(pool("p", builders.DeletedAt(testNow)))}, want: "create c"},
		"warmpool none starts cold":       {claim: claimOf("c", builders.WithWarmPool(apis.WarmPoolNone)), seen: observed{template: template()}, want: "create c"},
		"default draws from every pool":   {seen: observed{template: template(), pools: both}, want: "draw from p+q, else create c"},
		"a named pool is drawn from":      {claim: claimOf("c", builders.WithWarmPool("q")), seen: observed{template: template(), pools: list(pool("q"))}, want: "draw from q, else create c"},
		"a pool by reference too":         {claim: claimOf("c", builders.FromPool("q")), seen: observed{template: template(), pools: list(pool("q"))}, want: "draw from q, else create c"},
		"a named pool that is not there":  {claim: claimOf("c", builders.WithWarmPool("q")), seen: observed{template: template()}, want: "reject WarmPoolNotFound"},
		"a reference to no pool":          {claim: claimOf("c", builders.FromPool("q")), want: "reject WarmPoolNotFound"},
		"a pool whose template is gone":   {claim: claimOf("c", builders.FromPool("q")), seen: observed{pools: list(pool("q"))}, want: "reject TemplateNotFound"},
		"a template that is not there":    {seen: observed{pools: both}, want: "reject TemplateNotFound"},
		"a pool of another template":      {claim: claimOf("c", builders.WithWarmPool("q")), seen: observed{template: template(), pools: list(builders.Pool("q", "other"))}, want: "reject WarmPoolNotFound"},
		"a Sandbox in the way":            {seen: observed{named: inOurWay, template: template()}, want: "reject ReconcilerError"},
		"with a pool it is in nobody's":   {seen: observed{named: inOurWay, template: template(), pools: both}, want: "draw from p+q, else reject ReconcilerError"},
		"the Sandbox of an earlier claim": {seen: observed{named: heldBy(claimOf("c", builders.WithUID("before")), member("c", pool("p"))), template: template()}, want: "reject SandboxMissing"},
		"variables with a warm pool":      {claim: claimOf("c", builders.WithEnv("A", "1")), seen: observed{template: template(allowing)}, want: "reject EnvVarsInjectionRejected"},
		"variables by a pool start cold":  {claim: claimOf("c", builders.FromPool("p"), builders.WithEnv("A", "1")), seen: observed{template: template(allowing), pools: list(pool("p"))}, want: "create c"},
		"volumes by a pool start cold":    {claim: claimOf("c", builders.FromPool("p"), withVolume("x")), seen: observed{template: template(allowing), pools: list(pool("p"))}, want: "create c"},
		"a claim that is over has no say": {claim: claimOf("c", over(extensionsv1beta1.ShutdownPolicyRetain)), seen: observed{template: template(), pools: both}, want: "end Retain 0"},
		"no policy means Retain":          {claim: claimOf("c", over("")), seen: observed{owned: list(held("p-a"))}, want: "end Retain 1"},
		"a Sandbox that has finished counts before the status says so": {
			claim: claimOf("c", builders.WithTTL(0, extensionsv1beta1.ShutdownPolicyDelete)), seen: observed{owned: list(held("p-a", finished))}, want: "end Delete 1",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.claim == nil {
				tt.claim = claimOf("c")
			}
			before := tt.claim.DeepCopy()
			if got := tell(nextStep(testNow, tt.claim, tt.seen)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if !equality.Semantic.DeepEqual(before, tt.claim) {
				t.Error("the decision changed the claim")
			}
		})
	}
}

func allowingPolicy(s *extensionsv1beta1.SandboxTemplateSpec) {
	s.EnvVarsInjectionPolicy = extensionsv1beta1.EnvVarsInjectionPolicyAllowed
	s.VolumeClaimTemplatesPolicy = extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed
}

var allowing = templateSpec(allowingPolicy)

func withVolume(name string) builders.ClaimOption {
	return spec(func(s *extensionsv1beta1.SandboxClaimSpec) {
		s.VolumeClaimTemplates = append(s.VolumeClaimTemplates, builders.VolumeTemplate(name, "1Gi"))
	})
}

func TestWhoMayBeTaken(t *testing.T) {
	recreate := builders.WithUpdateStrategy(extensionsv1beta1.RecreateSandboxWarmPoolUpdateStrategyType)
	stale := func(s *agentsv1beta1.Sandbox) { s.Labels[apis.LabelSandboxPodTemplateHash] = "older" }
	tests := map[string]struct {
		claim   *extensionsv1beta1.SandboxClaim
		pool    *extensionsv1beta1.SandboxWarmPool
		sandbox *agentsv1beta1.Sandbox
		want    bool
	}{
		"a ready member":                          {sandbox: member("p-a", pool("p")), want: true},
		"one that is not ready yet":               {sandbox: member("p-a", pool("p"), notReady), want: true},
		"one of the other API version's pool":     {sandbox: member("p-a", pool("p"), version("v1alpha1")), want: true},
		"one without an address":                  {sandbox: member("p-a", pool("p"), withoutIP)},
		"one that has finished":                   {sandbox: member("p-a", pool("p"), finished)},
		"one that is going":                       {sandbox: member("p-a", pool("p"), deleting)},
		"one that nobody owns":                    {sandbox: member("p-a", pool("p"), func(s *agentsv1beta1.Sandbox) { s.OwnerReferences = nil })},
		"one of another group's pool":             {sandbox: member("p-a", pool("p"), version("example.com/v1"))},
		"one of an earlier pool of the name":      {sandbox: member("p-a", pool("p", builders.WithUID("before")))},
		"one of a pool that does not serve":       {sandbox: member("q-a", pool("q"))},
		"one that another claim has":              {sandbox: heldBy(claimOf("other"), member("p-a", pool("p")))},
		"one without the pool's label":            {sandbox: member("p-a", pool("p"), func(s *agentsv1beta1.Sandbox) { delete(s.Labels, apis.LabelWarmPoolSandbox) })},
		"one of another template":                 {sandbox: member("p-a", pool("p"), func(s *agentsv1beta1.Sandbox) { s.Labels[apis.LabelSandboxTemplateRefHash] = naming.Hash("x") })},
		"an older one, while the pool keeps them": {sandbox: member("p-a", pool("p"), stale), want: true},
		"an older one under Recreate":             {pool: pool("p", recreate), sandbox: member("p-a", pool("p"), stale)},
		"a fresh one under Recreate":              {pool: pool("p", recreate), sandbox: member("p-a", pool("p")), want: true},
		"by pool, one of the template before": {
			claim: claimOf("c", builders.FromPool("p")), want: true,
			pool: pool("p", builders.WithPoolStatus(extensionsv1beta1.SandboxWarmPoolStatus{Selector: "by an operator that recorded no contents"})),
			sandbox: member("p-a", pool("p"), func(s *agentsv1beta1.Sandbox) {
				s.Labels[apis.LabelSandboxTemplateRefHash], s.Annotations[apis.AnnotationTemplateRef] = naming.Hash("x"), "x"
			}),
		},
		"by pool under Recreate, of the one before": {claim: claimOf("c", builders.FromPool("p")), pool: pool("p", recreate), sandbox: member("p-a", pool("p"), func(s *agentsv1beta1.Sandbox) { s.Labels[apis.LabelSandboxTemplateRefHash] = naming.Hash("x") })},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.claim == nil {
				tt.claim = claimOf("c")
			}
			if tt.pool == nil {
				tt.pool = pool("p")
			}
			from, why := sourceOf(tt.claim, observed{template: template(), pools: list(tt.pool)})
			if why != nil {
				t.Fatal(why)
			}
			if got := from.mayTake(tt.sandbox); got != tt.want {
				t.Errorf("got %v", got)
			}
			w := newWorld(t, tt.claim, template(), tt.pool, tt.sandbox)
			lease, _, err := w.reconciler.lease(t.Context(), from)
			if err != nil || (lease != nil) != tt.want {
				t.Errorf("leased %v, %v", lease, err)
			}
		})
	}
}

func version(v string) change {
	return func(s *agentsv1beta1.Sandbox) {
		if !strings.Contains(v, "/") {
			v = apis.GroupExtensions + "/" + v
		}
		s.OwnerReferences[0].APIVersion = v
	}
}

func TestTheQueuesWordIsCheckedAgainstTheCache(t *testing.T) {
	w := newWorld(t, claimOf("c"), template(), pool("p"), member("p-a", pool("p"), older(2)), member("p-b", pool("p"), older(1)), member("p-c", pool("p")))
	w.remove("p-a")
	w.change("p-b", func(s *agentsv1beta1.Sandbox) { own(s, claimOf("other")) })
	if _, err := w.pass("c"); err != nil {
		t.Fatal(err)
	}
	if got := w.claim("c").Status.SandboxStatus.Name; got != "p-c" {
		t.Errorf("got %s", got)
	}
}

func TestDeadlines(t *testing.T) {
	soon, later := testNow.Add(time.Minute), testNow.Add(time.Hour)
	done := heldBy(claimOf("c"), member("p-a", pool("p")), finished)
	tests := map[string]struct {
		lifecycle *extensionsv1beta1.Lifecycle
		sandbox   *agentsv1beta1.Sandbox
		want      time.Time
	}{
		"no lifecycle: never":                {want: time.Time{}},
		"the shutdown time":                  {lifecycle: &extensionsv1beta1.Lifecycle{ShutdownTime: new(metav1.NewTime(soon))}, want: soon},
		"a time to live counts from the end": {lifecycle: &extensionsv1beta1.Lifecycle{TTLSecondsAfterFinished: new(int32(60))}, sandbox: done, want: soon},
		"and not before it":                  {lifecycle: &extensionsv1beta1.Lifecycle{TTLSecondsAfterFinished: new(int32(60))}, sandbox: member("p-a", pool("p"))},
		"the earlier of both":                {lifecycle: &extensionsv1beta1.Lifecycle{ShutdownTime: new(metav1.NewTime(later)), TTLSecondsAfterFinished: new(int32(60))}, sandbox: done, want: soon},
		"the earlier of both, the other way": {lifecycle: &extensionsv1beta1.Lifecycle{ShutdownTime: new(metav1.NewTime(soon)), TTLSecondsAfterFinished: new(int32(3600))}, sandbox: done, want: soon},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			claim := claimOf("c", spec(func(s *extensionsv1beta1.SandboxClaimSpec) { s.Lifecycle = tt.lifecycle }))
			if got := deadlineOf(claim, tt.sandbox); !got.At().Equal(tt.want) {
				t.Errorf("got %v", got.At())
			}
		})
	}
}
