// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

// Scheme returns a scheme with every kind that the operator reads or writes.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, agentsv1beta1.AddToScheme, extensionsv1beta1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("scheme: %w", err)
		}
	}
	return scheme, nil
}

// Run runs the operator until the context ends: it validates the configuration, waits for the
// CustomResourceDefinitions, and reconciles. The end of the context is not an error. A leader releases its Lease at the
// end, so that the next one takes over at once.
func Run(ctx context.Context, config Config, restConfig *rest.Config, log logr.Logger) error {
	if err := config.Validate(); err != nil {
		return fmt.Errorf("validate the configuration: %w", err)
	}
	for _, warning := range config.Warnings() {
		log.Info("configuration: " + warning)
	}
	restConfig = rest.CopyConfig(restConfig)
	restConfig.QPS, restConfig.Burst = float32(config.KubeAPIQPS), config.KubeAPIBurst
	election := &electionMonitor{clock: clock.RealClock{}}
	mgr, err := newManager(config, restConfig, election, log)
	if err != nil {
		return err
	}
	var served atomic.Bool
	if err := addProbes(mgr, config, election, &served); err != nil {
		return err
	}
	m, unregister, err := newMetrics(mgr, config)
	if err != nil {
		return err
	}
	defer unregister()
	tracer, err := newTracer(ctx, config, log)
	if err != nil {
		return err
	}
	defer shutdownTracer(ctx, tracer, log)
	setups, err := newReconcilers(mgr, config, m, tracer)
	if err != nil {
		return err
	}
	if len(config.WatchNamespaces) == 0 { // otherwise the operator has no permission to read cluster-scoped objects
		setups = append(setups, func(ctx context.Context) error {
			reportVersionSkew(ctx, mgr.GetAPIReader(), config.requiredKinds(), buildinfo.Get().Version, m.SetVersionSkew, log)
			return nil
		})
	}
	if err := mgr.Add(setupWhenServed(mgr, config, setups, &served, log)); err != nil {
		return fmt.Errorf("add the setup of the reconcilers: %w", err)
	}
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("run the manager: %w", err)
	}
	return nil
}

// setupWhenServed returns a Runnable that waits for the CustomResourceDefinitions and then calls the setup functions.
func setupWhenServed(
	mgr ctrl.Manager, config Config, setups []setupFunc, served *atomic.Bool, log logr.Logger,
) allReplicas {
	return func(ctx context.Context) error {
		for _, kind := range config.requiredKinds() {
			if err := waitForKind(ctx, mgr.GetRESTMapper(), kind, log); err != nil || ctx.Err() != nil {
				return err
			}
		}
		for _, setUp := range setups {
			if err := setUp(ctx); err != nil {
				return err
			}
		}
		served.Store(true)
		return nil
	}
}

// allReplicas is a Runnable that standbys run too, so that they take over with synced caches.
type allReplicas func(context.Context) error

func (e allReplicas) Start(ctx context.Context) error { return e(ctx) }

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (allReplicas) NeedLeaderElection() bool { return false }

func newManager(
	config Config, restConfig *rest.Config, election *electionMonitor, log logr.Logger,
) (ctrl.Manager, error) {
	config.setProfileRates()
	options, err := managerOptions(config, restConfig, election, log)
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(restConfig, options)
	if err != nil {
		return nil, fmt.Errorf("create the manager: %w", err)
	}
	return mgr, nil
}

func managerOptions(
	config Config, restConfig *rest.Config, election *electionMonitor, log logr.Logger,
) (ctrl.Options, error) {
	scheme, err := Scheme()
	if err != nil {
		return ctrl.Options{}, err
	}
	cacheOptions, err := config.cacheOptions()
	if err != nil {
		return ctrl.Options{}, err
	}
	options := ctrl.Options{
		Scheme:                        scheme,
		Logger:                        log,
		Cache:                         cacheOptions,
		Metrics:                       config.metricsServer(),
		HealthProbeBindAddress:        config.HealthProbeBindAddress,
		LeaderElection:                config.LeaderElect,
		LeaderElectionNamespace:       config.LeaderElectionNamespace,
		LeaderElectionID:              apis.LeaseName,
		LeaderElectionConfig:          election.wrapConfig(restConfig),
		LeaderElectionReleaseOnCancel: true,
		RetryPeriod:                   new(waits.ElectionRetry),
		GracefulShutdownTimeout:       new(waits.Shutdown),
		Controller: ctrlconfig.Controller{
			CacheSyncTimeout:   waits.CacheSync,
			SkipNameValidation: new(true), // the integration tests run several operators in one process
		},
	}
	if config.SeparateWatchConnection {
		options.NewCache = newCache
	}
	return options, nil
}

// addProbes adds the readiness and liveness probes. Ready means that the CustomResourceDefinitions are served and the
// caches have synced, on standbys too. Alive means that the caches synced in time (see liveness) and that the leader
// election gets answers: a process that cannot read the cluster, or that would not learn that it leads, is restarted.
func addProbes(mgr ctrl.Manager, config Config, election *electionMonitor, served *atomic.Bool) error {
	var crds []string
	for _, kind := range config.requiredKinds() {
		crds = append(crds, kind.crd)
	}
	synced := func(req *http.Request) error {
		if !served.Load() {
			return fmt.Errorf("not all of the CustomResourceDefinitions are installed: %s", strings.Join(crds, ", "))
		}
		ctx, cancel := context.WithTimeout(req.Context(), waits.CacheProbe)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return fmt.Errorf("the caches have not synced")
		}
		return nil
	}
	if err := mgr.AddReadyzCheck("caches", synced); err != nil {
		return fmt.Errorf("add the readiness probe: %w", err)
	}
	alive := &liveness{clock: clock.RealClock{}, synced: synced, served: served}
	if err := mgr.AddHealthzCheck("caches", alive.check); err != nil {
		return fmt.Errorf("add the liveness probe: %w", err)
	}
	if err := mgr.AddHealthzCheck("leader-election", election.check); err != nil {
		return fmt.Errorf("add the liveness probe: %w", err)
	}
	return nil
}

// waitForKind waits until the API server serves the kind or the context ends, and logs that it waits. Without it, an
// operator that is installed before its CustomResourceDefinitions would crash.
func waitForKind(ctx context.Context, mapper meta.RESTMapper, wanted requiredKind, log logr.Logger) error {
	for logged := false; ; logged = true {
		_, err := mapper.RESTMapping(wanted.GroupKind, apis.VersionV1beta1)
		if err == nil {
			return nil
		}
		if !meta.IsNoMatchError(err) {
			return fmt.Errorf("look up the kind %s: %w", wanted.GroupKind, err)
		}
		if !logged {
			log.Info("waiting for the CustomResourceDefinition to be installed", "crd", wanted.crd)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(waits.CRDPoll):
		}
	}
}
