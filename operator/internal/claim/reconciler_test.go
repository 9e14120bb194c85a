// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/retry"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// over is a deadline that has come.
func over(policy extensionsv1beta1.ShutdownPolicy) builders.ClaimOption {
	return builders.WithClaimShutdown(testNow, policy)
}

func TestAColdClaimCostsTwoWritesAndACreation(t *testing.T) {
	w := newWorld(t, claimOf("c"), template())
	if _, err := w.pass("c"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"patch SandboxClaim", "create Sandbox", "patch SandboxClaim/status"}, w.writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if got := w.events(); !slices.Equal(got, []string{"Normal SandboxProvisioned"}) {
		t.Errorf("events: %v", got)
	}
	s := w.sandbox("c")
	if ownerOf(s) != "SandboxClaim/c" || s.Labels[apis.LabelLaunchType] != apis.LaunchTypeCold || s.Annotations[apis.AnnotationPodName] != "c" {
		t.Errorf("Sandbox: %s %v %v", ownerOf(s), s.Labels, s.Annotations)
	}
	w.change("c", ready)
	w.settle()
	if c := w.claim("c"); !apis.ConditionTrue(c.Status.Conditions, apis.ConditionReady) {
		t.Errorf("status: %+v", c.Status)
	}
}

func TestACacheThatLagsBehindOurOwnWrites(t *testing.T) {
	ill := apierrors.NewInternalError(errors.New("ill"))
	tests := map[string]struct {
		objects func() *world
		lags    string
	}{
		"an adoption is seen as done, not done again": {
			func() *world {
				return newWorld(t, claimOf("c"), template(), pool("p"), member("p-a", pool("p"), older(1)), member("p-b", pool("p")))
			}, "p-a",
		},
		"a creation is not followed by an adoption": {func() *world { return newWorld(t, claimOf("c"), template()) }, "c"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := tt.objects()
			w.hold(tt.lags)
			w.intercept = func(write string, do func() error) error {
				if write == "patch SandboxClaim/status" {
					return ill
				}
				return do()
			}
			if _, err := w.pass("c"); err == nil {
				t.Fatal("no error")
			}
			w.intercept = nil
			w.create(pool("q"), member("q-a", pool("q")))
			w.watch()
			for range 3 {
				if _, err := w.pass("c"); err != nil {
					t.Fatal(err)
				}
			}
			if got := w.owned("c-uid"); !slices.Equal(got, []string{tt.lags}) {
				t.Errorf("the claim owns %v", got)
			}
			if c := w.claim("c"); c.Status.SandboxStatus.Name != tt.lags {
				t.Errorf("status: %+v", c.Status)
			}
		})
	}
}

func TestWhatIsRecordedIsGoneOnlyWhenTheServerSaysSo(t *testing.T) {
	w := newWorld(t, claimOf("c", noted("p-a")), template(), pool("p"), heldBy(claimOf("c"), member("p-a", pool("p"))), member("p-b", pool("p")))
	w.lagging["p-a"] = nil
	if _, err := w.pass("c"); err != nil {
		t.Fatal(err)
	}
	if got := w.owned("c-uid"); !slices.Equal(got, []string{"p-a"}) {
		t.Errorf("the claim owns %v", got)
	}
}

func TestAnErrorForgetsNoName(t *testing.T) {
	c := claimOf("c", noted("p-a"), builders.BoundTo("p-a", "10.0.0.9"),
		spec(func(s *extensionsv1beta1.SandboxClaimSpec) {
			s.SandboxMetadata = &extensionsv1beta1.Metadata{Labels: map[string]string{"team": "a"}}
		}))
	w := newWorld(t, c, template(), heldBy(claimOf("c"), member("p-a", pool("p"))))
	w.intercept = func(string, func() error) error { return apierrors.NewInternalError(errors.New("ill")) }
	if _, err := w.pass("c"); err == nil {
		t.Error("no error")
	}
	w.intercept = func(write string, do func() error) error {
		if write == "patch Sandbox" {
			return apierrors.NewInternalError(errors.New("ill"))
		}
		return do()
	}
	_, _ = w.pass("c")
	if got := w.claim("c"); got.Status.SandboxStatus.Name != "p-a" {
		t.Errorf("status: %+v", got.Status)
	}
}

func TestAnExpiredClaim(t *testing.T) {
	withTTL := func(policy extensionsv1beta1.ShutdownPolicy) *extensionsv1beta1.SandboxClaim {
		return claimOf("c", noted("p-a"), builders.WithTTL(60, policy))
	}
	w := newWorld(t, withTTL(extensionsv1beta1.ShutdownPolicyRetain), template(), heldBy(claimOf("c"), member("p-a", pool("p")), finished))
	after, err := w.pass("c")
	if err != nil || after != time.Minute {
		t.Errorf("looks again after %v, %v", after, err)
	}
	w.clock.SetTime(testNow.Add(time.Minute))
	w.settle()
	w.events()
	w.settle()
	c := w.claim("c")
	want := []string{"Ready=False/ClaimExpired " + apis.MessageClaimExpired, "Finished=True/PodSucceeded done"}
	if diff := cmp.Diff(want, words(c.Status.Conditions)); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if len(w.sandboxes()) != 0 || c.Status.SandboxStatus.Name != "" {
		t.Errorf("Sandboxes %v, status %+v", w.sandboxes(), c.Status)
	}
	w.edit("c", func(c *extensionsv1beta1.SandboxClaim) { c.Spec.Lifecycle.TTLSecondsAfterFinished = new(int32(3600)) })
	w.settle()
	if len(w.owned("c-uid")) != 1 {
		t.Error("more time does not bring the claim back")
	}
	for policy, write := range map[extensionsv1beta1.ShutdownPolicy]string{
		extensionsv1beta1.ShutdownPolicyDelete: "delete SandboxClaim", extensionsv1beta1.ShutdownPolicyDeleteForeground: "delete SandboxClaim Foreground",
	} {
		w := newWorld(t, withTTL(policy), template(), heldBy(claimOf("c"), member("p-a", pool("p")), finished))
		w.clock.SetTime(testNow.Add(time.Minute))
		w.settle()
		if !slices.Equal(w.writes, []string{write}) || len(w.claims()) != 0 {
			t.Errorf("%s: %v", policy, w.writes)
		}
		if got := w.events(); !slices.Equal(got, []string{"Normal ClaimExpired"}) {
			t.Errorf("%s: events %v", policy, got)
		}
	}
}

