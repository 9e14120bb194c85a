// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package await

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// rewatchPause is the pause before a broken watch is opened again.
const rewatchPause = time.Second

// openWatch opens one watch.
type openWatch func(context.Context, metav1.ListOptions) (watch.Interface, error)

// watches signal that something about a target has changed, but not what: the caller reads the objects.
type watches struct {
	ctx     context.Context // the goroutines live as long as the caller's context
	waiter  *Waiter
	changed chan struct{}
	running map[string]bool
}

func newWatches(ctx context.Context, w *Waiter) *watches {
	return &watches{ctx: ctx, waiter: w, changed: make(chan struct{}, 1), running: map[string]bool{}}
}

// follow watches each object of the target that is not watched yet.
func (w *watches) follow(t *resolve.Target) {
	if t == nil {
		return
	}
	named := func(name string) metav1.ListOptions {
		return metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()}
	}
	if t.Claim != nil {
		w.start(
			"claim "+t.Claim.Name, named(t.Claim.Name),
			w.waiter.sandboxes.ExtensionsV1beta1().SandboxClaims(t.Namespace).Watch,
		)
	}
	if t.Sandbox != nil {
		w.start(
			"sandbox "+t.Sandbox.Name, named(t.Sandbox.Name), w.waiter.sandboxes.AgentsV1beta1().Sandboxes(t.Namespace).Watch,
		)
		pods := metav1.ListOptions{LabelSelector: resolve.PodSelector(t.Sandbox.Name)}
		w.start("pods of "+t.Sandbox.Name, pods, w.waiter.kubernetes.CoreV1().Pods(t.Namespace).Watch)
	}
}

func (w *watches) start(key string, options metav1.ListOptions, open openWatch) {
	if w.running[key] {
		return
	}
	w.running[key] = true
	go w.keep(options, open)
}

// keep holds a watch open until the context ends. A new watch begins with the existing objects, so that changes in
// between are noticed. A watch that cannot be opened is not an error: the objects are polled too.
func (w *watches) keep(options metav1.ListOptions, open openWatch) {
	for w.ctx.Err() == nil {
		if stream, err := open(w.ctx, options); err == nil {
			w.drain(stream)
		}
		pause := w.waiter.clock.NewTimer(rewatchPause)
		select {
		case <-w.ctx.Done():
		case <-pause.C():
		}
		pause.Stop()
	}
}

func (w *watches) drain(stream watch.Interface) {
	defer stream.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case _, open := <-stream.ResultChan():
			if !open {
				return
			}
			select {
			case w.changed <- struct{}{}:
			default: // a read is already due
			}
		}
	}
}

// Watch signals changes to a caller that decides for itself. Its watches end with the context. Its methods may not be
// called concurrently.
type Watch struct{ watches *watches }

// Watch returns a Watch that follows nothing yet.
func (w *Waiter) Watch(ctx context.Context) *Watch { return &Watch{watches: newWatches(ctx, w)} }

// Changed receives a value when a fresh read is due.
func (f *Watch) Changed() <-chan struct{} { return f.watches.changed }

// AddTarget watches the objects of a target that exist.
func (f *Watch) AddTarget(t *resolve.Target) { f.watches.follow(t) }

// AddNamespace watches the selected claims and Sandboxes of a namespace, or of all if it is empty.
func (f *Watch) AddNamespace(namespace, selector string) {
	options := metav1.ListOptions{LabelSelector: selector}
	sandboxes := f.watches.waiter.sandboxes
	f.watches.start("all claims", options, sandboxes.ExtensionsV1beta1().SandboxClaims(namespace).Watch)
	f.watches.start("all sandboxes", options, sandboxes.AgentsV1beta1().Sandboxes(namespace).Watch)
}
