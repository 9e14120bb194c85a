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
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// withExpiry sets a deadline that is reached.
func withExpiry(policy extensionsv1beta1.ShutdownPolicy) builders.ClaimOption {
	return builders.WithClaimShutdown(testNow, policy)
}

func TestAColdClaimCostsTwoWritesAndACreation(t *testing.T) {
	w := newWorld(t, newClaim("c"), newTemplate())
	if _, err := w.reconcile("c"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"patch SandboxClaim", "create Sandbox", "patch SandboxClaim/status"}, w.writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if got := w.events(); !slices.Equal(got, []string{"Normal SandboxProvisioned"}) {
		t.Errorf("events: %v", got)
	}
	s := w.sandbox("c")
	if ownerNames(s) != "SandboxClaim/c" || s.Labels[apis.LabelLaunchType] != apis.LaunchTypeCold || s.Annotations[apis.AnnotationPodName] != "c" {
		t.Errorf("Sandbox: %s %v %v", ownerNames(s), s.Labels, s.Annotations)
	}
	w.updateSandbox("c", ready)
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
				return newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p"), olderBy(1)), newMember("p-b", newPool("p")))
			}, "p-a",
		},
		"a creation is not followed by an adoption": {
			func() *world { return newWorld(t, newClaim("c"), newTemplate()) }, "c",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := tt.objects()
			w.freezeSandbox(tt.lags)
			w.onWrite = func(write string, do func() error) error {
				if write == "patch SandboxClaim/status" {
					return ill
				}
				return do()
			}
			if _, err := w.reconcile("c"); err == nil {
				t.Fatal("no error")
			}
			w.onWrite = nil
			w.create(newPool("q"), newMember("q-a", newPool("q")))
			w.syncQueue()
			for range 3 {
				if _, err := w.reconcile("c"); err != nil {
					t.Fatal(err)
				}
			}
			if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{tt.lags}) {
				t.Errorf("the claim owns %v", got)
			}
			if c := w.claim("c"); c.Status.SandboxStatus.Name != tt.lags {
				t.Errorf("status: %+v", c.Status)
			}
		})
	}
}

func TestWhatIsRecordedIsGoneOnlyWhenTheServerSaysSo(t *testing.T) {
	w := newWorld(t, newClaim("c", withAssignment("p-a")), newTemplate(), newPool("p"), newClaimed(newClaim("c"), newMember("p-a", newPool("p"))), newMember("p-b", newPool("p")))
	w.staleSandboxes["p-a"] = nil
	if _, err := w.reconcile("c"); err != nil {
		t.Fatal(err)
	}
	if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-a"}) {
		t.Errorf("the claim owns %v", got)
	}
}

