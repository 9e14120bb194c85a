// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clientevents "k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/events"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// Reconciler keeps the NetworkPolicies of templates. It holds no state of its own and is safe for concurrent use.
type Reconciler struct {
	client           client.Client // reads from the cache, writes to the API server
	live             client.Reader // reads from the API server
	recorder         clientevents.EventRecorder
	routerNamespaces []string // namespaces, sorted
}

// New returns a Reconciler. Every argument is needed; routers are the namespaces whose routers the default policy lets in.
func New(c client.Client, live client.Reader, recorder clientevents.EventRecorder, routers []string) (*Reconciler, error) {
	if c == nil || live == nil || recorder == nil || len(routers) == 0 {
		return nil, fmt.Errorf("template reconciler: a dependency is missing")
	}
	routers = slices.Compact(slices.Sorted(slices.Values(routers)))
	return &Reconciler{client: c, live: live, recorder: recorder, routerNamespaces: routers}, nil
}

// Reconcile brings the NetworkPolicy of one template in line.
func (r *Reconciler) Reconcile(ctx context.Context, template *extensionsv1beta1.SandboxTemplate) (reconcile.Result, error) {
	if !template.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, nil // the policy stays as long as there are Pods for it: see Remover
	}
	was, err := r.observe(ctx, template)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("observe the NetworkPolicy: %w", err)
	}
	todo := decide(template, was, r.routerNamespaces)
	err = r.apply(ctx, template, todo)
	return r.outcome(template, todo, err)
}

// observe returns the policy of the name, whoever's it is. The cache holds labelled ones only: absence is asked for.
func (r *Reconciler) observe(ctx context.Context, template *extensionsv1beta1.SandboxTemplate) (*networkingv1.NetworkPolicy, error) {
	key := client.ObjectKey{Namespace: template.Namespace, Name: naming.NetworkPolicy(template.Name)}
	for _, reader := range []client.Reader{r.client, r.live} {
		var policy networkingv1.NetworkPolicy
		switch err := reader.Get(ctx, key, &policy); {
		case err == nil:
			return &policy, nil
		case !apierrors.IsNotFound(err):
			return nil, fmt.Errorf("get %s: %w", key, err)
		}
	}
	return nil, nil
}

func (r *Reconciler) apply(ctx context.Context, template *extensionsv1beta1.SandboxTemplate, todo step) error {
	owner := client.FieldOwner(apis.FieldOwnerTemplate)
	switch todo := todo.(type) {
	case keep, awaitDeletion, reject:
	case create:
		err := r.client.Create(ctx, todo.desired, owner)
		if apierrors.IsInvalid(err) && template.Spec.NetworkPolicy != nil {
			r.warn(template, apis.ReasonNetworkPolicyRejected, "spec.networkPolicy is not valid, so nothing may reach the "+
				"Sandboxes and they may reach nothing until it is corrected: "+err.Error())
			err = r.client.Create(ctx, denyAll(todo.desired), owner)
		}
		if err != nil {
			return fmt.Errorf("create NetworkPolicy %s: %w", todo.desired.Name, err)
		}
	case patch:
		// The lock: a policy that somebody takes over meanwhile is not ours to change.
		from := client.MergeFromWithOptions(todo.current, client.MergeFromWithOptimisticLock{})
		if err := r.client.Patch(ctx, todo.desired, from, owner); err != nil {
			return fmt.Errorf("patch NetworkPolicy %s: %w", todo.desired.Name, err)
		}
	case remove:
		is := client.Preconditions{UID: &todo.current.UID, ResourceVersion: &todo.current.ResourceVersion}
		if err := r.client.Delete(ctx, todo.current, is); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete NetworkPolicy %s: %w", todo.current.Name, err)
		}
	}
	return nil
}

// outcome turns what a pass did into what the queue does next, and tells the user what only a person can change.
func (r *Reconciler) outcome(template *extensionsv1beta1.SandboxTemplate, todo step, err error) (reconcile.Result, error) {
	if refused, ok := todo.(reject); ok {
		r.warn(template, apis.ReasonNetworkPolicyRefused, refused.message)
		return reconcile.Result{RequeueAfter: waits.Blocked}, nil
	}
	if apierrors.IsInvalid(err) {
		r.warn(template, apis.ReasonNetworkPolicyRejected, "The NetworkPolicy stays as it is until spec.networkPolicy is corrected: "+err.Error())
	}
	return errorclass.Result(0, err)
}

// warn warns.
func (r *Reconciler) warn(about *extensionsv1beta1.SandboxTemplate, reason apis.Reason, note string) {
	events.Record(r.recorder, about, nil, corev1.EventTypeWarning, reason, "Reconcile", note)
}
