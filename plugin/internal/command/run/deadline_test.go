// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/provision"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

var began = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// made is a created sandbox in a cluster of its own. The test controls the clock.
type made struct {
	*provision.Created
	options *Options
	access  *factory.Clients
	cluster *fakecluster.Cluster
	clock   *clocktesting.FakeClock
}

func makeOf(t *testing.T, change func(*Options)) *made {
	t.Helper()
	o := &Options{Sandbox: provision.NewOptions(), Command: []string{"x"}, Remove: true}
	o.Sandbox.Name = "dev"
	change(o)
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	m := &made{options: o, cluster: fakecluster.New(), clock: clocktesting.NewFakeClock(began)}
	f := &fake.Factory{Time: m.clock, SandboxesClient: m.cluster.Sandboxes, KubernetesClient: m.cluster.Kubernetes}
	var err error
	if m.access, err = factory.NewClients(f); err != nil {
		t.Fatal(err)
	}
	streams := genericiooptions.NewTestIOStreamsDiscard()
	if m.Created, err = o.Sandbox.Create(t.Context(), f, m.access, streams); err != nil {
		t.Fatal(err)
	}
	return m
}

// end returns the deadline of the claim in the cluster.
func (m *made) end(t *testing.T) time.Time {
	t.Helper()
	claims := m.cluster.Sandboxes.ExtensionsV1beta1().SandboxClaims("default")
	claim, err := claims.Get(t.Context(), "dev", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.ShutdownTime(&resolve.Target{Claim: claim})
}

func TestWhatRunMakesEndsInTheClusterToo(t *testing.T) {
	template := func(change func(*Options)) func(*Options) {
		return func(o *Options) {
			o.Sandbox.Template = "t"
			change(o)
		}
	}
	tests := map[string]struct {
		change func(*Options)
		end    time.Duration // 0: never
		policy string
		held   bool
	}{
		"an hour after run was last seen": {
			change: template(func(*Options) {}),
			end:    time.Hour,
			policy: "Delete",
			held:   true,
		},
		"a Sandbox of an image as well": {
			change: func(o *Options) { o.Sandbox.Image = "x" },
			end:    time.Hour,
			policy: "Delete",
			held:   true,
		},
		"at the time that the user said": {
			change: template(func(o *Options) { o.Sandbox.TTL = time.Minute }),
			end:    time.Minute,
			policy: "Delete",
		},
		"in the way that the user said": {
			change: template(func(o *Options) { o.Sandbox.TTL, o.Sandbox.ShutdownPolicy = time.Minute, "Retain" }),
			end:    time.Minute,
			policy: "Retain",
		},
		"an hour after the command was started and left": {
			change: template(func(o *Options) { o.Detach = true }),
			end:    time.Hour,
			policy: "Delete",
		},
		"never when it is kept": {change: template(func(o *Options) { o.Remove = false })},
		"as with create when it is kept for a time": {
			change: template(func(o *Options) { o.Remove, o.Sandbox.TTL = false, time.Minute }),
			end:    time.Minute,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := makeOf(t, tt.change)
			end, policy := sandbox.ShutdownTime(m.Target()), ""
			if claim := m.Target().Claim; claim != nil && claim.Spec.Lifecycle != nil {
				policy = string(claim.Spec.Lifecycle.ShutdownPolicy)
			} else if claim == nil && m.Target().Sandbox.Spec.ShutdownPolicy != nil {
				policy = string(*m.Target().Sandbox.Spec.ShutdownPolicy)
			}
			if tt.end == 0 && !end.IsZero() || tt.end > 0 && !end.Equal(began.Add(tt.end)) || policy != tt.policy ||
				m.options.held != tt.held {
				t.Errorf("ends at %v, policy %q, held %v", end, policy, m.options.held)
			}
		})
	}
}

// holding runs a deadlineKeeper until the test ends. The returned function waits until the keeper gives up, and returns
// what it printed.
func (m *made) holding(t *testing.T) (givesUp func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	over, said := make(chan struct{}), &strings.Builder{}
	go func() {
		defer close(over)
		(&deadlineKeeper{m.access, m.clock, m.Created, said}).keep(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-over
	})
	m.await(t, "the holder waits", m.clock.HasWaiters)
	return func() string {
		t.Helper()
		select {
		case <-over:
		case <-time.After(10 * time.Second):
			t.Fatal("the holder does not give up")
		}
		return said.String()
	}
}

