// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/errorclass"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// Remover takes away NetworkPolicies whose template is gone once nothing is left that they select. A suspended Sandbox counts: its Pod
// will need the policy. It holds no state of its own, so a restart forgets nothing, and is safe for concurrent use.
type Remover struct {
	client client.Client // reads from the cache, writes to the API server
	live   client.Reader // reads from the API server
}

// NewRemover returns a Remover. Every argument is needed.
func NewRemover(c client.Client, live client.Reader) (*Remover, error) {
	if c == nil || live == nil {
		return nil, fmt.Errorf("remover of policies: a dependency is missing")
	}
	return &Remover{client: c, live: live}, nil
}

// usage is what a policy is still needed for. The set is closed.
type usage int

const (
	unused         usage = iota
	usedByPods           // its template is gone, and there is what it selects, or will
	usedByTemplate       // its template is there and looks after it
)

// Reconcile removes one policy that nothing needs any more.
func (r *Remover) Reconcile(ctx context.Context, policy *networkingv1.NetworkPolicy) (reconcile.Result, error) {
	name, named := naming.TemplateOf(policy.Name)
	if !named || !isTemplatePolicy(policy) || policy.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	neededFor, err := r.observe(ctx, policy.Namespace, name)
	switch {
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("observe what the NetworkPolicy is needed for: %w", err)
	case neededFor == usedByTemplate:
		return reconcile.Result{}, nil
	case neededFor == usedByPods:
		return reconcile.Result{RequeueAfter: waits.Blocked}, nil
	}
	// The lock: a template made anew takes the policy over by a write to it.
	is := client.Preconditions{UID: &policy.UID, ResourceVersion: &policy.ResourceVersion}
	if err := r.client.Delete(ctx, policy, is); client.IgnoreNotFound(err) != nil {
		return errorclass.Result(0, fmt.Errorf("delete NetworkPolicy %s: %w", policy.Name, err))
	}
	return reconcile.Result{}, nil
}

// observe asks the cache first. That nothing needs the policy only the API server may say.
func (r *Remover) observe(ctx context.Context, namespace, name string) (usage, error) {
	for _, reader := range []client.Reader{r.client, r.live} {
		switch err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &extensionsv1beta1.SandboxTemplate{}); {
		case err == nil:
			return usedByTemplate, nil
		case !apierrors.IsNotFound(err):
			return unused, fmt.Errorf("get SandboxTemplate %s: %w", name, err)
		}
		for _, list := range []client.ObjectList{&agentsv1beta1.SandboxList{}, &corev1.PodList{}} {
			selected, err := anyWithLabel(ctx, reader, namespace, name, list)
			if err != nil || selected {
				return usedByPods, err
			}
		}
	}
	return unused, nil
}

// anyWithLabel says whether there is one of the kind that carries the template's label.
func anyWithLabel(ctx context.Context, reader client.Reader, namespace, name string, list client.ObjectList) (bool, error) {
	err := reader.List(ctx, list, client.InNamespace(namespace), client.Limit(1),
		client.MatchingLabels{apis.LabelSandboxTemplateRefHash: naming.Hash(name)})
	if err != nil {
		return false, fmt.Errorf("list what the NetworkPolicy selects: %w", err)
	}
	return meta.LenList(list) > 0, nil
}
