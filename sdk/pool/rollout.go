// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/diagnose"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// Rollout says how far a pool is with replacing the members of other templates, or of other versions of its template.
type Rollout struct {
	// Done reports that the pool has all its members, and that all are Ready and of the template as it is.
	Done bool
	// Waiting says what has not happened yet; empty if it is Done.
	Waiting string
	// Failed reports that it does not happen until somebody changes something.
	Failed bool
}

// RolloutOf returns how far a pool is. The summary must have members, and a template if that exists.
func RolloutOf(s *Summary, f *Inventory) Rollout {
	current := 0
	for _, member := range s.Members {
		if VerdictOf(member, f.Now) == diagnose.Ready && s.Template != nil && !f.stale(s.Template, member) {
			current++
		}
	}
	template := s.Pool.Spec.TemplateRef.Name
	progress := fmt.Sprintf("%d of %d sandboxes are ready and of the newest version of template %s",
		current, s.Desired, template)
	switch {
	case s.Pool.DeletionTimestamp != nil:
		return Rollout{Failed: true, Waiting: "the pool is being deleted"}
	case s.TemplateMissing && (s.Desired > 0 || len(s.Members) > 0):
		return Rollout{Failed: true, Waiting: fmt.Sprintf("template %s does not exist", template)}
	case s.Pool.Status.ObservedGeneration < s.Pool.Generation:
		return Rollout{Waiting: "the operator has not seen the latest change yet"}
	case s.Broken() && !s.TemplateChanged:
		return Rollout{Failed: true, Waiting: progress + "; " + s.Shortage}
	case s.Stale > 0 && !s.Pool.Recreates():
		return Rollout{Waiting: fmt.Sprintf("%s; %d older ones stay until claims take them (update strategy %s)", progress,
			s.Stale, extensionsv1beta1.OnReplenishSandboxWarmPoolUpdateStrategyType)}
	case s.Stale > 0:
		return Rollout{Waiting: fmt.Sprintf("%s; %d older ones are being replaced", progress, s.Stale)}
	case current < s.Desired && s.Shortage != "":
		return Rollout{Waiting: progress + "; " + s.Shortage}
	case current < s.Desired:
		return Rollout{Waiting: progress}
	case len(s.Members) > s.Desired:
		return Rollout{Waiting: fmt.Sprintf("%d sandboxes more than %d are being deleted",
			len(s.Members)-s.Desired, s.Desired)}
	}
	return Rollout{Done: true}
}

// Rollout reads a pool with its template and members, and returns how far it is.
func (c *Client) Rollout(
	ctx context.Context, namespace, name string,
) (*extensionsv1beta1.SandboxWarmPool, Rollout, error) {
	pool, err := c.Pool(ctx, namespace, name)
	if err != nil {
		return nil, Rollout{}, err
	}
	f := &Inventory{Now: c.clock.Now(), Templates: []*extensionsv1beta1.SandboxTemplate{}}
	template, err := c.Template(ctx, namespace, pool.Spec.TemplateRef.Name)
	switch {
	case err == nil:
		f.Templates = append(f.Templates, template)
	case !resolve.Is(err, resolve.NotFound):
		return nil, Rollout{}, err
	}
	if f.Sandboxes, err = c.members(ctx, pool); err != nil {
		return nil, Rollout{}, err
	}
	s := Summarize(pool, f)
	return pool, RolloutOf(&s, f), nil
}

// members lists the Sandboxes that the pool's selector matches: its members, and perhaps others.
func (c *Client) members(
	ctx context.Context, pool *extensionsv1beta1.SandboxWarmPool,
) ([]*agentsv1beta1.Sandbox, error) {
	if _, err := labels.Parse(pool.Status.Selector); err != nil {
		return nil, fmt.Errorf("the selector in the status of pool %s: %w", pool.Name, err)
	}
	options := metav1.ListOptions{LabelSelector: pool.Status.Selector}
	list, err := c.sandboxes.AgentsV1beta1().Sandboxes(pool.Namespace).List(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("list the Sandboxes of pool %s: %w", pool.Name, err)
	}
	return pointers(list.Items), nil
}
