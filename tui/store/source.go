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
	in      *generation
	reading Reading
	cancel  context.CancelFunc
}

// again is how long to wait before an API server that fails is asked again.
func again() *wait.Backoff {
	return &wait.Backoff{Duration: 500 * time.Millisecond, Factor: 2, Jitter: 0.5, Cap: 10 * time.Second, Steps: 1 << 20}
}

// start begins to read, with the store's lock held.
func (src *source) start() {
	ctx, cancel := context.WithCancel(src.in.ctx)
	src.cancel = cancel
	lw, client := src.kind.open(src.reading.Namespace)
	f := &feed{source: src, ctx: ctx}
	watched := cache.ToListWatcherWithWatchListSemantics(f.observed(lw), client)
	reflector := cache.NewReflectorWithOptions(watched, src.kind.example, f, cache.ReflectorOptions{
		Name: src.kind.resource, Backoff: again(),
	})
	src.store.o.Go(func() { reflector.RunWithContext(ctx) })
}

// feed is where a reflector puts what it reads. What comes after its context ended is dropped: a successor may run already.
type feed struct {
	source *source
	ctx    context.Context
}

// observed notes how each list and watch went.
func (f *feed) observed(lw *cache.ListWatch) *cache.ListWatch {
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

// locked runs under the store's lock, unless the feed's time is over.
func (f *feed) locked(do func(*state)) {
	s := f.source.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.ctx.Err() == nil {
		do(f.source.in.state)
		s.poke()
	}
}

func (f *feed) failed(err error) {
	if f.ctx.Err() != nil || errors.Is(err, context.Canceled) || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsInvalid(err) {
		return // the reflector knows what to do
	}
	f.locked(func(*state) {
		switch src := f.source; {
		case apierrors.IsForbidden(err):
			src.enter(Forbidden, err)
			if src.reading.Namespace == "" {
				src.in.split(src)
			}
		case resolve.NotServed(err):
			src.enter(NotServed, err)
		default:
			src.enter(Disconnected, err)
		}
	})
}

// enter changes the phase.
func (src *source) enter(phase Phase, err error) {
	r := &src.reading
	if r.Phase != phase {
		r.Phase, r.Since = phase, src.store.o.Clock.Now()
	}
	r.Message = ""
	if err != nil {
		r.Message = view.Reason(err)
	}
	src.in.state.changed = true
}

// healthy is entered when a watch runs: changes arrive again, or soon everything will have.
func (src *source) healthy() {
	if src.reading.Once {
		src.enter(Synced, nil)
	} else {
		src.enter(Loading, nil)
	}
}

// Add implements cache.ReflectorStore.
func (f *feed) Add(object any) error {
	f.locked(func(st *state) { f.source.kind.put(st, object) })
	return nil
}

// Update implements cache.ReflectorStore.
func (f *feed) Update(object any) error { return f.Add(object) }

// Delete implements cache.ReflectorStore.
func (f *feed) Delete(object any) error {
	o, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	f.locked(func(st *state) { f.source.kind.drop(st, keyOf(o)) })
	return nil
}

// Replace implements cache.ReflectorStore.
func (f *feed) Replace(objects []any, _ string) error {
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
		f.source.enter(Synced, nil)
	})
	return nil
}

// Resync implements cache.ReflectorStore. There is nothing to resynchronise.
func (f *feed) Resync() error { return nil }
