// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// The resources that the store reads.
const (
	resourcePools     = apis.ResourceWarmPools
	resourceClaims    = apis.ResourceClaims
	resourceSandboxes = apis.ResourceSandboxes
	resourceTemplates = apis.ResourceTemplates
	resourcePods      = "pods"
)

// kind describes how one resource is read and stored.
type kind struct {
	resource string
	example  runtime.Object
	// open returns a ListWatch for a namespace, and the client that it uses.
	open func(namespace string) (lw *cache.ListWatch, client any)
	put  func(*state, any)
	drop func(*state, key)
	keys func(*state, func(key))
}

// kinds returns the kinds that the store reads, in the order in which their problems are reported.
func (s *Store) kinds() []kind {
	agents, extensions := s.o.Sandboxes.AgentsV1beta1(), s.o.Sandboxes.ExtensionsV1beta1()
	return []kind{
		{
			resource: resourceSandboxes, example: &agentsv1beta1.Sandbox{},
			open: func(ns string) (*cache.ListWatch, any) {
				c := agents.Sandboxes(ns)
				return listWatch(c.List, c.Watch, ""), s.o.Sandboxes
			},
			put:  put((*state).putSandbox),
			drop: (*state).dropSandbox, keys: func(st *state, each func(key)) { eachKey(st.sandboxes, each) },
		},
		{
			resource: resourceClaims, example: &extensionsv1beta1.SandboxClaim{},
			open: func(ns string) (*cache.ListWatch, any) {
				c := extensions.SandboxClaims(ns)
				return listWatch(c.List, c.Watch, ""), s.o.Sandboxes
			},
			put:  put((*state).putClaim),
			drop: (*state).dropClaim, keys: func(st *state, each func(key)) { eachKey(st.claims, each) },
		},
		{
			resource: resourcePools, example: &extensionsv1beta1.SandboxWarmPool{},
			open: func(ns string) (*cache.ListWatch, any) {
				c := extensions.SandboxWarmPools(ns)
				return listWatch(c.List, c.Watch, ""), s.o.Sandboxes
			},
			put:  put((*state).putPool),
			drop: (*state).dropPool, keys: func(st *state, each func(key)) { eachKey(st.pools, each) },
		},
		{
			resource: resourceTemplates, example: &extensionsv1beta1.SandboxTemplate{},
			open: func(ns string) (*cache.ListWatch, any) {
				c := extensions.SandboxTemplates(ns)
				return listWatch(c.List, c.Watch, ""), s.o.Sandboxes
			},
			put:  put((*state).putTemplate),
			drop: (*state).dropTemplate, keys: func(st *state, each func(key)) { eachKey(st.templates, each) },
		},
		{
			resource: resourcePods, example: &corev1.Pod{},
			open: func(ns string) (*cache.ListWatch, any) {
				c := s.o.Kubernetes.CoreV1().Pods(ns)
				return listWatch(c.List, c.Watch, apis.LabelSandboxNameHash), s.o.Kubernetes
			},
			put:  put((*state).putPod),
			drop: (*state).dropPod, keys: func(st *state, each func(key)) { eachKey(st.podOwners, each) },
		},
	}
}

func eachKey[V any](objects map[key]V, each func(key)) {
	for k := range objects {
		each(k)
	}
}

func listWatch[L runtime.Object](
	list func(context.Context, metav1.ListOptions) (L, error),
	watching func(context.Context, metav1.ListOptions) (watch.Interface, error), selector string,
) *cache.ListWatch {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = selector
			return list(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = selector
			return watching(ctx, o)
		},
	}
}

// put adapts f to the untyped objects of a reflector.
func put[T any](f func(*state, T)) func(*state, any) {
	return func(st *state, o any) {
		if typed, is := o.(T); is {
			f(st, typed)
		}
	}
}