func (m *made) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	condition := func(context.Context) (bool, error) { return holds(), nil }
	if err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 10*time.Second, true, condition); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func claimed(o *Options) { o.Sandbox.Template = "t" }

func TestACommandThatTakesLongerThanTheDeadlineIsNotCutOff(t *testing.T) {
	m := makeOf(t, claimed)
	m.holding(t)
	for _, want := range []time.Duration{80 * time.Minute, 100 * time.Minute, 120 * time.Minute} {
		m.clock.Step(20 * time.Minute)
		m.await(t, "the deadline moves to "+want.String(), func() bool { return m.end(t).Equal(began.Add(want)) })
	}
}

func TestADeadlineThatSomebodyElseSetStays(t *testing.T) {
	m := makeOf(t, claimed)
	claims := m.cluster.Sandboxes.ExtensionsV1beta1().SandboxClaims("default")
	claim := m.Target().Claim.DeepCopy()
	theirs := metav1.NewTime(began.Add(5 * time.Minute))
	claim.Spec.Lifecycle = &extensionsv1beta1.Lifecycle{ShutdownTime: &theirs}
	if _, err := claims.Update(t.Context(), claim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	givesUp := m.holding(t)
	m.clock.Step(20 * time.Minute)
	if text, end := givesUp(), m.end(t); !end.Equal(theirs.Time) || text != "" {
		t.Errorf("it ends at %v, and says %q", end, text)
	}
}

func TestOneWhoMayNotMoveTheDeadlineIsToldOnce(t *testing.T) {
	m := makeOf(t, claimed)
	m.cluster.Refuse(
		"patch", apis.ResourceClaims, fakecluster.Forbidden("patch", apis.ResourceClaims, apis.GroupExtensions),
	)
	givesUp := m.holding(t)
	m.clock.Step(20 * time.Minute)
	if text := givesUp(); strings.Count(text, "\n") != 1 ||
		!strings.Contains(text, "claim/dev ends at 2026-05-01T13:00:00Z") ||
		!strings.Contains(text, "--ttl") {
		t.Errorf("it says %q", text)
	}
}

func TestARenewalThatFailsIsTriedAgain(t *testing.T) {
	m := makeOf(t, claimed)
	m.cluster.Refuse("patch", apis.ResourceClaims, apierrors.NewInternalError(errors.New("not now")))
	m.holding(t)
	m.clock.Step(20 * time.Minute)
	m.await(t, "the patch is tried", func() bool {
		for _, action := range m.cluster.Sandboxes.Actions() {
			if action.GetVerb() == "patch" {
				return true
			}
		}
		return false
	})
	m.cluster.Sandboxes.Lock()
	m.cluster.Sandboxes.ReactionChain = m.cluster.Sandboxes.ReactionChain[1:]
	m.cluster.Sandboxes.Unlock()
	m.clock.Step(20 * time.Minute)
	m.await(t, "the deadline moves on", func() bool { return m.end(t).Equal(began.Add(100 * time.Minute)) })
}

func TestWhoGaveATimeIsToldThatItIsOver(t *testing.T) {
	lost, end := cli.ConnectionLostError(errors.New("the connection was lost")), began.Add(time.Minute)
	o := &Options{Sandbox: provision.NewOptions()}
	o.Sandbox.TTL = time.Minute
	for name, tt := range map[string]struct {
		err  error
		now  time.Time
		says string
	}{
		"a connection that was lost at that time": {
			lost, end, "the sandbox's time (--ttl 1m0s) is over: the connection was lost",
		},
		"one that was lost before":       {lost, began, "the connection was lost"},
		"a command that ended by itself": {cli.RemoteExitError(3), end, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if err := o.explainExpiry(tt.err, end, tt.now); err.Error() != tt.says || cli.ExitCode(err) != cli.ExitCode(tt.err) {
				t.Errorf("got %v, code %d", err, cli.ExitCode(err))
			}
		})
	}
}
