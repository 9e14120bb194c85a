// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/tui/view"
)

// source reads one kind in one namespace, or in all. Its fields are guarded by the store's lock.
type source struct {
	store   *Store
	kind    kind
	scope   *scope
	reading Reading
	cancel  context.CancelFunc
}

// newBackoff returns the backoff between requests to an API server that fails.
func newBackoff() *wait.Backoff {
	return &wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 10 * time.Second, Steps: 1 << 20}
}

// start starts reading. The caller holds the store's lock.
func (src *source) start() {
	ctx, cancel := context.WithCancel(src.scope.ctx)
	src.cancel = cancel
	lw, client := src.kind.open(src.reading.Namespace)
	f := &reflectorStore{source: src, ctx: ctx}
	watched := cache.ToListWatcherWithWatchListSemantics(f.recordHealth(lw), client)
	reflector := cache.NewReflectorWithOptions(watched, src.kind.example, f, cache.ReflectorOptions{
		Name: src.kind.resource, Backoff: newBackoff(),
	})
	src.store.o.Go(func() { reflector.RunWithContext(ctx) })
}

// reflectorStore receives the objects of a reflector. It drops objects that arrive after its context has ended, because
// a successor may be running already.
type reflectorStore struct {
	source *source
	ctx    context.Context
}

// recordHealth wraps lw to record the outcome of each list and watch.
func (f *reflectorStore) recordHealth(lw *cache.ListWatch) *cache.ListWatch {
	list, watching := lw.ListWithContextFunc, lw.WatchFuncWithContext
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			found, err := list(ctx, o)
			if err != nil {
				f.failed(err)
			}
			return found, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			w, err := watching(ctx, o)
			if err != nil {
				f.failed(err)
				return w, err
			}
			f.locked(func(*state) { f.source.healthy() })
			return w, nil
		},
	}
}

// locked calls do under the store's lock, unless the context has ended.
func (f *reflectorStore) locked(do func(*state)) {
	s := f.source.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.ctx.Err() == nil {
		do(f.source.scope.state)
		s.signalChange()
	}
}

func (f *reflectorStore) failed(err error) {
	if f.ctx.Err() != nil || errors.Is(err, context.Canceled) || apierrors.IsResourceExpired(err) ||
		apierrors.IsGone(err) || apierrors.IsInvalid(err) {
		return // the reflector handles these errors
	}
	f.locked(func(*state) {
		switch src := f.source; {
		case apierrors.IsForbidden(err):
			src.setPhase(Forbidden, err)
			if src.reading.Namespace == "" {
				src.scope.split(src)
			}
		case resolve.NotServed(err):
			src.setPhase(NotServed, err)
		default:
			src.setPhase(Disconnected, err)
		}
	})
}

// setPhase sets the phase and its error.
func (src *source) setPhase(phase Phase, err error) {
	r := &src.reading
	if r.Phase != phase {
		r.Phase, r.Since = phase, src.store.o.Clock.Now()
	}
	r.Message = ""
	if err != nil {
		r.Message = view.Reason(err)
	}
	src.scope.state.changed = true
}

// healthy sets the phase when a watch runs: Synced if everything was read before, else Loading.
func (src *source) healthy() {
	if src.reading.Once {
		src.setPhase(Synced, nil)
	} else {
		src.setPhase(Loading, nil)
	}
}

// Add implements cache.ReflectorStore.
func (f *reflectorStore) Add(object any) error {
	f.locked(func(st *state) { f.source.kind.put(st, object) })
	return nil
}

// Update implements cache.ReflectorStore.
func (f *reflectorStore) Update(object any) error { return f.Add(object) }

// Delete implements cache.ReflectorStore.
func (f *reflectorStore) Delete(object any) error {
	o, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	f.locked(func(st *state) { f.source.kind.drop(st, keyOf(o)) })
	return nil
}

// Replace implements cache.ReflectorStore.
func (f *reflectorStore) Replace(objects []any, _ string) error {
	f.locked(func(st *state) {
		namespace, k := f.source.reading.Namespace, f.source.kind
		gone := map[key]struct{}{}
		k.keys(st, func(have key) {
			if namespace == "" || have.Namespace == namespace {
				gone[have] = struct{}{}
			}
		})
		for _, object := range objects {
			if o, err := meta.Accessor(object); err == nil {
				delete(gone, keyOf(o))
			}
			k.put(st, object)
		}
		for have := range gone {
			k.drop(st, have)
		}
		f.source.reading.Once = true
		f.source.setPhase(Synced, nil)
	})
	return nil
}

// Resync implements cache.ReflectorStore. It has nothing to do.
func (f *reflectorStore) Resync() error { return nil }
