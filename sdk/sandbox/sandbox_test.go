// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 123456789, time.UTC)

func held() *agentsv1beta1.Sandbox {
	return &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Name: "dev", Namespace: "ns", UID: "one"}}
}

func target(s *agentsv1beta1.Sandbox, c *extensionsv1beta1.SandboxClaim) *resolve.Target {
	return &resolve.Target{Namespace: "ns", Ref: resolve.Ref{Name: "dev"}, Sandbox: s, Claim: c}
}

// TestSuspendFitsTheServedSchema has an API server reject the fields that its schema lacks, with the message of a real
// one.
func TestSuspendFitsTheServedSchema(t *testing.T) {
	tests := map[string]struct {
		unknown []string
		want    string
		fails   string
	}{
		"both fields are set where both are known":     {want: `{"operatingMode":"Suspended","replicas":0}`},
		"without operatingMode replicas alone are set": {unknown: []string{"operatingMode"}, want: `{"replicas":0}`},
		"without replicas operatingMode alone is set": {
			unknown: []string{"replicas"}, want: `{"operatingMode":"Suspended"}`,
		},
		"without both the cluster cannot suspend at all": {
			unknown: []string{"replicas", "operatingMode"}, fails: "cannot be suspended",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(held())
			last := ""
			cluster.Sandboxes.PrependReactor("patch", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
				patch := struct {
					Spec map[string]any `json:"spec"`
				}{}
				if err := json.Unmarshal(action.(clienttesting.PatchAction).GetPatch(), &patch); err != nil {
					t.Error(err)
				}
				var refused []string
				for _, field := range tt.unknown {
					if _, sent := patch.Spec[field]; sent {
						refused = append(refused, `unknown field "spec.`+field+`"`)
					}
				}
				if len(refused) > 0 {
					return true, nil, apierrors.NewBadRequest("strict decoding error: " + strings.Join(refused, ", "))
				}
				spec, err := json.Marshal(patch.Spec)
				last = string(spec)
				return true, held(), err
			})
			changed, err := sandbox.New(cluster.Sandboxes, clocktesting.NewFakePassiveClock(now)).Suspend(
				t.Context(), target(held(), nil),
			)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || !changed || last != tt.want {
				t.Errorf("sent %s, %v, %v; want %s", last, changed, err, tt.want)
			}
		})
	}
}

func TestWhatIsSuspendedIsNotSuspendedAgain(t *testing.T) {
	s := held()
	s.Spec.OperatingMode = new(agentsv1beta1.OperatingModeSuspended)
	cluster := fakecluster.New(s)
	changed, err := sandbox.New(cluster.Sandboxes, clocktesting.NewFakePassiveClock(now)).Suspend(
		t.Context(), target(s, nil),
	)
	if err != nil || changed || len(cluster.Sandboxes.Actions()) > 0 {
		t.Errorf("changed %v, %v, %v", changed, err, cluster.Sandboxes.Actions())
	}
}

func TestExtend(t *testing.T) {
	at := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: now.Truncate(time.Second).Add(d)} }
	ending := func(end *metav1.Time) *agentsv1beta1.Sandbox {
		s := held()
		s.Spec.ShutdownTime = end
		return s
	}
	claimed := func(end *metav1.Time) *extensionsv1beta1.SandboxClaim {
		c := &extensionsv1beta1.SandboxClaim{ObjectMeta: metav1.ObjectMeta{Name: "dev", Namespace: "ns", UID: "two"}}
		if end != nil {
			c.Spec.Lifecycle = &extensionsv1beta1.Lifecycle{ShutdownTime: end}
		}
		return c
	}
	ofClaim := ending(at(time.Hour))
	ofClaim.OwnerReferences = []metav1.OwnerReference{
		{Kind: apis.KindSandboxClaim, Name: "c", UID: "two", Controller: new(true)},
	}
	tests := map[string]struct {
		target *resolve.Target
		afresh bool
		want   time.Duration // from now
		fails  string
	}{
		"time to come is counted from the old end":  {target: target(ending(at(time.Hour)), nil), want: 90 * time.Minute},
		"time that is over is counted from now":     {target: target(ending(at(-time.Hour)), nil), want: 30 * time.Minute},
		"a claim is extended itself":                {target: target(held(), claimed(at(time.Hour))), want: 90 * time.Minute},
		"a Sandbox without an end is not given one": {target: target(held(), nil), fails: "nothing to extend"},
		"a claim without an end is not given one":   {target: target(nil, claimed(nil)), fails: "nothing to extend"},
		"a claim's Sandbox is left to the claim":    {target: target(ofClaim, nil), fails: "extend claim/c"},
		"a claim that is over and has no Sandbox is not revived with an empty one": {
			target: target(nil, claimed(at(-time.Hour))), fails: "its Sandbox is gone, with the volumes",
		},
		"unless that is meant": {
			target: target(nil, claimed(at(-time.Hour))), afresh: true, want: 30 * time.Minute,
		},
		"one that is over and still has it is extended": {
			target: target(held(), claimed(at(-time.Hour))), want: 30 * time.Minute,
		},
		"one that has none yet and is not over too": {
			target: target(nil, claimed(at(time.Hour))), want: 90 * time.Minute,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var objects []runtime.Object
			if tt.target.Sandbox != nil {
				objects = append(objects, tt.target.Sandbox)
			}
			if tt.target.Claim != nil {
				objects = append(objects, tt.target.Claim)
			}
			cluster := fakecluster.New(objects...)
			end, err := sandbox.New(cluster.Sandboxes, clocktesting.NewFakePassiveClock(now)).Extend(
				t.Context(), tt.target, 30*time.Minute, tt.afresh,
			)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := now.Truncate(time.Second).Add(tt.want); !end.Equal(want) {
				t.Errorf("ends at %s, want %s", end, want)
			}
		})
	}
}

func TestCreateStampsTheTimeOfTheRequest(t *testing.T) {
	cluster := fakecluster.New()
	created, err := sandbox.New(cluster.Sandboxes, clocktesting.NewFakePassiveClock(now)).Create(
		t.Context(), held(), false,
	)
	if err != nil {
		t.Fatal(err)
	}
	if got := created.Annotations[apis.AnnotationClientFirstRequestedAt]; got != "2026-05-01T12:00:00.123456789Z" {
		t.Errorf("stamped %q", got)
	}
}

func TestDeletingWhatIsGoneIsNoError(t *testing.T) {
	cluster := fakecluster.New()
	if err := sandbox.New(cluster.Sandboxes, clocktesting.NewFakePassiveClock(now)).Delete(
		t.Context(), target(held(), nil), false,
	); err != nil {
		t.Error(err)
	}
}
