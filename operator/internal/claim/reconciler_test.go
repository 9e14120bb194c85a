// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
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
	if diff := cmp.Diff(
		[]string{"patch SandboxClaim", "create Sandbox", "patch SandboxClaim/status"}, w.writes,
	); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if got := w.events(); !slices.Equal(got, []string{"Normal SandboxProvisioned"}) {
		t.Errorf("events: %v", got)
	}
	s := w.sandbox("c")
	if ownerNames(s) != "SandboxClaim/c" || s.Labels[apis.LabelLaunchType] != apis.LaunchTypeCold ||
		s.Annotations[apis.AnnotationPodName] != "c" {
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
				return newWorld(
					t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p"), olderBy(1)),
					newMember("p-b", newPool("p")),
				)
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
	w := newWorld(
		t, newClaim("c", withAssignment("p-a")), newTemplate(), newPool("p"),
		newClaimed(newClaim("c"), newMember("p-a", newPool("p"))), newMember("p-b", newPool("p")),
	)
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
	w := newWorld(
		t, withTTL(extensionsv1beta1.ShutdownPolicyRetain), newTemplate(),
		newClaimed(newClaim("c"), newMember("p-a", newPool("p")), finished),
	)
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
	w.editClaim(
		"c", func(c *extensionsv1beta1.SandboxClaim) { c.Spec.Lifecycle.TTLSecondsAfterFinished = new(int32(3600)) },
	)
	w.settle()
	if len(w.ownedBy("c-uid")) != 1 {
		t.Error("more time does not bring the claim back")
	}
	for policy, write := range map[extensionsv1beta1.ShutdownPolicy]string{
		extensionsv1beta1.ShutdownPolicyDelete:           "delete SandboxClaim",
		extensionsv1beta1.ShutdownPolicyDeleteForeground: "delete SandboxClaim Foreground",
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
	w := newWorld(
		t, newClaim("c", withExpiry(extensionsv1beta1.ShutdownPolicyRetain)), newTemplate(),
		newClaimed(newClaim("c"), newMember("odd-name", newPool("p"))),
		newClaimed(newClaim("other"), newMember("c", newPool("p"))),
	)
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
