// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	b "github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// metricsOf returns the PodMetrics of a Pod with two containers, as the API server encodes them.
func metricsOf(pod string) unstructured.Unstructured {
	container := func(name, cpu, memory string) any {
		return map[string]any{"name": name, "usage": map[string]any{"cpu": cpu, "memory": memory}}
	}
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "metrics.k8s.io/v1beta1", "kind": "PodMetrics",
		"metadata": map[string]any{"name": pod, "namespace": b.Namespace,
			"labels": map[string]any{"agents.x-k8s.io/sandbox-name-hash": "x"}},
		"containers": []any{container("main", "12345678n", "34Mi"), container("web", "250m", "1024Ki")},
	}}
}

// startWithMetrics starts a store whose requests for metrics in a namespace get the answer.
func startWithMetrics(t *testing.T, c *fakecluster.Cluster, namespace string,
	answer func(namespace string) ([]unstructured.Unstructured, error)) *running {
	t.Helper()
	metrics := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{podMetricsResource(): "PodMetricsList"})
	metrics.PrependReactor("list", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		items, err := answer(action.GetNamespace())
		if err != nil {
			return true, nil, err
		}
		list := &unstructured.UnstructuredList{Items: items}
		list.SetAPIVersion("metrics.k8s.io/v1beta1")
		list.SetKind("PodMetricsList")
		return true, list, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	s := New(Options{
		Sandboxes: c.Sandboxes, Kubernetes: c.Kubernetes, Dynamic: metrics, Clock: clock.RealClock{}, Namespace: namespace,
		Home: "home", Go: func(f func()) { wg.Go(f) },
	})
	wg.Go(func() { s.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		wg.Wait()
	})
	return &running{s, t}
}

func TestASnapshotHasWhatPodsUse(t *testing.T) {
	for _, namespace := range []string{"", b.Namespace} {
		s := startWithMetrics(t, fakecluster.New(objects()...), namespace,
			func(string) ([]unstructured.Unstructured, error) {
				return []unstructured.Unstructured{metricsOf("own"), metricsOf("a-pod-of-nobody")}, nil
			})
		got := s.until("with usage", func(s *Snapshot) bool { return len(s.Usage) > 0 })
		want := map[key]Usage{{Namespace: b.Namespace, Name: "own"}: {MilliCPU: 263, Memory: 35 << 20}}
		if !maps.Equal(got.Usage, want) {
			t.Errorf("namespace %q: %+v, want %+v", namespace, got.Usage, want)
		}
	}
}

func TestMetricsThatCannotBeReadAreNoProblem(t *testing.T) {
	group := schema.GroupResource{Group: "metrics.k8s.io", Resource: "pods"}
	for name, err := range map[string]error{
		"not served":  fakecluster.NotServed(),
		"forbidden":   apierrors.NewForbidden(group, "", nil),
		"unavailable": apierrors.NewServiceUnavailable("the server is currently unable to handle the request"),
	} {
		t.Run(name, func(t *testing.T) {
			s := startWithMetrics(t, fakecluster.New(objects()...), "",
				func(string) ([]unstructured.Unstructured, error) { return nil, err })
			got := s.until("read", func(s *Snapshot) bool { return synced(s) && s.UsageRead })
			if len(got.Usage) > 0 || got.Health.Disconnected() != nil || len(got.Health.Forbidden()) > 0 {
				t.Errorf("usage %v, health %+v", got.Usage, got.Health)
			}
		})
	}
}

func TestMetricsAreReadInTheNamespacesThatAreReadOneByOne(t *testing.T) {
	g := &scope{store: New(Options{}), state: newState()}
	if got := g.namespacesToRead(); !slices.Equal(got, []string{""}) {
		t.Errorf("before anything is read: %q", got)
	}
	g.sources = []*source{{reading: Reading{Phase: Split}}, {reading: Reading{Namespace: "a"}},
		{reading: Reading{Namespace: "b"}}, {reading: Reading{Namespace: "a"}}}
	if got := g.namespacesToRead(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("namespace by namespace: %q", got)
	}
	g.namespace = "c"
	if got := g.namespacesToRead(); !slices.Equal(got, []string{"c"}) {
		t.Errorf("one namespace: %q", got)
	}
}
