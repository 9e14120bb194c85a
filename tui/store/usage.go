// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

const (
	// usageInterval is how often usage is read: metrics servers measure every 15 seconds.
	usageInterval = 15 * time.Second
	// usageRetryInterval is how often it is tried again where metrics are not served, or not for this user.
	usageRetryInterval = time.Minute
	// usageTimeout is the maximum time for one read.
	usageTimeout = 5 * time.Second
)

// Usage is what all containers of a Pod used lately.
type Usage struct {
	MilliCPU int64
	Memory   int64 // in bytes
}

// podMetrics is a PodMetrics of the group metrics.k8s.io.
type podMetrics struct {
	metav1.ObjectMeta `json:"metadata"`

	Containers []struct {
		Usage corev1.ResourceList `json:"usage"`
	} `json:"containers"`
}

func podMetricsResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "metrics.k8s.io", Version: "v1beta1", Resource: "pods"}
}

// pollUsage reads the usage of all Pods of Sandboxes at intervals, until the scope ends. Usage that cannot be read
// is not shown, without an error.
func (g *scope) pollUsage() {
	for {
		usage := g.readUsage()
		g.store.mu.Lock()
		if g.ctx.Err() == nil {
			g.state.setUsage(usage)
			g.store.signalChange()
		}
		g.store.mu.Unlock()
		pause := usageInterval
		if usage == nil {
			pause = usageRetryInterval
		}
		rest := g.store.o.Clock.NewTimer(pause)
		select {
		case <-g.ctx.Done():
			rest.Stop()
			return
		case <-rest.C():
		}
	}
}

// readUsage returns the usage of each Pod, or nil if it could not be read anywhere.
func (g *scope) readUsage() map[key]Usage {
	ctx, cancel := context.WithTimeout(g.ctx, usageTimeout)
	defer cancel()
	var usage map[key]Usage
	for _, namespace := range g.namespacesToRead() {
		list, err := g.store.o.Dynamic.Resource(podMetricsResource()).Namespace(namespace).List(ctx,
			metav1.ListOptions{LabelSelector: apis.LabelSandboxNameHash})
		if err != nil {
			continue
		}
		if usage == nil {
			usage = make(map[key]Usage, len(list.Items))
		}
		for i := range list.Items {
			if name, used, ok := usageOf(&list.Items[i]); ok {
				usage[name] = used
			}
		}
	}
	return usage
}

// namespacesToRead returns the namespaces to read: those that are read one by one, else the scope's.
func (g *scope) namespacesToRead() []string {
	g.store.mu.Lock()
	defer g.store.mu.Unlock()
	if g.namespace != "" {
		return []string{g.namespace}
	}
	var names []string
	for _, src := range g.sources {
		if name := src.reading.Namespace; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return []string{metav1.NamespaceAll}
	}
	return names
}

func usageOf(object *unstructured.Unstructured) (name key, used Usage, ok bool) {
	var metrics podMetrics
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &metrics); err != nil {
		return key{}, Usage{}, false
	}
	for i := range metrics.Containers {
		used.MilliCPU += metrics.Containers[i].Usage.Cpu().MilliValue()
		used.Memory += metrics.Containers[i].Usage.Memory().Value()
	}
	return key{Namespace: metrics.Namespace, Name: metrics.Name}, used, true
}

// usages has the usage of Pods, and that of their Sandboxes. The caller has to lock it.
type usages struct {
	read bool // also if there is none
	pods map[key]Usage
	// sandboxes is never changed, only replaced: snapshots share it.
	sandboxes map[key]Usage
	outdated  bool
}

// setUsage sets the usage of Pods.
func (s *state) setUsage(pods map[key]Usage) {
	s.usage.read, s.usage.pods, s.usage.outdated, s.changed = true, pods, true, true
}

// sandboxUsage returns the usage of each Sandbox, by its name.
func (s *state) sandboxUsage() map[types.NamespacedName]Usage {
	if !s.usage.outdated {
		return s.usage.sandboxes
	}
	s.usage.outdated, s.usage.sandboxes = false, nil
	for pod, used := range s.usage.pods {
		sandbox, known := s.byUID[s.podOwners[pod]]
		if !known {
			continue
		}
		if s.usage.sandboxes == nil {
			s.usage.sandboxes = make(map[key]Usage, len(s.usage.pods))
		}
		s.usage.sandboxes[sandbox] = used
	}
	return s.usage.sandboxes
}