func TestACacheThatShowsAnEarlierOwnerForgetsNoName(t *testing.T) {
	w := newWorld(t, newClaim("c", withAssignment("p-a")), newTemplate(),
		newClaimed(newClaim("c"), newMember("p-a", newPool("p"))))
	w.staleSandboxes["p-a"] = newMember("p-a", newPool("p")) // and the pool has been deleted since
	for range 3 {
		if _, err := w.reconcile("c"); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.sandboxes(); len(got) != 1 || w.claim("c").AssignedSandbox() != "p-a" {
		t.Errorf("Sandboxes %v, the claim records %q", got, w.claim("c").AssignedSandbox())
	}
	delete(w.staleSandboxes, "p-a")
	w.settle()
	if got := w.ownedBy("c-uid"); !slices.Equal(got, []string{"p-a"}) {
		t.Errorf("the claim owns %v", got)
	}
}

func TestAnErrorForgetsNoName(t *testing.T) {
	c := newClaim("c", withAssignment("p-a"), builders.BoundTo("p-a", "10.0.0.9"),
		withSpec(func(s *extensionsv1beta1.SandboxClaimSpec) {
			s.SandboxMetadata = &extensionsv1beta1.Metadata{Labels: map[string]string{"team": "a"}}
		}))
	w := newWorld(t, c, newTemplate(), newClaimed(newClaim("c"), newMember("p-a", newPool("p"))))
	w.onWrite = func(string, func() error) error { return apierrors.NewInternalError(errors.New("ill")) }
	if _, err := w.reconcile("c"); err == nil {
		t.Error("no error")
	}
	w.onWrite = func(write string, do func() error) error {
		if write == "patch Sandbox" {
			return apierrors.NewInternalError(errors.New("ill"))
		}
		return do()
	}
	_, _ = w.reconcile("c")
	if got := w.claim("c"); got.Status.SandboxStatus.Name != "p-a" {
		t.Errorf("status: %+v", got.Status)
	}
}

func TestAnExpiredClaim(t *testing.T) {
	withTTL := func(policy extensionsv1beta1.ShutdownPolicy) *extensionsv1beta1.SandboxClaim {
		return newClaim("c", withAssignment("p-a"), builders.WithTTL(60, policy))
	}
	w := newWorld(t, withTTL(extensionsv1beta1.ShutdownPolicyRetain), newTemplate(), newClaimed(newClaim("c"), newMember("p-a", newPool("p")), finished))
	after, err := w.reconcile("c")
	if err != nil || after != time.Minute {
		t.Errorf("looks again after %v, %v", after, err)
	}
	w.clock.SetTime(testNow.Add(time.Minute))
	w.settle()
	w.events()
	w.settle()
	c := w.claim("c")
	want := []string{"Ready=False/ClaimExpired " + apis.MessageClaimExpired, "Finished=True/PodSucceeded done"}
	if diff := cmp.Diff(want, conditionStrings(c.Status.Conditions)); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if len(w.sandboxes()) != 0 || c.Status.SandboxStatus.Name != "" {
		t.Errorf("Sandboxes %v, status %+v", w.sandboxes(), c.Status)
	}
	w.editClaim("c", func(c *extensionsv1beta1.SandboxClaim) { c.Spec.Lifecycle.TTLSecondsAfterFinished = new(int32(3600)) })
	w.settle()
	if len(w.ownedBy("c-uid")) != 1 {
		t.Error("more time does not bring the claim back")
	}
	for policy, write := range map[extensionsv1beta1.ShutdownPolicy]string{
		extensionsv1beta1.ShutdownPolicyDelete: "delete SandboxClaim", extensionsv1beta1.ShutdownPolicyDeleteForeground: "delete SandboxClaim Foreground",
	} {
		w := newWorld(t, withTTL(policy), newTemplate(), newClaimed(newClaim("c"), newMember("p-a", newPool("p")), finished))
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
	w := newWorld(t, newClaim("c", withExpiry(extensionsv1beta1.ShutdownPolicyRetain)), newTemplate(), newClaimed(newClaim("c"), newMember("odd-name", newPool("p"))),
		newClaimed(newClaim("other"), newMember("c", newPool("p"))))
	w.settle()
	if got := w.sandboxes(); len(got) != 1 || got[0].Name != "c" {
		t.Errorf("left: %v", w.snapshot())
	}
}

func TestAClaimThatGotMoreTimeMeanwhileIsNotDeleted(t *testing.T) {
	w := newWorld(t, newClaim("c", withExpiry(extensionsv1beta1.ShutdownPolicyDelete)), newTemplate())
	w.onWrite = func(_ string, do func() error) error {
		w.editClaim("c", func(c *extensionsv1beta1.SandboxClaim) { c.Spec.Lifecycle = nil })
		return do()
	}
	if after, err := w.reconcile("c"); err != nil || after != waits.Conflict || len(w.claims()) != 1 {
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
			claim: newClaim("c"), want: []string{"TemplateNotFound", "SandboxNotReady"},
			world: []func(*world){func(w *world) { w.create(newTemplate()) }},
		},
		"an unknown pool, and then its unknown template": {
			claim: newClaim("c", builders.FromPool("p")), want: []string{"WarmPoolNotFound", "TemplateNotFound", "SandboxNotReady"},
			world: []func(*world){func(w *world) { w.create(newPool("p")) }, func(w *world) { w.create(newTemplate()) }},
		},
		"a Sandbox in the way": {
			claim: newClaim("c"), want: []string{"TemplateNotFound", "ReconcilerError", "SandboxNotReady"},
			world: []func(*world){
				func(w *world) { w.create(newTemplate(), builders.Sandbox("c", builders.OwnedByStranger())) }, func(w *world) { w.deleteSandbox("c") },
			},
		},
		"variables that the template forbids": {
			claim: newClaim("c", builders.WithEnv("A", "1"), builders.WithWarmPool(apis.WarmPoolNone)),
			want:  []string{"TemplateNotFound", "EnvVarsInjectionRejected", "SandboxNotReady"},
			world: []func(*world){func(w *world) { w.create(newTemplate()) }, func(w *world) {
				w.editTemplate(func(s *extensionsv1beta1.SandboxTemplateSpec) {
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
				if i > 0 && !isWaiting(w.claim("c")) {
					t.Errorf("a claim that is %s is not waiting", tt.want[i-1])
				}
				after, err := w.reconcile("c")
				if err != nil || (after != 0 && after != waits.Blocked) {
					t.Errorf("backs off: %v %v", after, err)
				}
				if got := apis.FindCondition(w.claim("c").Status.Conditions, apis.ConditionReady); got.Reason != want {
					t.Errorf("step %d: %s %s, want %s", i, got.Reason, got.Message, want)
				}
			}
		})
	}
}

func (w *world) editTemplate(with func(*extensionsv1beta1.SandboxTemplateSpec)) {
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
			return newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p"), olderBy(1)), newMember("p-b", newPool("p")))
		},
		"cold": func() *world { return newWorld(t, newClaim("c"), newTemplate()) },
	} {
		w := objects()
		w.settle()
		lost := w.claim("c").Status.SandboxStatus.Name
		w.updateSandbox(lost, func(s *agentsv1beta1.Sandbox) { s.Finalizers = []string{"example.com/hold"} })
		w.deleteSandbox(lost)
		w.settle()
		if got := apis.FindCondition(w.claim("c").Status.Conditions, apis.ConditionReady); got.Reason != string(apis.ReasonSandboxMissing) {
			t.Errorf("%s: while it goes: %s %s", name, got.Reason, got.Message)
		}
		w.updateSandbox(lost, func(s *agentsv1beta1.Sandbox) { s.Finalizers = nil })
		w.settle()
		w.checkOneToOne()
		if len(w.ownedBy("c-uid")) != 1 {
			t.Errorf("%s: %v", name, w.snapshot())
		}
	}
}
