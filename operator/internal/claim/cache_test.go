// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// cached returns the operator's client. It reads from the cache, which can lag, and writes to the API server, whose
// answers onWrite can replace.
func (w *world) cached() client.Client {
	return interceptor.NewClient(w.store, interceptor.Funcs{
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
		) error {
			sandbox, ok := o.(*agentsv1beta1.Sandbox)
			if !ok {
				return w.getCached(ctx, key, o, opts)
			}
			w.read("cache: Sandbox " + key.Name)
			old, lags := w.staleSandboxes[key.Name]
			switch {
			case !lags:
				return c.Get(ctx, key, o, opts...)
			case old == nil:
				return apierrors.NewNotFound(agentsv1beta1.SchemeGroupVersion.WithResource("sandboxes").GroupResource(), key.Name)
			default:
				old.DeepCopyInto(sandbox)
				return nil
			}
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if sandboxes, ok := list.(*agentsv1beta1.SandboxList); ok {
				w.read("cache: Sandboxes")
				return w.listCached(ctx, sandboxes, opts)
			}
			return c.List(ctx, list, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return w.write("create "+kindOf(o), func() error {
				*w.createdCount++
				o.SetUID(types.UID(fmt.Sprintf("made-%d", *w.createdCount)))
				return c.Create(ctx, o, opts...)
			})
		},
		Patch: func(
			ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption,
		) error {
			return w.write("patch "+kindOf(o), func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			var with client.DeleteOptions
			with.ApplyOptions(opts)
			what := "delete " + kindOf(o)
			if with.PropagationPolicy != nil {
				what += " " + string(*with.PropagationPolicy)
			}
			return w.write(what, func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourcePatch: func(
			ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch,
			opts ...client.SubResourcePatchOption,
		) error {
			return w.write("patch "+kindOf(o)+"/"+sub, func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
	})
}

// getCached reads a template or a pool as the cache shows it.
func (w *world) getCached(ctx context.Context, key client.ObjectKey, o client.Object, opts []client.GetOption) error {
	switch o := o.(type) {
	case *extensionsv1beta1.SandboxTemplate:
		if old, behind := w.staleObjects[key.Name].(*extensionsv1beta1.SandboxTemplate); behind {
			old.DeepCopyInto(o)
			return nil
		}
	case *extensionsv1beta1.SandboxWarmPool:
		if old, behind := w.staleObjects[key.Name].(*extensionsv1beta1.SandboxWarmPool); behind {
			old.DeepCopyInto(o)
			return nil
		}
	}
	return w.store.Get(ctx, key, o, opts...)
}

func kindOf(o runtime.Object) string { return strings.TrimPrefix(fmt.Sprintf("%T", o), "*v1beta1.") }

func (w *world) write(what string, do func() error) error {
	w.writes = append(w.writes, what)
	if w.onWrite != nil {
		return w.onWrite(what, do)
	}
	return do()
}

// listCached lists the Sandboxes in the cache, by its index.
func (w *world) listCached(ctx context.Context, list *agentsv1beta1.SandboxList, opts []client.ListOption) error {
	var options client.ListOptions
	options.ApplyOptions(opts)
	var all agentsv1beta1.SandboxList
	if err := w.store.List(ctx, &all, client.InNamespace(options.Namespace)); err != nil {
		return err
	}
	shown := map[string]*agentsv1beta1.Sandbox{}
	for i := range all.Items {
		shown[all.Items[i].Name] = &all.Items[i]
	}
	maps.Copy(shown, w.staleSandboxes)
	var uid string
	var indexed bool
	if options.FieldSelector != nil {
		uid, indexed = options.FieldSelector.RequiresExactMatch(claimUIDIndex)
	}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		if s := shown[name]; s != nil && (!indexed || slices.Contains(claimUIDOf(s), uid)) {
			list.Items = append(list.Items, *s.DeepCopy())
		}
	}
	return nil
}

// live returns a reader of the API server.
func (w *world) live() client.Reader {
	return interceptor.NewClient(w.store, interceptor.Funcs{
		Get: func(
			ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
		) error {
			w.read("get " + kindOf(o) + " " + key.Name)
			return c.Get(ctx, key, o, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			w.read("list " + kindOf(list))
			return c.List(ctx, list, opts...)
		},
	})
}

func (w *world) read(what string) {
	if w.beforeRead != nil {
		w.beforeRead(what)
	}
}

// syncQueue updates the queue with all Sandboxes, as the watch does.
func (w *world) syncQueue() {
	w.t.Helper()
	for _, s := range w.sandboxes() {
		w.showQueue(s.Name, &s)
	}
}

// showQueue updates the queue with one Sandbox. nil means that it does not exist.
func (w *world) showQueue(name string, s *agentsv1beta1.Sandbox) {
	if s == nil {
		w.queue.Remove(keyOf(name))
		return
	}
	remembered := w.reconciler.memory
	if _, lags := w.staleSandboxes[name]; lags { // the queue hints, but the memory never forgets before the cache shows it
		w.reconciler.memory = newMemory()
	}
	w.reconciler.sandboxObserved(s)
	w.reconciler.memory = remembered
}

// freezeSandbox lets the cache keep the present version of a Sandbox, and returns that version.
func (w *world) freezeSandbox(name string) *agentsv1beta1.Sandbox {
	w.t.Helper()
	s := &agentsv1beta1.Sandbox{}
	if err := w.store.Get(context.Background(), keyOf(name), s); apierrors.IsNotFound(err) {
		s = nil
	} else if err != nil {
		w.t.Fatal(err)
	}
	w.staleSandboxes[name] = s
	return s
}
