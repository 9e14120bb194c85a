// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

const poolLabel, claimLabel = "agents.x-k8s.io/warm-pool-sandbox", "agents.x-k8s.io/claim-uid"

// claimWaits lets a claim wait since so long that work holds for long.
func (w *world) claimWaits(uid types.UID) {
	now := w.clock.Now()
	w.clock.SetTime(now.Add(-waits.ShortWait))
	w.gate.ClaimArrived(uid)
	w.clock.SetTime(now)
}

// newWarmWorld returns a world with a member of a pool that is Ready, and nothing left to do.
func newWarmWorld(t *testing.T) *world {
	t.Helper()
	w := newMember(t)
	w.settle()
	w.makePodsReady()
	w.settle()
	w.writes = nil
	return w
}

// adopted is what a claim does to a member.
func adopted(s *agentsv1beta1.Sandbox) {
	created(s.CreationTimestamp.Time, "SandboxClaim")(s)
	labelled(claimLabel, "claim")(s)
	delete(s.Labels, poolLabel)
}

// editMetadata changes the Sandbox without changing its generation, so that its status stays the same.
func (w *world) editMetadata(change sandboxOption) {
	w.t.Helper()
	s := w.sandbox()
	change(s)
	if err := w.store.Update(context.Background(), s); err != nil {
		w.t.Fatal(err)
	}
}

