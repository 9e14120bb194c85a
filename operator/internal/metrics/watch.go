// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// Watch lets the metrics follow what the reconcilers' cache shows: no watch is opened for them. extensions says whether pools and
// templates are watched at all.
func (m *Metrics) Watch(ctx context.Context, informers cache.Informers, extensions bool) error {
	if err := watchKind(ctx, informers, m.sandboxes.update, m.sandboxes.remove); err != nil || !extensions {
		return err
	}
	err := watchKind(ctx, informers,
		func(_, is *extensionsv1beta1.SandboxWarmPool) { m.pools.update(is) },
		func(gone *extensionsv1beta1.SandboxWarmPool) {
			m.pools.remove(client.ObjectKeyFromObject(gone))
			m.claims.deletePool(gone.Namespace, gone.Name)
		})
	if err != nil {
		return err
	}
	known := &templates{claims: m.claims, names: map[string]int{}, namespaces: map[string]int{}, all: map[types.NamespacedName]bool{}}
	return watchKind(ctx, informers,
		func(_, is *extensionsv1beta1.SandboxTemplate) { known.add(client.ObjectKeyFromObject(is)) },
		func(gone *extensionsv1beta1.SandboxTemplate) { known.remove(client.ObjectKeyFromObject(gone)) })
}

// watchKind calls show for each object that comes or changes, and remove for each that goes.
func watchKind[T any, P interface {
	*T
	client.Object
}](ctx context.Context, informers cache.Informers, show func(was, is P), remove func(P)) error {
	informer, err := informers.GetInformer(ctx, P(new(T)), cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("metrics: watch %T: %w", new(T), err)
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) {
			if is, ok := object.(P); ok {
				show(nil, is)
			}
		},
		UpdateFunc: func(before, after any) {
			was, ok := before.(P)
			is, ok2 := after.(P)
			if ok && ok2 {
				show(was, is)
			}
		},
		DeleteFunc: func(object any) {
			if missed, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
				object = missed.Obj
			}
			if gone, ok := object.(P); ok {
				remove(gone)
			}
		},
	})
	if err != nil {
		return fmt.Errorf("metrics: follow %T: %w", new(T), err)
	}
	return nil
}

// templates knows which templates there are, so that series go with the last one that they may be of.
type templates struct {
	claims *claims

	mu         sync.Mutex
	all        map[types.NamespacedName]bool
	names      map[string]int
	namespaces map[string]int
}

func (t *templates) add(key types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.all[key] {
		t.all[key] = true
		t.names[key.Name]++
		t.namespaces[key.Namespace]++
	}
}

func (t *templates) remove(key types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.all[key] {
		return
	}
	delete(t.all, key)
	t.claims.deleteTemplate(key.Namespace, key.Name, decrement(t.names, key.Name))
	if decrement(t.namespaces, key.Namespace) {
		t.claims.deleteNamespace(key.Namespace)
	}
}

// decrement takes one away and says whether it was the last.
func decrement(counts map[string]int, key string) bool {
	if counts[key]--; counts[key] > 0 {
		return false
	}
	delete(counts, key)
	return true
}
