// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package factory_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// lines collects what a wait prints. It is safe for concurrent use.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

// Write implements io.Writer.
func (l *lines) Write(text []byte) (int, error) {
	l.add(string(text))
	return len(text), nil
}

func (l *lines) snapshot() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.all...)
}

func TestAWaitFirstSaysThatNoOperatorWorks(t *testing.T) {
	leaderless := b.Operator(1)
	leaderless.Spec.Template.Spec.Containers = []corev1.Container{
		{Name: leaderless.Name, Args: []string{"--leader-elect=true"}},
	}
	for name, tt := range map[string]struct {
		operator []runtime.Object
		hidden   bool
		want     []string // in the lines, in this order
	}{
		"it is scaled to zero": {
			operator: []runtime.Object{b.Operator(0)},
			want:     []string{"Warning: no operator manages", "the operator is scaled to zero"},
		},
		"there is none": {want: []string{"Warning: perhaps no operator manages", "no operator was found"}},
		"nobody leads": {
			operator: []runtime.Object{leaderless}, want: []string{"Warning: no operator manages", "has not "},
		},
		"it works":                 {operator: []runtime.Object{b.Operator(1)}, want: []string{"has not "}},
		"the user may not look":    {hidden: true, want: []string{"has not "}},
		"the API server is silent": {want: []string{"has not "}},
	} {
		for _, goal := range []await.Goal{await.Ready, await.Suspended} {
			t.Run(name+", "+string(goal), func(t *testing.T) {
				now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
				sandbox := b.Sandbox("dev", b.WithUID("s"), b.WithGeneration(1), b.CreatedAt(now))
				if goal == await.Suspended {
					sandbox.Spec.Replicas = new(int32(0))
				}
				cluster := fakecluster.New(append(tt.operator, sandbox)...)
				if tt.hidden {
					cluster.Refuse("*", "deployments", fakecluster.Forbidden("list", "deployments", "apps"))
				}
				if name == "the API server is silent" {
					cluster.Refuse("*", "deployments", context.DeadlineExceeded)
				}
				clock := clocktesting.NewFakeClock(now)
				f := &fake.Factory{
					In: b.Namespace, Time: clock, SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
				}
				clients, err := factory.NewClients(f)
				if err != nil {
					t.Fatal(err)
				}
				said := &lines{}
				ctx, cancel := context.WithCancel(t.Context())
				var over sync.WaitGroup
				over.Go(func() {
					_, _ = clients.Wait(ctx, await.Request{
						Namespace: b.Namespace, Ref: resolve.Ref{Kind: resolve.KindSandbox, Name: "dev"}, Goal: goal,
						Timeout: time.Hour, Progress: said.add,
					}, said)
				})
				defer over.Wait()
				defer cancel()
				const step = 100 * time.Millisecond
				for end := time.Now().Add(20 * time.Second); len(said.snapshot()) < len(tt.want); clock.Step(step) {
					if time.Now().After(end) {
						t.Fatalf("it says only %q", said.snapshot())
					}
					<-time.After(2 * time.Millisecond)
				}
				for i, line := range said.snapshot()[:len(tt.want)] {
					if !strings.Contains(line, tt.want[i]) {
						t.Errorf("line %d is %q", i+1, line)
					}
				}
			})
		}
	}
}
