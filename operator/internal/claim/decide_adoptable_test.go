// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/owner"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func allowPolicies(s *extensionsv1beta1.SandboxTemplateSpec) {
	s.EnvVarsInjectionPolicy = extensionsv1beta1.EnvVarsInjectionPolicyAllowed
	s.VolumeClaimTemplatesPolicy = extensionsv1beta1.VolumeClaimTemplatesPolicyAllowed
}

var withPoliciesAllowed = withTemplateSpec(allowPolicies)

func withVolume(name string) builders.ClaimOption {
	return withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
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
		"a ready member":            {sandbox: newMember("p-a", newPool("p")), want: true},
		"one that is not ready yet": {sandbox: newMember("p-a", newPool("p"), notReady), want: true},
		"one of the other API version's pool": {
			sandbox: newMember("p-a", newPool("p"), withOwnerVersion("v1alpha1")), want: true,
		},
		"one without an address": {sandbox: newMember("p-a", newPool("p"), withoutIP)},
		"one that has finished":  {sandbox: newMember("p-a", newPool("p"), finished)},
		"one that is going":      {sandbox: newMember("p-a", newPool("p"), deleting)},
		"one that nobody owns": {
			sandbox: newMember("p-a", newPool("p"), func(s *agentsv1beta1.Sandbox) { s.OwnerReferences = nil }),
		},
		"one of another group's pool": {
			sandbox: newMember("p-a", newPool("p"), withOwnerVersion("example.com/v1")),
		},
		"one of an earlier pool of the name": {sandbox: newMember("p-a", newPool("p", builders.WithUID("before")))},
		"one of a pool that does not serve":  {sandbox: newMember("q-a", newPool("q"))},
		"one that another claim has":         {sandbox: newClaimed(newClaim("other"), newMember("p-a", newPool("p")))},
		"one without the pool's label": {
			sandbox: newMember(
				"p-a",
				newPool("p"),
				func(s *agentsv1beta1.Sandbox) { delete(s.Labels, apis.LabelWarmPoolSandbox) },
			),
		},
		"one of another template": {
			sandbox: newMember(
				"p-a",
				newPool("p"),
				func(s *agentsv1beta1.Sandbox) { s.Labels[apis.LabelSandboxTemplateRefHash] = naming.Hash("x") },
			),
		},
		"an older one, while the pool keeps them": {sandbox: newMember("p-a", newPool("p"), stale), want: true},
		"an older one under Recreate": {
			pool: newPool("p", recreate), sandbox: newMember("p-a", newPool("p"), stale),
		},
		"a fresh one under Recreate": {
			pool: newPool("p", recreate), sandbox: newMember("p-a", newPool("p")), want: true,
		},
		"by pool, one of the template before": {
			claim: newClaim("c", builders.FromPool("p")),
			want:  true,
			pool: newPool(
				"p",
				builders.WithPoolStatus(
					extensionsv1beta1.SandboxWarmPoolStatus{Selector: "by an operator that recorded no contents"},
				),
			),
			sandbox: newMember("p-a", newPool("p"), func(s *agentsv1beta1.Sandbox) {
				s.Labels[apis.LabelSandboxTemplateRefHash], s.Annotations[apis.AnnotationTemplateRef] = naming.Hash("x"), "x"
			}),
		},
		"by pool under Recreate, of the one before": {
			claim: newClaim("c", builders.FromPool("p")),
			pool:  newPool("p", recreate),
			sandbox: newMember(
				"p-a",
				newPool("p"),
				func(s *agentsv1beta1.Sandbox) { s.Labels[apis.LabelSandboxTemplateRefHash] = naming.Hash("x") },
			),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.claim == nil {
				tt.claim = newClaim("c")
			}
			if tt.pool == nil {
				tt.pool = newPool("p")
			}
			from, why := resolveSource(tt.claim, observed{template: newTemplate(), pools: sliceOf(tt.pool)})
			if why != nil {
				t.Fatal(why)
			}
			if got := from.mayAdopt(tt.sandbox); got != tt.want {
				t.Errorf("got %v", got)
			}
			w := newWorld(t, tt.claim, newTemplate(), tt.pool, tt.sandbox)
			lease, _, err := w.reconciler.leaseMember(t.Context(), from)
			if err != nil || (lease != nil) != tt.want {
				t.Errorf("leased %v, %v", lease, err)
			}
		})
	}
}

func withOwnerVersion(v string) sandboxOption {
	return func(s *agentsv1beta1.Sandbox) {
		if !strings.Contains(v, "/") {
			v = apis.GroupExtensions + "/" + v
		}
		s.OwnerReferences[0].APIVersion = v
	}
}

func TestTheQueuesWordIsCheckedAgainstTheCache(t *testing.T) {
	w := newWorld(
		t,
		newClaim("c"),
		newTemplate(),
		newPool("p"),
		newMember("p-a", newPool("p"), olderBy(2)),
		newMember("p-b", newPool("p"), olderBy(1)),
		newMember("p-c", newPool("p")),
	)
	w.deleteSandbox("p-a")
	w.updateSandbox("p-b", func(s *agentsv1beta1.Sandbox) { owner.SetController(s, newClaim("other")) })
	if _, err := w.reconcile("c"); err != nil {
		t.Fatal(err)
	}
	if got := w.claim("c").Status.SandboxStatus.Name; got != "p-c" {
		t.Errorf("got %s", got)
	}
}
