// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
)

// watch records every event in the ledger, in order and without gaps: it resumes a watch that the API server ends. A
// watch that cannot be resumed before the Space is closed is an error, because it may have missed events.
func (s *Space) watch(ctx context.Context, list client.ObjectList) error {
	if err := s.world.Client.List(ctx, list, client.InNamespace(s.Name)); err != nil {
		return err
	}
	open := cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface,
		error) {
		return s.world.Client.Watch(ctx, list, client.InNamespace(s.Name), &client.ListOptions{Raw: &options})
	}}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &open)
	if err != nil {
		return fmt.Errorf("watch %T: %w", list, err)
	}
	s.done.Go(func() {
		defer watcher.Stop()
		for event := range watcher.ResultChan() {
			now := time.Now()
			switch object := event.Object.(type) {
			case *extensionsv1beta1.SandboxClaim:
				s.RecordClaim(event.Type, object, now)
			case *agentsv1beta1.Sandbox:
				s.RecordSandbox(event.Type, object, now)
			default:
				s.addError(fmt.Errorf("watch of %T: %w", list, apierrors.FromObject(event.Object)))
			}
		}
		if ctx.Err() == nil {
			s.addError(fmt.Errorf("watch of %T ended", list))
		}
	})
	return nil
}