// failPod makes the Pod not ready.
func (w *world) failPod() {
	w.t.Helper()
	pod, err := w.pod("box")
	if err != nil {
		w.t.Fatal(err)
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	if err := w.store.Status().Update(context.Background(), pod); err != nil {
		w.t.Fatal(err)
	}
}

// editPod changes the Pod, but not its status.
func (w *world) editPod(change podOption) {
	w.t.Helper()
	pod, err := w.pod("box")
	if err != nil {
		w.t.Fatal(err)
	}
	change(pod)
	if err := w.store.Update(context.Background(), pod); err != nil {
		w.t.Fatal(err)
	}
}

// result reconciles once.
func (w *world) result() reconcile.Result {
	w.t.Helper()
	result, err := w.reconciler.Reconcile(context.Background(), w.sandbox())
	if err != nil {
		w.t.Fatal(err)
	}
	return result
}

// expectHeld expects that a pass writes nothing and returns after the given time, behind everything else.
func (w *world) expectHeld(after time.Duration) {
	w.t.Helper()
	w.writes = nil
	result := w.result()
	if result.RequeueAfter != after || result.Priority == nil || *result.Priority >= 0 || len(w.writes) > 0 {
		w.t.Errorf("writes %v, returns after %s with priority %v; want no write, %s and a priority below 0",
			w.writes, result.RequeueAfter, result.Priority, after)
	}
}

// expectWrites expects that a pass holds nothing and makes these writes.
func (w *world) expectWrites(want ...string) {
	w.t.Helper()
	w.writes = nil
	if w.result(); !slices.Equal(w.writes, want) {
		w.t.Errorf("writes %v, want %v", w.writes, want)
	}
}

func TestWhatHoldsWhileClaimsWait(t *testing.T) {
	const seconds = time.Second
	member, claimed := newMember, func(t *testing.T) *world {
		w := newWarmWorld(t)
		w.editMetadata(adopted)
		return w
	}
	for rule, tt := range map[string]struct {
		world  func(*testing.T) *world
		change func(*world)
		holds  time.Duration
		writes []string // if it does not hold
	}{
		"the labels of a Pod that a claim took hold": {world: claimed, holds: 2 * seconds},
		"other metadata of the Pod holds with them": {
			world: claimed, holds: 2 * seconds,
			change: func(w *world) { w.editMetadata(annotated("opentelemetry.io/trace-context", "trace")) },
		},
		"a deadline comes first": {
			world: claimed, holds: seconds,
			change: func(w *world) { w.editMetadata(shutdown(seconds, agentsv1beta1.ShutdownPolicyRetain)) },
		},
		"whether a claimed Pod is ready does not hold": {
			world: claimed, change: (*world).failPod, writes: []string{"patch Pod", "patch Sandbox/status"},
		},
		"a Service that a claimed Sandbox lacks does not hold": {
			world: claimed, change: func(w *world) { w.edit(service(true)) },
			writes: []string{"patch Pod", "create Service", "patch Sandbox/status"},
		},
		"a repaired pod-name annotation does not hold": {
			world: claimed, change: func(w *world) { w.editMetadata(annotated("agents.x-k8s.io/pod-name", "other")) },
			writes: []string{"patch Pod", "patch Sandbox"},
		},
		"a claimed Sandbox that is suspended does not hold": {
			world: claimed, change: func(w *world) { w.edit(scaledTo(0)) },
			writes: []string{"delete Pod", "patch Sandbox", "patch Sandbox/status"},
		},
		"a claimed Pod that does not run yet does not hold": {
			world: func(t *testing.T) *world {
				w := newMember(t)
				w.settle()
				w.editMetadata(adopted)
				return w
			},
			writes: []string{"patch Pod"},
		},
		"a Pod that the owner reference lacks does not hold": {
			world: claimed, change: func(w *world) { w.editPod(unowned) },
			writes: []string{"patch Pod"},
		},
		"the Pod of a new member does not hold, because the refill held before": {
			world: member, writes: []string{"create Pod", "patch Sandbox", "patch Sandbox/status"},
		},
		"the Pod of a member of an empty pool does not hold": {
			world: member, change: func(w *world) { w.poolHasMember = false },
			writes: []string{"create Pod", "patch Sandbox", "patch Sandbox/status"},
		},
		"the status of a member holds": {
			world: func(t *testing.T) *world {
				w := newMember(t)
				w.settle()
				w.makePodsReady()
				return w
			},
			holds: 2 * seconds,
		},
		"a member that stops being Ready does not hold": {
			world: newWarmWorld, change: (*world).failPod, writes: []string{"patch Sandbox/status"},
		},
		"a suspended member does not hold": {
			world: newWarmWorld, change: func(w *world) { w.edit(scaledTo(0)) },
			writes: []string{"delete Pod", "patch Sandbox", "patch Sandbox/status"},
		},
		"the repaired pod-name annotation of a member does not hold": {
			world: newWarmWorld, writes: []string{"patch Sandbox"},
			change: func(w *world) { w.editMetadata(annotated("agents.x-k8s.io/pod-name", "other")) },
		},
		"an unwanted Service of a member is deleted at once": {
			world: func(t *testing.T) *world {
				w := newWarmWorld(t)
				w.edit(service(true))
				w.settle()
				return w
			},
			change: func(w *world) { w.edit(service(false)) },
			writes: []string{"delete Service", "patch Sandbox/status"},
		},
		"a member without anything to do asks for nothing": {world: newWarmWorld},
		"a Sandbox of nobody does not hold": {
			world:  func(t *testing.T) *world { return newWorld(t, box()) },
			writes: []string{"create Pod", "patch Sandbox", "patch Sandbox/status"},
		},
	} {
		t.Run(rule, func(t *testing.T) {
			w := tt.world(t)
			w.poolHasMember = true
			w.claimWaits("claim")
			if tt.change != nil {
				tt.change(w)
			}
			if tt.holds > 0 {
				w.expectHeld(tt.holds)
			} else {
				w.expectWrites(tt.writes...)
			}
		})
	}
}

// newMember returns a world with a member of a pool that has no Pod yet.
func newMember(t *testing.T) *world {
	return newWorld(t, box(created(testNow.Add(-time.Hour), "SandboxWarmPool"), labelled(poolLabel, "pool")))
}

func TestWhatHeldIsDoneWhenItReturns(t *testing.T) {
	w := newWarmWorld(t)
	w.claimWaits("claim")
	w.editMetadata(adopted)
	w.expectHeld(2 * time.Second)
	w.clock.SetTime(testNow.Add(time.Second))
	w.expectHeld(time.Second) // an event came meanwhile
	w.gate.ClaimServed("claim")
	w.clock.SetTime(testNow.Add(2 * time.Second))
	w.expectWrites("patch Pod")
	if pod, err := w.pod("box"); err != nil || pod.Labels[claimLabel] != "claim" || pod.Labels[poolLabel] != "" {
		t.Errorf("labels %v, %v", pod.Labels, err)
	}
	w.claimWaits("another")
	w.expectWrites() // nothing must change, so nothing holds and nothing is written
	select {
	case event := <-w.recorder.Events:
		t.Errorf("the Sandbox writes an event about its adoption: %s", event)
	default:
	}
}

func TestMembersAreDoneAlthoughClaimsWaitWithoutEnd(t *testing.T) {
	w := newMember(t)
	w.settle()
	w.makePodsReady()
	w.poolHasMember = true
	w.claimWaits("claim")
	w.expectHeld(2 * time.Second)
	w.clock.SetTime(testNow.Add(2 * time.Second))
	w.expectWrites("patch Sandbox/status")
}

func TestASandboxAsksUnderItsOwnUIDAndKind(t *testing.T) {
	w := newWarmWorld(t)
	w.claimWaits("claim")
	w.editMetadata(adopted)
	w.expectHeld(2 * time.Second)
	w.clock.SetTime(testNow.Add(time.Second))
	if left := w.gate.Hold(claimsfirst.PodMetadata, string(testUID)); left != time.Second {
		t.Errorf("%s are left, want 1 s", left)
	}
}
