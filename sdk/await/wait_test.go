// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package await_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// sandbox returns a Sandbox of generation 2.
func sandbox(change ...func(*agentsv1beta1.Sandbox)) *agentsv1beta1.Sandbox {
	s := &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{
		Name: "dev", Namespace: "ns", UID: "one", Generation: 2, CreationTimestamp: metav1.NewTime(now),
	}}
	for _, c := range change {
		c(s)
	}
	return s
}

func with(kind apis.ConditionType, status bool, reason apis.Reason, generation int64) func(*agentsv1beta1.Sandbox) {
	return func(s *agentsv1beta1.Sandbox) {
		s.Status.Conditions = append(
			s.Status.Conditions, apis.NewCondition(nil, kind, status, reason, "", generation, metav1.NewTime(now)),
		)
	}
}

var (
	ready     = with(apis.ConditionReady, true, apis.ReasonDependenciesReady, 2)
	readyOnce = with(apis.ConditionReady, true, apis.ReasonDependenciesReady, 1)
	finished  = with(apis.ConditionFinished, true, apis.ReasonPodSucceeded, 2)
	suspended = with(apis.ConditionSuspended, true, apis.ReasonPodTerminated, 2)
)

func asleep(s *agentsv1beta1.Sandbox)  { s.Spec.Replicas = new(int32(0)) }
func expired(s *agentsv1beta1.Sandbox) { s.Spec.ShutdownTime = &metav1.Time{Time: now} }
func deleting(s *agentsv1beta1.Sandbox) {
	s.DeletionTimestamp, s.Finalizers = &metav1.Time{Time: now}, []string{"kubernetes"}
}

func claimThat(reason apis.Reason) *extensionsv1beta1.SandboxClaim {
	return &extensionsv1beta1.SandboxClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "dev", Namespace: "ns", UID: "one", Generation: 2},
		Status: extensionsv1beta1.SandboxClaimStatus{Conditions: []metav1.Condition{
			apis.NewCondition(nil, apis.ConditionReady, false, reason, "the claim's mistake", 2, metav1.NewTime(now)),
		}},
	}
}

func request(goal await.Goal) await.Request {
	return await.Request{Namespace: "ns", Ref: resolve.Ref{Name: "dev"}, Goal: goal}
}

