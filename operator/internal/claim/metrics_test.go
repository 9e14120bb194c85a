// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/test/gathered"
)

// metricCount returns the count of a metric, summed over the series with the labels.
func metricCount(t *testing.T, m *metrics.Metrics, name string, labels map[string]string) int {
	t.Helper()
	count, _ := gathered.Of(t, m, name, labels)
	return count
}

const startup = "agent_sandbox_claim_startup_latency_ms"

func TestAClaimIsTimedOnceWhateverItsPodDoesLater(t *testing.T) {
	w := newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
	warm := map[string]string{"launch_type": "warm"}
	w.settle()
	if n := metricCount(t, w.metrics, startup, warm); n != 1 {
		t.Fatalf("timed %d times", n)
	}
	for range 3 {
		w.updateSandbox("p-a", notReady)
		w.settle()
		w.updateSandbox("p-a", ready)
		w.settle()
	}
	if n := metricCount(t, w.metrics, startup, warm); n != 1 {
		t.Errorf("after flapping, timed %d times", n)
	}
	w.restart()
	w.updateSandbox("p-a", notReady)
	w.settle()
	w.updateSandbox("p-a", ready)
	w.settle()
	if n := metricCount(t, w.metrics, startup, nil); n != 0 {
		t.Errorf("after a restart, timed %d times more", n)
	}
}

func TestAClaimIsTimedWhenTheServerHasItsStatusAndNotBefore(t *testing.T) {
	for name, answer := range map[string]error{
		"refused": apierrors.NewConflict(
			agentsv1beta1.SchemeGroupVersion.WithResource("x").GroupResource(), "c", errors.New("changed")),
		"ill": apierrors.NewInternalError(errors.New("ill")),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
			w.onWrite = func(write string, do func() error) error {
				if write == "patch SandboxClaim/status" {
					return answer
				}
				return do()
			}
			_, _ = w.reconcile("c")
			if n := metricCount(t, w.metrics, startup, nil); n != 0 {
				t.Errorf("timed %d times", n)
			}
			w.onWrite = nil
			w.settle()
			if n := metricCount(t, w.metrics, startup, nil); n != 1 {
				t.Errorf("timed %d times in the end", n)
			}
			if n := metricCount(t, w.metrics, "agent_sandbox_claim_creation_total", nil); n != 1 {
				t.Errorf("counted %d times", n)
			}
		})
	}
}

func TestClaimsAreCountedByHowTheyGotTheirSandbox(t *testing.T) {
	tests := map[string]struct {
		world     func() *world
		created   map[string]string
		adoption  string
		attempted int
	}{
		"a warm one, by its pool": {
			func() *world {
				return newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
			},
			map[string]string{"launch_type": "warm", "warmpool_name": "p", "pod_condition": "ready"}, "adopted", 1,
		},
		"a warm one that is not ready yet": {
			func() *world {
				return newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p"), notReady))
			},
			map[string]string{"launch_type": "warm", "warmpool_name": "p", "pod_condition": "not_ready"}, "adopted", 1,
		},
		"a cold one where the pool is empty": {
			func() *world { return newWorld(t, newClaim("c"), newTemplate(), newPool("p")) },
			map[string]string{"launch_type": "cold", "warmpool_name": "none", "pod_condition": "not_ready"}, "none_available", 1,
		},
		"a cold one where there is no pool tries none": {
			func() *world { return newWorld(t, newClaim("c"), newTemplate()) },
			map[string]string{"launch_type": "cold", "warmpool_name": "none", "pod_condition": "not_ready"}, "none_available", 0,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := tt.world()
			w.settle()
			if n := metricCount(t, w.metrics, "agent_sandbox_claim_creation_total", tt.created); n != 1 {
				t.Errorf("counted %d times as %v", n, tt.created)
			}
			outcome := map[string]string{"outcome": tt.adoption}
			if n := metricCount(t, w.metrics, "agent_sandbox_claim_adoption_total", outcome); n != tt.attempted {
				t.Errorf("%d attempts were %s", n, tt.adoption)
			}
		})
	}
}

// Each answer to the patch of a Sandbox has an outcome under which it is counted.
func TestAttemptsAreCountedByWhatBecameOfThem(t *testing.T) {
	gone := apierrors.NewNotFound(agentsv1beta1.SchemeGroupVersion.WithResource("sandboxes").GroupResource(), "p-a")
	tests := map[string]struct {
		answer error
		before func(*world)
		want   metrics.Adoption
	}{
		"no answer fails": {errors.New("connection reset"), func(*world) {}, metrics.Failed},
		"one that goes meanwhile is lost": {
			gone, func(w *world) { _ = w.store.Delete(t.Context(), w.sandbox("p-a")) }, metrics.Lost,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, newClaim("c"), newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
			w.onWrite = func(write string, do func() error) error {
				if write == "patch Sandbox" {
					tt.before(w)
					return tt.answer
				}
				return do()
			}
			_, _ = w.reconcile("c")
			if n := metricCount(
				t, w.metrics, "agent_sandbox_claim_adoption_total", map[string]string{"outcome": string(tt.want)},
			); n != 1 {
				t.Errorf("%d attempts were %s", n, tt.want)
			}
		})
	}
	classes := map[string]struct {
		err  error
		want metrics.Adoption
	}{
		"no error":                {nil, metrics.Adopted},
		"a person must change it": {fmt.Errorf("x: %w", rejectf("X", "x")), metrics.Refused},
		"an old object":           {errorclass.ErrChangedMeanwhile, metrics.Conflict},
		"a member that went":      {&adoptionFailedError{message: "x", unavailable: true}, metrics.Lost},
		"anything else":           {errors.New("x"), metrics.Failed},
	}
	for name, tt := range classes {
		t.Run(name, func(t *testing.T) {
			if got := adoptionOutcome(tt.err); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAStartIsTimedWithTheClientsWord(t *testing.T) {
	asked := testNow.Add(-20 * time.Millisecond).Format(time.RFC3339Nano)
	c := newClaim("c")
	c.Annotations = map[string]string{"agents.x-k8s.io/client-first-requested-at": asked}
	c.CreationTimestamp.Time = testNow
	w := newWorld(t, c, newTemplate(), newPool("p"), newMember("p-a", newPool("p")))
	w.settle()
	if n := metricCount(
		t, w.metrics, startup, map[string]string{"launch_type": "warm", "sandbox_template": newTemplate().Name},
	); n != 1 {
		t.Errorf("timed %d times", n)
	}
}
