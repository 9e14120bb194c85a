// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/apis/podreason"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

var ready = builders.WithCondition(apis.ConditionReady, true, apis.ReasonDependenciesReady, "Pod is Ready", now)

const badImage = `Pod exists with phase: Pending: container main: ImagePullBackOff: cannot pull image "a:b": not found`

func notReady(message string) builders.Condition {
	return builders.WithCondition(apis.ConditionReady, false, apis.ReasonDependenciesNotReady, message, now)
}

// warm returns the pool "warm" of the template "python".
func warm(options ...builders.PoolOption) *extensionsv1beta1.SandboxWarmPool {
	return builders.Pool(
		"warm", "python",
		append([]builders.PoolOption{builders.WithUID("p"), builders.WithReplicas(2)}, options...)...)
}

func member(name string, options ...builders.SandboxOption) *agentsv1beta1.Sandbox {
	all := append(
		[]builders.SandboxOption{
			builders.OwnedBy(warm()), builders.WithLabel(apis.LabelSandboxTemplateRefHash, naming.Hash("python")),
		},
		options...)
	return builders.Sandbox(name, all...)
}

// world returns an inventory with the template and what the change adds.
func world(change func(*pool.Inventory)) *pool.Inventory {
	f := &pool.Inventory{
		Now: now, Templates: []*extensionsv1beta1.SandboxTemplate{builders.Template("python")},
		Sandboxes: []*agentsv1beta1.Sandbox{}, Claims: []*extensionsv1beta1.SandboxClaim{},
	}
	if change != nil {
		change(f)
	}
	return f
}

func sandboxes(all ...*agentsv1beta1.Sandbox) func(*pool.Inventory) {
	return func(f *pool.Inventory) { f.Sandboxes = append(f.Sandboxes, all...) }
}

func TestSummarize(t *testing.T) {
	const unknown = pool.Unknown
	other := builders.Pool("other", "python", builders.WithUID("o"))
	tests := map[string]struct {
		pool                           *extensionsv1beta1.SandboxWarmPool
		inventory                      *pool.Inventory
		desired, ready, claimed, stale int
		short                          string // part of it; empty means none
		cause                          podreason.Cause
		broken                         bool
	}{
		"a full pool is short of nothing": {
			inventory: world(sandboxes(member("warm-aaaaa", ready), member("warm-bbbbb", ready))),
			desired:   2, ready: 2,
		},
		"a pool that does not say wants one": {
			pool:      builders.Pool("warm", "python", builders.WithUID("p")),
			inventory: world(sandboxes(member("warm-aaaaa", ready))), desired: 1, ready: 1,
		},
		"what most members lack is why it is short": {
			inventory: world(
				sandboxes(
					member("warm-aaaaa", notReady("Insufficient cpu")), member("warm-bbbbb", notReady("no image")),
					member("warm-ccccc", notReady("Insufficient cpu")),
				),
			),
			pool:    warm(builders.WithReplicas(3)),
			desired: 3,
			short:   "3 not ready: Insufficient cpu",
		},
		"a member without conditions has not been seen": {
			inventory: world(sandboxes(member("warm-aaaaa", ready), member("warm-bbbbb"))),
			desired:   2,
			ready:     1,
			short:     "1 not ready: the operator has not seen it yet",
		},
		"members of others do not count": {
			inventory: world(
				sandboxes(builders.Sandbox("other-aaaaa", builders.OwnedBy(other), ready), builders.Sandbox("own", ready)),
			),
			desired: 2,
			short:   "2 not made yet",
		},
		"members of a pool of that name elsewhere do not count": {
			inventory: world(sandboxes(member("warm-aaaaa", ready, builders.InNamespace("elsewhere")))),
			desired:   2,
			short:     "2 not made yet",
		},
		"a change that was not seen yet is named": {
			pool: warm(builders.WithGeneration(2)), inventory: world(nil), desired: 2, short: "has not seen the latest change",
		},
		"a template that is missing is named": {
			inventory: world(func(f *pool.Inventory) { f.Templates = []*extensionsv1beta1.SandboxTemplate{} }),
			desired:   2,
			stale:     unknown,
			short:     "template python does not exist",
			cause:     "TemplateNotFound",
			broken:    true,
		},
		"a full pool whose template is gone is not well": {
			inventory: world(func(f *pool.Inventory) {
				f.Templates = []*extensionsv1beta1.SandboxTemplate{}
				sandboxes(member("warm-aaaaa", ready), member("warm-bbbbb", ready))(f)
			}),
			desired: 2,
			ready:   2,
			stale:   unknown,
			short:   "template python does not exist: what is claimed is not replaced",
			cause:   "TemplateNotFound",
			broken:  true,
		},
		"an image that cannot be pulled is the template's": {
			inventory: world(sandboxes(member("warm-aaaaa", notReady(badImage)), member("warm-bbbbb", notReady(badImage)))),
			desired:   2,
			short:     `template python: cannot pull image "a:b": not found (2 not ready)`,
			cause:     "ImagePull",
			broken:    true,
		},
		"a container that crashes is the template's": {
			inventory: world(
				sandboxes(
					member(
						"warm-aaaaa",
						notReady("Pod is Running but not Ready: container main: CrashLoopBackOff: exited with code 1 (Error)"),
					),
				),
			),
			desired: 2,
			short:   "template python: container main: CrashLoopBackOff: exited with code 1 (Error) (1 not ready)",
			cause:   "CrashLoop",
			broken:  true,
		},
		"what a changed template has mended is told apart": {
			inventory: world(sandboxes(member("warm-aaaaa", notReady(badImage), builders.WithImage("old")))),
			desired:   2, stale: 1, short: "an earlier template python: cannot pull image", cause: "ImagePull", broken: true,
		},
		"members that no node takes want a node": {
			inventory: world(
				sandboxes(member("warm-aaaaa", notReady("Pod exists with phase: Pending: Unschedulable: 0/1 nodes"))),
			),
			desired: 2,
			short:   "1 not ready: Unschedulable: 0/1 nodes",
			cause:   "Unschedulable",
		},
		"templates that may not be read are not missing": {
			inventory: world(func(f *pool.Inventory) { f.Templates = nil }), desired: 2, stale: unknown, short: "2 not made yet",
		},
		"without Sandboxes the pool's own word counts": {
			pool:      warm(builders.WithPoolStatus(extensionsv1beta1.SandboxWarmPoolStatus{ReadyReplicas: 1})),
			inventory: world(func(f *pool.Inventory) { f.Sandboxes = nil }),
			desired:   2, ready: 1, claimed: unknown, stale: unknown, short: "you may not list Sandboxes",
		},
		"without claims nobody knows how many are claimed": {
			inventory: world(func(f *pool.Inventory) {
				f.Claims = nil
				sandboxes(member("warm-aaaaa", ready), member("warm-bbbbb", ready))(f)
			}),
			desired: 2, ready: 2, claimed: unknown,
		},
		"a pool that goes says so": {
			pool: warm(builders.DeletedAt(now)), inventory: world(nil), desired: 2, short: "it is being deleted",
		},
		"a pool of none wants nothing": {pool: warm(builders.WithReplicas(0)), inventory: world(nil)},
		"what was built from an earlier template is stale": {
			inventory: world(sandboxes(member("warm-aaaaa", ready, builders.WithImage("old")), member("warm-bbbbb", ready))),
			desired:   2,
			ready:     2,
			stale:     1,
		},
		"what was built from another template is stale": {
			inventory: world(
				sandboxes(
					member("warm-aaaaa", ready, builders.WithLabel(apis.LabelSandboxTemplateRefHash, naming.Hash("node"))),
					member("warm-bbbbb", ready),
				),
			),
			desired: 2,
			ready:   2,
			stale:   1,
		},
		"what the operator secures is not stale": {
			inventory: world(sandboxes(member("warm-aaaaa", ready, builders.WithPodSpec(func(s *corev1.PodSpec) {
				s.AutomountServiceAccountToken, s.DNSPolicy, s.DNSConfig = new(false), corev1.DNSNone, &corev1.PodDNSConfig{
					Nameservers: []string{"1.1.1.1"},
				}
			})), member("warm-bbbbb", ready))), desired: 2, ready: 2,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.pool == nil {
				tt.pool = warm()
			}
			s := pool.Summarize(tt.pool, tt.inventory)
			if s.Desired != tt.desired || s.Ready != tt.ready || s.Claimed != tt.claimed || s.Stale != tt.stale {
				t.Errorf("desired %d, ready %d, claimed %d, stale %d", s.Desired, s.Ready, s.Claimed, s.Stale)
			}
			if !strings.Contains(s.Shortage, tt.short) || (tt.short == "") != (s.Shortage == "") {
				t.Errorf("short %q, want %q", s.Shortage, tt.short)
			}
			if s.Cause != tt.cause || s.Broken() != tt.broken || s.TemplateChanged != strings.Contains(tt.short, "earlier") {
				t.Errorf("cause %q, broken %t, fixed %t", s.Cause, s.Broken(), s.TemplateChanged)
			}
		})
	}
}

