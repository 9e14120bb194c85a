// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"maps"
	"os"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claim"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/pool"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/template"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/tracing"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/volume"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/warmqueue"
)

// requiredKind is a kind that the API server must serve before the operator works.
type requiredKind struct {
	schema.GroupKind

	crd string
}

// requiredKinds returns the kinds that the configuration requires.
func (c Config) requiredKinds() []requiredKind {
	required := func(group, kind, crd string) requiredKind {
		return requiredKind{schema.GroupKind{Group: group, Kind: kind}, crd}
	}
	all := []requiredKind{required(apis.GroupAgents, apis.KindSandbox, apis.CRDSandboxes)}
	if c.Extensions {
		all = append(all,
			required(apis.GroupExtensions, apis.KindSandboxTemplate, apis.CRDSandboxTemplates),
			required(apis.GroupExtensions, apis.KindSandboxWarmPool, apis.CRDSandboxWarmPools),
			required(apis.GroupExtensions, apis.KindSandboxClaim, apis.CRDSandboxClaims),
		)
	}
	return all
}

// routerNamespaces returns the namespaces whose routers the default NetworkPolicy admits.
func (c Config) routerNamespaces() []string {
	if len(c.RouterNamespaces) > 0 {
		return c.RouterNamespaces
	}
	return []string{ownNamespace(os.Getenv, os.ReadFile)}
}

// cacheByObject restricts the cache to the objects that the reconcilers read.
func (c Config) cacheByObject() (map[client.Object]cache.ByObject, error) {
	all, err := sandbox.CacheByObject()
	if err != nil || !c.Extensions {
		return all, err
	}
	policies, err := template.CacheByObject()
	maps.Copy(all, policies)
	return all, err
}

// setupFunc registers a reconciler. It is called when the required kinds are served.
type setupFunc func(context.Context) error

// newReconcilers returns the setup functions of the reconcilers that the configuration enables.
func newReconcilers(mgr ctrl.Manager, config Config, m *metrics.Metrics, tracer *tracing.Tracer) ([]setupFunc, error) {
	writer := tracer.Client(mgr.GetClient())
	core, err := sandbox.New(
		writer, mgr.GetAPIReader(), mgr.GetEventRecorder(apis.FieldOwnerSandbox), clock.RealClock{}, config.ClusterDomain)
	if err != nil {
		return nil, err
	}
	volumes, err := volume.New(writer, mgr.GetAPIReader(), clock.RealClock{})
	if err != nil {
		return nil, err
	}
	all := []setupFunc{
		func(ctx context.Context) error { return m.Watch(ctx, mgr.GetCache(), config.Extensions) },
		func(ctx context.Context) error {
			return core.SetupWithManager(ctx, mgr, config.SandboxConcurrentWorkers, tracer)
		},
		func(context.Context) error { return volumes.SetupWithManager(mgr, tracer) },
	}
	if !config.Extensions {
		return all, nil
	}
	templates, err := template.New(
		writer, mgr.GetAPIReader(), mgr.GetEventRecorder(apis.FieldOwnerTemplate), config.routerNamespaces())
	if err != nil {
		return nil, err
	}
	remover, err := template.NewRemover(writer, mgr.GetAPIReader())
	if err != nil {
		return nil, err
	}
	pools, err := pool.New(
		writer, mgr.GetAPIReader(), mgr.GetEventRecorder(apis.FieldOwnerWarmPool), clock.RealClock{}, config.Pools, m)
	if err != nil {
		return nil, err
	}
	isLeaving, err := newNodeWatcher(mgr, config)
	if err != nil {
		return nil, err
	}
	claims, err := claim.New(
		writer, mgr.GetAPIReader(), warmqueue.New(), mgr.GetEventRecorder(apis.FieldOwnerClaim), clock.RealClock{},
		m, isLeaving)
	if err != nil {
		return nil, err
	}
	return append(all,
		func(context.Context) error {
			return templates.SetupWithManager(mgr, config.SandboxTemplateConcurrentWorkers, tracer)
		},
		func(context.Context) error { return remover.SetupWithManager(mgr, tracer) },
		func(ctx context.Context) error {
			return pools.SetupWithManager(ctx, mgr, config.SandboxWarmPoolConcurrentWorkers, tracer)
		},
		func(ctx context.Context) error {
			return claims.SetupWithManager(ctx, mgr, config.SandboxClaimConcurrentWorkers, tracer)
		},
	), nil
}
