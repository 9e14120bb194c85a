// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"maps"
	"os"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clientevents "k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claim"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/claimsfirst"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/events"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/pool"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/sandbox"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/template"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/tracing"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/volume"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
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

// routers returns the namespaces of the routers that default NetworkPolicies admit.
func (c Config) routers() template.Routers {
	routers := template.Routers{Everywhere: c.RouterNamespaces, Tenants: c.TenantRouterNamespaces}
	if len(routers.Everywhere) == 0 {
		routers.Everywhere = []string{ownNamespace(os.Getenv, os.ReadFile)}
	}
	return routers
}

// cacheOptions restricts the cache to the objects that the reconcilers read.
func (c Config) cacheOptions() (cache.Options, error) {
	options, err := sandbox.CacheOptions()
	if err != nil {
		return cache.Options{}, err
	}
	options.DefaultNamespaces, options.SyncPeriod = c.cacheNamespaces(), new(waits.Resync)
	if !c.Extensions {
		return options, nil
	}
	policies, err := template.CacheByObject()
	maps.Copy(options.ByObject, policies)
	return options, err
}

// setupFunc registers a reconciler. It is called when the required kinds are served.
type setupFunc func(context.Context) error

// shared is what the reconcilers share so that claims go first.
type shared struct {
	gate     *claimsfirst.Gate
	warm     *warmqueue.Queue
	recorder func(name string) clientevents.EventRecorder // its events hold while claims wait
}

// newShared adds to the manager what passes events on.
func newShared(mgr ctrl.Manager) (shared, error) {
	gate := claimsfirst.New(clock.RealClock{})
	holder := events.NewHolder(gate, mgr.GetScheme(), clock.RealClock{})
	if err := mgr.Add(holder); err != nil {
		return shared{}, fmt.Errorf("add the holder of events: %w", err)
	}
	recorder := func(name string) clientevents.EventRecorder { return holder.Recorder(mgr.GetEventRecorder(name)) }
	return shared{gate: gate, warm: warmqueue.New(), recorder: recorder}, nil
}

// newReconcilers returns the setup functions of the reconcilers that the configuration enables.
func newReconcilers(mgr ctrl.Manager, config Config, m *metrics.Metrics, tracer *tracing.Tracer) ([]setupFunc, error) {
	s, err := newShared(mgr)
	if err != nil {
		return nil, err
	}
	all, err := newCore(mgr, config, m, tracer, s)
	if err != nil || !config.Extensions {
		return all, err
	}
	writer := tracer.Client(mgr.GetClient())
	templates, err := template.New(
		writer, mgr.GetAPIReader(), s.recorder(apis.FieldOwnerTemplate), config.routers())
	if err != nil {
		return nil, err
	}
	remover, err := template.NewRemover(writer, mgr.GetAPIReader())
	if err != nil {
		return nil, err
	}
	pools, err := pool.New(
		writer, mgr.GetAPIReader(), s.recorder(apis.FieldOwnerWarmPool), clock.RealClock{}, config.Pools, m, s.gate)
	if err != nil {
		return nil, err
	}
	isLeaving, err := newNodeWatcher(mgr, config)
	if err != nil {
		return nil, err
	}
	claims, err := claim.New(
		writer, mgr.GetAPIReader(), s.warm, s.recorder(apis.FieldOwnerClaim), clock.RealClock{}, m, isLeaving, s.gate)
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

// newCore returns the setup functions of what does not need the extensions.
func newCore(
	mgr ctrl.Manager, config Config, m *metrics.Metrics, tracer *tracing.Tracer, s shared,
) ([]setupFunc, error) {
	writer := tracer.Client(mgr.GetClient())
	core, err := sandbox.New(
		writer, mgr.GetAPIReader(), s.recorder(apis.FieldOwnerSandbox), clock.RealClock{}, config.ClusterDomain, s.gate,
		s.warm.HasMember)
	if err != nil {
		return nil, err
	}
	volumes, err := volume.New(writer, mgr.GetAPIReader(), clock.RealClock{})
	if err != nil {
		return nil, err
	}
	return []setupFunc{
		func(ctx context.Context) error { return m.Watch(ctx, mgr.GetCache(), config.Extensions) },
		func(ctx context.Context) error {
			return core.SetupWithManager(ctx, mgr, config.SandboxConcurrentWorkers, tracer)
		},
		func(context.Context) error { return volumes.SetupWithManager(mgr, tracer) },
	}, nil
}