func TestWhatOnlyEventsTellIsTheReasonOfAShortage(t *testing.T) {
	pending, image := notReady("Pod exists with phase: Pending"), notReady(badImage)
	noSecret := pool.Obstacle{Verdict: diagnose.Blocked, Text: `FailedMount: secret "x" not found`}
	mounts := world(sandboxes(member("warm-aaaaa", builders.WithUID("a"), pending),
		member("warm-bbbbb", builders.WithUID("b"), image), member("warm-ccccc", builders.WithUID("c"), pending)))
	mounts.Obstacles = map[types.UID]pool.Obstacle{"a": noSecret, "b": noSecret, "c": noSecret}
	s := pool.Summarize(warm(), mounts)
	if s.Shortage != `3 not ready: FailedMount: secret "x" not found` || s.Broken() {
		t.Errorf("%q, broken %t", s.Shortage, s.Broken())
	}
	if got := mounts.VerdictOf(mounts.Sandboxes[0]); got != diagnose.Blocked {
		t.Errorf("the member is %s", got)
	}
	mounts.Sandboxes = mounts.Sandboxes[1:2] // what its conditions say comes first
	if s := pool.Summarize(warm(), mounts); !strings.Contains(s.Shortage, "not found (1 not ready)") || !s.Broken() {
		t.Errorf("%q, broken %t", s.Shortage, s.Broken())
	}
}

func TestAMemberThatIsBlockedIsNotStarting(t *testing.T) {
	for message, want := range map[string]diagnose.Verdict{
		badImage: diagnose.Blocked, "Pod exists with phase: Pending": diagnose.Starting,
		"Pod exists with phase: Pending: Unschedulable: no room": diagnose.Blocked,
	} {
		if got := pool.VerdictOf(member("warm-aaaaa", notReady(message)), now); got != want {
			t.Errorf("%s: %s, want %s", message, got, want)
		}
	}
}
