// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
)

// byTemplate names the pool's template and the pool, for clusters whose claims cannot name a pool alone. There too, a
// claim that a warm Sandbox cannot serve starts a new one.
func (s *claimAdapter) byTemplate(ctx context.Context) error {
	spec := &s.claim.Spec
	pool, err := s.pool(ctx, spec.WarmPoolRef.Name)
	if err != nil {
		return err
	}
	policy := extensionsv1beta1.WarmPoolPolicy(pool.Name)
	if len(spec.Env)+len(spec.VolumeClaimTemplates) > 0 {
		policy = apis.WarmPoolNone
	}
	spec.TemplateRef, spec.WarmPool, spec.WarmPoolRef = &pool.Spec.TemplateRef, &policy, nil
	return nil
}

// byPool names a pool, for clusters whose claims cannot name a template.
func (s *claimAdapter) byPool(ctx context.Context) error {
	spec := &s.claim.Spec
	template, policy := spec.TemplateRef.Name, spec.WarmPoolPolicy()
	const only = "this cluster makes claims from pools only"
	var name string
	switch policy {
	case apis.WarmPoolNone:
		return fmt.Errorf(
			"%s: a new Sandbox of template %s without a pool is not possible; claim from one of its pools", only, template,
		)
	case apis.WarmPoolDefault:
		pool, err := s.bestPool(ctx, template)
		if err != nil {
			return err
		}
		if pool == "" {
			return fmt.Errorf("%s, and template %s has none: make one first (pool create NAME --template %[2]s)", only, template)
		}
		name = pool
	default:
		pool, err := s.pool(ctx, string(policy))
		if err != nil {
			return err
		}
		if of := pool.Spec.TemplateRef.Name; of != template {
			return fmt.Errorf("%s, and pool %s is of template %s, not of %s", only, pool.Name, of, template)
		}
		name = pool.Name
	}
	spec.TemplateRef, spec.WarmPool, spec.WarmPoolRef = nil, nil, &extensionsv1beta1.WarmPoolRef{Name: name}
	return nil
}

func (s *claimAdapter) pool(ctx context.Context, name string) (*extensionsv1beta1.SandboxWarmPool, error) {
	pool, err := s.client.sandboxes.ExtensionsV1beta1().SandboxWarmPools(s.claim.Namespace).Get(
		ctx, name, metav1.GetOptions{},
	)
	if apierrors.IsNotFound(err) {
		return nil, resolve.ErrorNotFound(resolve.Ref{Kind: resolve.KindPool, Name: name}, s.claim.Namespace)
	}
	if err != nil {
		return nil, fmt.Errorf("read pool %s: %w", name, err)
	}
	return pool, nil
}

// bestPool returns the pool of the template with the most Ready members; empty if it has no pool.
func (s *claimAdapter) bestPool(ctx context.Context, template string) (string, error) {
	list, err := s.client.sandboxes.ExtensionsV1beta1().SandboxWarmPools(s.claim.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("list pools: %w", err)
	}
	pools := slices.DeleteFunc(
		list.Items, func(p extensionsv1beta1.SandboxWarmPool) bool { return p.Spec.TemplateRef.Name != template },
	)
	if len(pools) == 0 {
		return "", nil
	}
	slices.SortFunc(pools, func(a, b extensionsv1beta1.SandboxWarmPool) int {
		return cmp.Or(cmp.Compare(b.Status.ReadyReplicas, a.Status.ReadyReplicas), cmp.Compare(a.Name, b.Name))
	})
	return pools[0].Name, nil
}