func TestRetainDeletesTheSandboxWhateverItsName(t *testing.T) {
	w := newWorld(t, claimOf("c", over(extensionsv1beta1.ShutdownPolicyRetain)), template(), heldBy(claimOf("c"), member("odd-name", pool("p"))),
		heldBy(claimOf("other"), member("c", pool("p"))))
	w.settle()
	if got := w.sandboxes(); len(got) != 1 || got[0].Name != "c" {
		t.Errorf("left: %v", w.picture())
	}
}

func TestAClaimThatGotMoreTimeMeanwhileIsNotDeleted(t *testing.T) {
	w := newWorld(t, claimOf("c", over(extensionsv1beta1.ShutdownPolicyDelete)), template())
	w.intercept = func(_ string, do func() error) error {
		w.edit("c", func(c *extensionsv1beta1.SandboxClaim) { c.Spec.Lifecycle = nil })
		return do()
	}
	if after, err := w.pass("c"); err != nil || after != conflictRetry || len(w.claims()) != 1 {
		t.Errorf("%v %v, claims left: %d", after, err, len(w.claims()))
	}
}

func TestMistakesHealByThemselves(t *testing.T) {
	tests := map[string]struct {
		claim *extensionsv1beta1.SandboxClaim
		world []func(*world)
		want  []string // the reason at first and after each change
	}{
		"an unknown template": {
			claim: claimOf("c"), want: []string{"TemplateNotFound", "SandboxNotReady"},
			world: []func(*world){func(w *world) { w.create(template()) }},
		},
		"an unknown pool, and then its unknown template": {
			claim: claimOf("c", builders.FromPool("p")), want: []string{"WarmPoolNotFound", "TemplateNotFound", "SandboxNotReady"},
			world: []func(*world){func(w *world) { w.create(pool("p")) }, func(w *world) { w.create(template()) }},
		},
		"a Sandbox in the way": {
			claim: claimOf("c"), want: []string{"TemplateNotFound", "ReconcilerError", "SandboxNotReady"},
			world: []func(*world){
				func(w *world) { w.create(template(), builders.Sandbox("c", builders.OwnedByStranger())) }, func(w *world) { w.remove("c") },
			},
		},
		"variables that the template forbids": {
			claim: claimOf("c", builders.WithEnv("A", "1"), builders.WithWarmPool(apis.WarmPoolNone)),
			want:  []string{"TemplateNotFound", "EnvVarsInjectionRejected", "SandboxNotReady"},
			world: []func(*world){func(w *world) { w.create(template()) }, func(w *world) {
				w.template(func(s *extensionsv1beta1.SandboxTemplateSpec) {
					s.EnvVarsInjectionPolicy = extensionsv1beta1.EnvVarsInjectionPolicyAllowed
				})
			}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tt.claim)
			for i, want := range tt.want {
				if i > 0 {
					tt.world[i-1](w)
				}
				if i > 0 && !waits(w.claim("c")) {
					t.Errorf("a claim that is %s is not waiting", tt.want[i-1])
				}
				after, err := w.pass("c")
				if err != nil || (after != 0 && after != retry.Blocked) {
					t.Errorf("backs off: %v %v", after, err)
				}
				if got := apis.FindCondition(w.claim("c").Status.Conditions, apis.ConditionReady); got.Reason != want {
					t.Errorf("step %d: %s %s, want %s", i, got.Reason, got.Message, want)
				}
			}
		})
	}
}

func (w *world) template(with func(*extensionsv1beta1.SandboxTemplateSpec)) {
	w.t.Helper()
	t := &extensionsv1beta1.SandboxTemplate{}
	if err := w.store.Get(context.Background(), keyOf("python"), t); err != nil {
		w.t.Fatal(err)
	}
	with(&t.Spec)
	if err := w.store.Update(context.Background(), t); err != nil {
		w.t.Fatal(err)
	}
}

func TestALostSandboxIsReplaced(t *testing.T) {
	for name, objects := range map[string]func() *world{
		"warm": func() *world {
			return newWorld(t, claimOf("c"), template(), pool("p"), member("p-a", pool("p"), older(1)), member("p-b", pool("p")))
		},
		"cold": func() *world { return newWorld(t, claimOf("c"), template()) },
	} {
		w := objects()
		w.settle()
		lost := w.claim("c").Status.SandboxStatus.Name
		w.change(lost, func(s *agentsv1beta1.Sandbox) { s.Finalizers = []string{"example.com/hold"} })
		w.remove(lost)
		w.settle()
		if got := apis.FindCondition(w.claim("c").Status.Conditions, apis.ConditionReady); got.Reason != string(apis.ReasonSandboxMissing) {
			t.Errorf("%s: while it goes: %s %s", name, got.Reason, got.Message)
		}
		w.change(lost, func(s *agentsv1beta1.Sandbox) { s.Finalizers = nil })
		w.settle()
		w.oneToOne()
		if len(w.owned("c-uid")) != 1 {
			t.Errorf("%s: %v", name, w.picture())
		}
	}
}
