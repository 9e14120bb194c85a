// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"errors"
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
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// Reconciler maintains the NetworkPolicies of templates. It holds no state and is safe for concurrent use.
type Reconciler struct {
	client   client.Client // reads from the cache, writes to the API server
	live     client.Reader // reads from the API server
	recorder clientevents.EventRecorder
	routers  Routers
}

// Routers are the namespaces of the routers that default policies let in.
type Routers struct {
	Everywhere []string // let in by the policies of all namespaces
	Tenants    []string // each let in only by the policies of that namespace itself
}

// of returns the namespaces whose routers the default policies of a namespace let in, sorted.
func (r Routers) of(namespace string) []string {
	all := slices.Clone(r.Everywhere)
	if slices.Contains(r.Tenants, namespace) {
		all = append(all, namespace)
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// New returns a Reconciler. No argument may be nil or empty, except for the routers of tenants.
func New(
	c client.Client, live client.Reader, recorder clientevents.EventRecorder, routers Routers,
) (*Reconciler, error) {
	if c == nil || live == nil || recorder == nil || len(routers.Everywhere) == 0 {
		return nil, errors.New("template reconciler: a dependency is missing")
	}
	return &Reconciler{client: c, live: live, recorder: recorder, routers: routers}, nil
}

// Reconcile creates, corrects or deletes the NetworkPolicy of one template.
func (r *Reconciler) Reconcile(
	ctx context.Context, template *extensionsv1beta1.SandboxTemplate,
) (reconcile.Result, error) {
	if !template.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, nil // the Remover deletes the policy when no Pod needs it
	}
	current, err := r.observe(ctx, template)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("observe the NetworkPolicy: %w", err)
	}
	rival, err := r.observeRival(ctx, template, current)
	if err != nil {
		return reconcile.Result{}, err
	}
	next := decide(template, current, rival, r.routers.of(template.Namespace))
	err = r.apply(ctx, template, next)
	return r.outcome(template, next, err)
}

// observe returns the policy of the template's name, whoever it belongs to, or nil. The cache holds labelled policies
// only, so the API server decides whether there is none.
func (r *Reconciler) observe(
	ctx context.Context, template *extensionsv1beta1.SandboxTemplate,
) (*networkingv1.NetworkPolicy, error) {
	key := client.ObjectKey{Namespace: template.Namespace, Name: naming.NetworkPolicy(template.Name)}
	return lookup.GetConfirmed(ctx, r.client, r.live, key, &networkingv1.NetworkPolicy{})
}

// observeRival returns an older policy of another template that selects the Pods of this one, or nil. Two names may
// have the same hash. Before a policy is created, the API server decides whether there is one.
func (r *Reconciler) observeRival(
	ctx context.Context, template *extensionsv1beta1.SandboxTemplate, current *networkingv1.NetworkPolicy,
) (*networkingv1.NetworkPolicy, error) {
	reader := client.Reader(r.client)
	if current == nil {
		reader = r.live
	}
	hash := naming.Hash(template.Name)
	var list networkingv1.NetworkPolicyList
	err := reader.List(ctx, &list, client.InNamespace(template.Namespace),
		client.MatchingLabels{apis.LabelSandboxTemplateRefHash: hash})
	if err != nil {
		return nil, fmt.Errorf("list the NetworkPolicies of templates: %w", err)
	}
	for i := range list.Items {
		policy := &list.Items[i]
		name, ok := naming.TemplateOf(policy.Name)
		if ok && name != template.Name && naming.Hash(name) == hash && belongsToTemplate(policy) &&
			isOlder(policy, current) {
			return policy, nil
		}
	}
	return nil, nil
}

func (r *Reconciler) apply(ctx context.Context, template *extensionsv1beta1.SandboxTemplate, next step) error {
	fieldOwner := client.FieldOwner(apis.FieldOwnerTemplate)
	switch s := next.(type) {
	case keep, awaitDeletion, reject:
	case create:
		err := r.client.Create(ctx, s.desired, fieldOwner)
		if apierrors.IsInvalid(err) && template.Spec.NetworkPolicy != nil {
			r.warn(template, apis.ReasonNetworkPolicyRejected, "spec.networkPolicy is not valid; until it is corrected, the "+
				"NetworkPolicy denies all traffic from and to the Sandboxes: "+err.Error())
			err = r.client.Create(ctx, denyAll(s.desired), fieldOwner)
		}
		if err != nil {
			return fmt.Errorf("create NetworkPolicy %s: %w", s.desired.Name, err)
		}
	case patch:
		// The lock protects a policy that somebody takes over meanwhile.
		from := client.MergeFromWithOptions(s.current, client.MergeFromWithOptimisticLock{})
		if err := r.client.Patch(ctx, s.desired, from, fieldOwner); err != nil {
			return fmt.Errorf("patch NetworkPolicy %s: %w", s.desired.Name, err)
		}
	case remove:
		unchanged := client.Preconditions{UID: &s.current.UID, ResourceVersion: &s.current.ResourceVersion}
		if err := r.client.Delete(ctx, s.current, unchanged); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete NetworkPolicy %s: %w", s.current.Name, err)
		}
	}
	return nil
}

// outcome returns the result of the reconcile, and warns about problems that only a person can solve.
func (r *Reconciler) outcome(
	template *extensionsv1beta1.SandboxTemplate, next step, err error,
) (reconcile.Result, error) {
	if rejected, ok := next.(reject); ok {
		r.warn(template, apis.ReasonNetworkPolicyRefused, rejected.message)
		return reconcile.Result{RequeueAfter: waits.Blocked}, nil
	}
	if apierrors.IsInvalid(err) {
		r.warn(template, apis.ReasonNetworkPolicyRejected,
			"The NetworkPolicy is not changed until spec.networkPolicy is corrected: "+err.Error())
	}
	return errorclass.Result(0, err)
}

func (r *Reconciler) warn(template *extensionsv1beta1.SandboxTemplate, reason apis.Reason, note string) {
	events.Record(r.recorder, template, nil, corev1.EventTypeWarning, reason, apis.ActionReconcile, note)
}
