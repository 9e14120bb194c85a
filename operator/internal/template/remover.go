// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/lookup"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// Remover deletes the NetworkPolicy of a deleted template once it selects nothing any more. A suspended Sandbox counts,
// because its next Pod needs the policy. It holds no state and is safe for concurrent use.
type Remover struct {
	client client.Client // reads from the cache, writes to the API server
	live   client.Reader // reads from the API server
}

// NewRemover returns a Remover. No argument may be nil.
func NewRemover(c client.Client, live client.Reader) (*Remover, error) {
	if c == nil || live == nil {
		return nil, errors.New("policy remover: a dependency is missing")
	}
	return &Remover{client: c, live: live}, nil
}

// usage is what a policy is still needed for. The set is closed.
type usage int

const (
	unused         usage = iota
	usedByPods           // the template is deleted, and Sandboxes or Pods are left that the policy selects
	usedByTemplate       // the template exists, and its Reconciler maintains the policy
)

// Reconcile deletes the policy if nothing uses it.
func (r *Remover) Reconcile(ctx context.Context, policy *networkingv1.NetworkPolicy) (reconcile.Result, error) {
	template, ok := naming.TemplateOf(policy.Name)
	if !ok || !isTemplatePolicy(policy) || policy.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	used, err := r.observe(ctx, policy.Namespace, template)
	switch {
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("observe what uses the NetworkPolicy: %w", err)
	case used == usedByTemplate:
		return reconcile.Result{}, nil
	case used == usedByPods:
		return reconcile.Result{RequeueAfter: waits.Blocked}, nil
	}
	// A template that is created again writes to the policy, so that the precondition fails.
	unchanged := client.Preconditions{UID: &policy.UID, ResourceVersion: &policy.ResourceVersion}
	if err := r.client.Delete(ctx, policy, unchanged); client.IgnoreNotFound(err) != nil {
		return errorclass.Result(0, fmt.Errorf("delete NetworkPolicy %s: %w", policy.Name, err))
	}
	return reconcile.Result{}, nil
}

// observe reads the cache first. Only the API server can confirm that nothing uses the policy.
func (r *Remover) observe(ctx context.Context, namespace, name string) (usage, error) {
	key := client.ObjectKey{Namespace: namespace, Name: name}
	for _, reader := range []client.Reader{r.client, r.live} {
		template, err := lookup.Get(ctx, reader, key, &extensionsv1beta1.SandboxTemplate{})
		switch {
		case err != nil:
			return unused, err
		case template != nil:
			return usedByTemplate, nil
		}
		for _, list := range []client.ObjectList{&agentsv1beta1.SandboxList{}, &corev1.PodList{}} {
			found, err := anyWithLabel(ctx, reader, namespace, name, list)
			if err != nil || found {
				return usedByPods, err
			}
		}
	}
	return unused, nil
}

// anyWithLabel reports whether an object of the list's kind has the template's label.
func anyWithLabel(
	ctx context.Context, reader client.Reader, namespace, template string, list client.ObjectList,
) (bool, error) {
	err := reader.List(ctx, list, client.InNamespace(namespace), client.Limit(1),
		client.MatchingLabels{apis.LabelSandboxTemplateRefHash: naming.Hash(template)})
	if err != nil {
		return false, fmt.Errorf("list what the NetworkPolicy selects: %w", err)
	}
	return meta.LenList(list) > 0, nil
}
