// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/ratelimiter"
)

func TestWhatAPoolHoldsWaitsBehindTheRest(t *testing.T) {
	var objects []client.Object
	for name, owner := range map[string]string{
		"pooled": "SandboxWarmPool", "claimed": "SandboxClaim", "bare": "", "kept": "SandboxWarmPool",
	} {
		objects = append(
			objects, box(created(testNow, owner), func(s *agentsv1beta1.Sandbox) { s.Name, s.UID = name, types.UID(name) }),
		)
	}
	queue, ok := newWorld(t, objects...).reconciler.newQueue("test", ratelimiter.New()).(*memberLastQueue)
	if !ok {
		t.Fatal("not a queue with lanes")
	}
	defer queue.ShutDown()
	item := func(name string) reconcile.Request {
		return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: name}}
	}
	queue.Add(item("pooled"))
	queue.AddWithOpts(priorityqueue.AddOpts{Priority: new(5)}, item("kept"))
	queue.AddWithOpts(priorityqueue.AddOpts{}, item("claimed"), item("bare"))
	queue.Add(item("gone"))
	var got []string
	for range 5 {
		next, _ := queue.Get()
		got = append(got, next.Name)
		queue.Done(next)
	}
	if want := []string{"kept", "claimed", "bare", "gone", "pooled"}; !slices.Equal(got, want) {
		t.Errorf("order is %v, want %v", got, want)
	}
}