// TestFirstLook covers decisions from one look: a timeout of zero ends the waiting after it.
func TestFirstLook(t *testing.T) {
	const reached, waits = "", "timed out"
	tests := map[string]struct {
		goal    await.Goal
		objects []runtime.Object
		uid     types.UID
		want    string // part of the error
	}{
		"ready is reached": {goal: await.Ready, objects: []runtime.Object{sandbox(ready)}, want: reached},
		"readiness of an earlier generation is not believed": {
			goal: await.Ready, objects: []runtime.Object{sandbox(readyOnce)}, want: waits,
		},
		"a finished Sandbox never becomes ready": {
			goal: await.Ready, objects: []runtime.Object{sandbox(finished)}, want: "it has finished",
		},
		"a suspended Sandbox never becomes ready": {
			goal: await.Ready, objects: []runtime.Object{sandbox(asleep)}, want: "it is suspended",
		},
		"an expired Sandbox never becomes ready": {
			goal: await.Ready, objects: []runtime.Object{sandbox(expired)}, want: "it has expired",
		},
		"a Sandbox that is being deleted is an error": {
			goal: await.Ready, objects: []runtime.Object{sandbox(ready, deleting)}, want: "it is being deleted",
		},
		"another Sandbox of the name is not the one": {
			goal: await.Ready, objects: []runtime.Object{sandbox(ready)}, uid: "another", want: "another of that name was made",
		},
		"a claim whose metadata is refused never becomes ready": {
			goal: await.Ready, objects: []runtime.Object{claimThat(apis.ReasonInvalidMetadata)},
			want: "the claim's mistake (InvalidMetadata)",
		},
		"a claim whose template is missing is waited for": {
			goal: await.Ready, objects: []runtime.Object{claimThat(apis.ReasonTemplateNotFound)}, want: waits,
		},
		"suspended is reached": {
			goal: await.Suspended, objects: []runtime.Object{sandbox(asleep, suspended)}, want: reached,
		},
		"a Pod that still ends is not suspended": {
			goal: await.Suspended, objects: []runtime.Object{sandbox(asleep)}, want: waits,
		},
		"suspension that nobody asked for is named": {
			goal: await.Suspended, objects: []runtime.Object{sandbox(ready)}, want: "nobody has asked",
		},
		"finished is reached": {
			goal: await.Finished, objects: []runtime.Object{sandbox(finished)}, want: reached,
		},
		"finished survives expiry": {
			goal: await.Finished, objects: []runtime.Object{sandbox(finished, expired)}, want: reached,
		},
		"expiry before the end is an error": {
			goal: await.Finished, objects: []runtime.Object{sandbox(expired)}, want: "it has expired",
		},
		"deleted is reached when there is nothing": {goal: await.Deleted, want: reached},
		"deleted is reached when there is another": {
			goal: await.Deleted, objects: []runtime.Object{sandbox()}, uid: "another", want: reached,
		},
		"a Sandbox that is being deleted still exists": {
			goal: await.Deleted, objects: []runtime.Object{sandbox(deleting)}, want: waits,
		},
		"what never existed cannot become ready": {goal: await.Ready, want: "no claim or Sandbox is called"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(tt.objects...)
			r := request(tt.goal)
			r.UID = tt.uid
			_, err := await.New(cluster.Sandboxes, cluster.Kubernetes, clocktesting.NewFakeClock(now)).For(t.Context(), r)
			if (err == nil) != (tt.want == reached) || (err != nil && !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// waitWhile waits for a goal. It calls do to change the cluster once the waiting has started.
func waitWhile(
	t *testing.T, cluster *fakecluster.Cluster, r await.Request, do func(clock *clocktesting.FakeClock),
) error {
	t.Helper()
	watched := make(chan struct{}, 10)
	cluster.Sandboxes.PrependWatchReactor("*", func(clienttesting.Action) (bool, watch.Interface, error) {
		watched <- struct{}{}
		return false, nil, nil
	})
	clock := clocktesting.NewFakeClock(now)
	result := make(chan error, 1)
	r.Timeout = time.Minute
	go func() {
		_, err := await.New(cluster.Sandboxes, cluster.Kubernetes, clock).For(t.Context(), r)
		result <- err
	}()
	<-watched
	do(clock)
	return <-result
}

// refusal makes reads of Sandboxes fail once it has an error.
type refusal struct{ err atomic.Pointer[error] }

func (r *refusal) of(cluster *fakecluster.Cluster) {
	cluster.Sandboxes.PrependReactor(
		"get", apis.ResourceSandboxes,
		func(clienttesting.Action) (bool, runtime.Object, error) {
			if err := r.err.Load(); err != nil {
				return true, nil, *err
			}
			return false, nil, nil
		},
	)
}

func TestAChangeEndsTheWaiting(t *testing.T) {
	tests := map[string]struct {
		goal await.Goal
		do   func(context.Context, *testing.T, *fakecluster.Cluster)
		want string
	}{
		"becoming ready": {goal: await.Ready, do: func(ctx context.Context, t *testing.T, c *fakecluster.Cluster) {
			if _, err := c.Sandboxes.AgentsV1beta1().Sandboxes("ns").Update(
				ctx, sandbox(ready), metav1.UpdateOptions{},
			); err != nil {
				t.Error(err)
			}
		}},
		"deletion while ready is waited for": {goal: await.Ready, want: "it was deleted", do: remove},
		"deletion":                           {goal: await.Deleted, do: remove},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster := fakecluster.New(sandbox())
			err := waitWhile(t, cluster, request(tt.goal), func(clock *clocktesting.FakeClock) {
				tt.do(t.Context(), t, cluster)
				// The change may come before the watch is open: then the next read finds it.
				clock.Step(3 * time.Second)
			})
			if (err == nil) != (tt.want == "") || (err != nil && !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func remove(ctx context.Context, t *testing.T, c *fakecluster.Cluster) {
	if err := c.Sandboxes.AgentsV1beta1().Sandboxes("ns").Delete(ctx, "dev", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

func TestTimeOutNamesTheObstacle(t *testing.T) {
	err := waitWhile(
		t, fakecluster.New(sandbox()), request(await.Ready), func(clock *clocktesting.FakeClock) { clock.Step(time.Minute) },
	)
	var timeout *await.TimeoutError
	if !errors.As(err, &timeout) || !timeout.WaitTimedOut() || timeout.After != time.Minute ||
		!strings.Contains(timeout.Obstacle, "operator") {
		t.Errorf("got %#v", err)
	}
}

func TestAnInterruptEndsTheWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cluster := fakecluster.New(sandbox())
	r := request(await.Ready)
	r.Timeout = -1
	result := make(chan error, 1)
	go func() {
		_, err := await.New(cluster.Sandboxes, cluster.Kubernetes, clock.RealClock{}).For(ctx, r)
		result <- err
	}()
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAnAPIServerThatIsAwayForAWhileIsWaitedFor(t *testing.T) {
	cluster := fakecluster.New(sandbox())
	var refused refusal
	refused.of(cluster)
	err := waitWhile(t, cluster, request(await.Ready), func(clock *clocktesting.FakeClock) {
		refused.err.Store(new(error(apierrors.NewServiceUnavailable("restarting"))))
		clock.Step(time.Minute)
	})
	if _, timedOut := errors.AsType[*await.TimeoutError](err); !timedOut {
		t.Errorf("got %v", err)
	}
}

func TestALostPermissionEndsTheWaiting(t *testing.T) {
	cluster := fakecluster.New(sandbox())
	var refused refusal
	refused.of(cluster)
	err := waitWhile(t, cluster, request(await.Ready), func(clock *clocktesting.FakeClock) {
		refused.err.Store(new(fakecluster.Forbidden("get", apis.ResourceSandboxes, apis.GroupAgents)))
		clock.Step(3 * time.Second)
	})
	if !apierrors.IsForbidden(err) {
		t.Errorf("got %v", err)
	}
}

func TestParseGoal(t *testing.T) {
	if _, err := await.ParseGoal("happy"); err == nil {
		t.Error("an unknown goal is accepted")
	}
	if goal, err := await.ParseGoal("Ready"); err != nil || goal != await.Ready {
		t.Errorf("got %q, %v", goal, err)
	}
}
