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

// Watch registers event handlers at the informers of the reconcilers' cache, so that the metrics need no watch of their
// own. extensions says whether pools and templates are watched.
func (m *Metrics) Watch(ctx context.Context, informers cache.Informers, extensions bool) error {
	if err := watchKind(ctx, informers, m.sandboxes.update, m.sandboxes.remove); err != nil || !extensions {
		return err
	}
	err := watchKind(ctx, informers,
		func(_, pool *extensionsv1beta1.SandboxWarmPool) { m.pools.update(pool) },
		func(pool *extensionsv1beta1.SandboxWarmPool) {
			m.pools.remove(client.ObjectKeyFromObject(pool))
			m.claims.deletePool(pool.Namespace, pool.Name)
		})
	if err != nil {
		return err
	}
	known := &templates{
		claims: m.claims, names: map[string]int{}, namespaces: map[string]int{}, all: map[types.NamespacedName]bool{},
	}
	return watchKind(ctx, informers,
		func(_, template *extensionsv1beta1.SandboxTemplate) { known.add(client.ObjectKeyFromObject(template)) },
		func(template *extensionsv1beta1.SandboxTemplate) { known.remove(client.ObjectKeyFromObject(template)) })
}

// watchKind calls update for each created or changed object, with a nil before for a created one, and remove for each
// deleted one.
func watchKind[T any, P interface {
	*T
	client.Object
}](ctx context.Context, informers cache.Informers, update func(before, after P), remove func(P)) error {
	informer, err := informers.GetInformer(ctx, P(new(T)), cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("metrics: get the informer of %T: %w", new(T), err)
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) {
			if created, ok := object.(P); ok {
				update(nil, created)
			}
		},
		UpdateFunc: func(oldObject, newObject any) {
			before, ok := oldObject.(P)
			after, ok2 := newObject.(P)
			if ok && ok2 {
				update(before, after)
			}
		},
		DeleteFunc: func(object any) {
			if tombstone, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
				object = tombstone.Obj
			}
			if deleted, ok := object.(P); ok {
				remove(deleted)
			}
		},
	})
	if err != nil {
		return fmt.Errorf("metrics: add a handler for %T: %w", new(T), err)
	}
	return nil
}

// templates counts the templates by name and namespace, so that series are deleted with the last template that they can
// belong to.
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

// decrement reports whether the count reached zero, and then deletes it.
func decrement(counts map[string]int, key string) bool {
	if counts[key]--; counts[key] > 0 {
		return false
	}
	delete(counts, key)
	return true
}
