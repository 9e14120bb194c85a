// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/bench/ledger"
)

// observer follows the claims and Sandboxes of one namespace, or of all if it has no name, in a ledger of its own.
type observer struct {
	*ledger.Ledger

	client    client.WithWatch
	namespace string
	stop      context.CancelFunc
	done      sync.WaitGroup
	mu        sync.Mutex
	errs      []error
}

// observe starts the watches. Unless it returns an error, the caller calls end.
func (w *World) observe(ctx context.Context, namespace string) (*observer, error) {
	o := &observer{Ledger: ledger.New(), client: w.Client, namespace: namespace}
	watching, stop := context.WithCancel(ctx)
	o.stop = stop
	for _, list := range []client.ObjectList{&extensionsv1beta1.SandboxClaimList{}, &agentsv1beta1.SandboxList{}} {
		if err := o.watch(watching, list); err != nil {
			o.end()
			return nil, err
		}
	}
	return o, nil
}

// end ends the watches.
func (o *observer) end() {
	o.stop()
	o.done.Wait()
}

func (o *observer) addError(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	const enough = 5
	if len(o.errs) < enough {
		o.errs = append(o.errs, err)
	}
}

// Err returns the client's errors.
func (o *observer) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return errors.Join(o.errs...)
}

// AllReady waits until the watch has shown the given number of created objects Ready.
func (o *observer) AllReady(ctx context.Context, count int) error {
	err := waitUntil(ctx, fmt.Sprintf("%d are Ready", count), func() (bool, error) {
		return o.Ready() >= count, o.Err()
	})
	if err != nil {
		return fmt.Errorf("%d of %d were Ready: %w", o.Ready(), count, err)
	}
	return nil
}

// create creates an object and records when. Err returns the failure.
func (o *observer) create(ctx context.Context, object client.Object) {
	o.RecordCreation(object.GetName(), time.Now())
	if err := o.client.Create(ctx, object); err != nil {
		o.addError(fmt.Errorf("create %s: %w", object.GetName(), err))
	}
}

// watch records every event in the ledger, in order and without gaps: it resumes a watch that the API server ends. A
// watch that cannot be resumed before its end is an error, because it may have missed events.
func (o *observer) watch(ctx context.Context, list client.ObjectList) error {
	if err := o.client.List(ctx, list, client.InNamespace(o.namespace)); err != nil {
		return err
	}
	open := cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface,
		error) {
		return o.client.Watch(ctx, list, client.InNamespace(o.namespace), &client.ListOptions{Raw: &options})
	}}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &open)
	if err != nil {
		return fmt.Errorf("watch %T: %w", list, err)
	}
	o.done.Go(func() {
		defer watcher.Stop()
		for event := range watcher.ResultChan() {
			now := time.Now()
			switch object := event.Object.(type) {
			case *extensionsv1beta1.SandboxClaim:
				o.RecordClaim(event.Type, object, now)
			case *agentsv1beta1.Sandbox:
				o.RecordSandbox(event.Type, object, now)
			default:
				o.addError(fmt.Errorf("watch of %T: %w", list, apierrors.FromObject(event.Object)))
			}
		}
		if ctx.Err() == nil {
			o.addError(fmt.Errorf("watch of %T ended", list))
		}
	})
	return nil
}
