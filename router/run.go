// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/access"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/book"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/file"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/metrics"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/proxy"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/resume"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/token"
	"github.com/agent-sandbox/kubectl-sandbox/router/internal/tracing"
)

const (
	// minToken is the least number of bytes of a static token.
	minToken = 16
	// reviewQPS and reviewBurst limit reviews: tokens that somebody makes up must not load the API server.
	reviewQPS, reviewBurst = 100, 200
	// tracingTimeout limits the set-up of tracing and the last export.
	tracingTimeout = 5 * time.Second
)

// Clients are the connections of the router to the API server.
type Clients struct {
	Sandboxes  versioned.Interface
	Kubernetes kubernetes.Interface
	Reviews    kubernetes.Interface // with a rate limit of its own
}

// Connect returns Clients of an API server. The error is that of reading the configuration, which it passes on.
func Connect(restConfig *rest.Config, err error) (Clients, error) {
	if err != nil {
		return Clients{}, err
	}
	all, limited := rest.CopyConfig(restConfig), rest.CopyConfig(restConfig)
	all.QPS = -1 // the API server limits them fairly
	limited.QPS, limited.Burst = reviewQPS, reviewBurst
	sandboxes, err := versioned.NewForConfig(all)
	pods, podsErr := kubernetes.NewForConfig(all)
	reviews, reviewsErr := kubernetes.NewForConfig(limited)
	if err := errors.Join(err, podsErr, reviewsErr); err != nil {
		return Clients{}, fmt.Errorf("create the clients: %w", err)
	}
	return Clients{sandboxes, pods, reviews}, nil
}

// Run runs the router until the context ends, and then drains it. The end of the context is not an error.
func Run(ctx context.Context, config Config, clients Clients, log logr.Logger) error {
	if err := config.Validate(); err != nil {
		return fmt.Errorf("validate the configuration: %w", err)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", config.BindAddress)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	probes, err := listen.Listen(ctx, "tcp", config.ProbeBindAddress)
	if err != nil {
		return errors.Join(fmt.Errorf("listen for probes: %w", err), listener.Close())
	}
	return run(ctx, config, clients, log, listener, probes)
}

// run serves both listeners, and closes them.
func run(
	ctx context.Context, config Config, clients Clients, log logr.Logger, listener, probes net.Listener,
) error {
	defer func() { _, _ = listener.Close(), probes.Close() }() // the servers close them, too
	for _, warning := range config.Warnings() {
		log.Info("WARNING: " + warning)
	}
	// What feeds the requests outlives them.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	registry := prometheus.NewRegistry()
	h, secrets, err := newHandler(config, clients, registry, log)
	if err != nil {
		return err
	}
	defer h.proxy.Close()
	if h.tracer, err = newTracer(ctx, config, log); err != nil {
		return err
	}
	defer shutdownTracer(ctx, h.tracer, log)
	var certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	if config.TLSCertFile != "" {
		watcher, err := certwatcher.New(config.TLSCertFile, config.TLSKeyFile)
		if err != nil {
			return fmt.Errorf("read the certificate: %w", err)
		}
		certificate = watcher.GetCertificate
		running.Go(func() {
			if err := watcher.Start(background); err != nil {
				log.Error(err, "the certificate is not read again when it changes")
			}
		})
	}
	running.Go(func() { h.book.Run(background, clock.RealClock{}, log.WithName("book")) })
	running.Go(func() { file.Follow(background, clock.RealClock{}, log, secrets...) })
	var draining atomic.Bool
	admin := &http.Server{Handler: probeHandler(registry, h.book.HasSynced, &draining),
		ReadHeaderTimeout: readHeaderTimeout}
	running.Go(func() {
		if err := admin.Serve(probes); !errors.Is(err, http.ErrServerClosed) {
			log.Error(err, "probes and metrics are not served any more")
		}
	})
	defer func() { _ = admin.Close() }()
	log.Info("serving", "address", listener.Addr().String(), "tls", certificate != nil)
	return newFront(h, certificate, log).serve(ctx, listener, config, func() {
		log.Info("draining", "delay", config.DrainDelay.String(), "timeout", config.DrainTimeout.String())
		draining.Store(true)
	})
}

// newHandler returns the handler without a tracer, and the secrets to follow.
func newHandler(
	config Config, clients Clients, registry prometheus.Registerer, log logr.Logger,
) (*handler, []*file.Secret, error) {
	static, staticErr := readSecret(config.TokenFile, minToken)
	current, currentErr := readSecret(config.SigningKeyFile, token.MinKey)
	previous, previousErr := readSecret(config.PreviousSigningKeyFile, token.MinKey)
	addresses, err := book.New(clients.Sandboxes, config.WatchNamespaces)
	if err := errors.Join(err, staticErr, currentErr, previousErr); err != nil {
		return nil, nil, err
	}
	m, err := metrics.New(registry, addresses.Size)
	if err != nil {
		return nil, nil, fmt.Errorf("register the metrics: %w", err)
	}
	if config.AllowUnauthenticated {
		m.Open()
	}
	clk := clock.RealClock{}
	signer := token.NewSigner(current, previous, clk)
	h := &handler{
		config: config, clock: clk, log: log.WithName("access"), book: addresses, metrics: m, signer: signer,
		lookup: book.NewLookup(addresses, clk), tracer: tracing.Off(),
		gate: access.New(access.Config{
			Kubernetes: clients.Reviews, Audiences: config.Audiences, TTL: config.ReviewTTL, Static: static, Signer: signer,
			Open: config.AllowUnauthenticated, Clock: clk, Asked: m.Reviewed,
		}),
		resumer: &resume.Resumer{
			Sandboxes: clients.Sandboxes, Book: addresses, Limit: config.ProxyTimeout, Done: m.Resumed,
		},
	}
	h.proxy = proxy.New(proxy.Config{
		Locator: &book.Locator{
			Kubernetes: clients.Kubernetes, DNS: net.DefaultResolver, ClusterDomain: config.ClusterDomain,
		},
		Clock: clk, Log: log.WithName("proxy"), Dialed: m.Dialed,
		Annotate: func(ctx context.Context, headers http.Header) { h.tracer.Inject(ctx, headers) },
	})
	return h, []*file.Secret{static, current, previous}, nil
}

// readSecret returns nil if there is no such file configured.
func readSecret(path string, atLeast int) (*file.Secret, error) {
	if path == "" {
		return nil, nil
	}
	return file.Read(path, atLeast)
}

// probeHandler serves the metrics and the probes. Not ready means: no new connections, please.
func probeHandler(registry *prometheus.Registry, synced func() bool, draining *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		switch {
		case draining.Load():
			http.Error(w, "draining", http.StatusServiceUnavailable)
		case !synced():
			http.Error(w, "the address book is not filled yet", http.StatusServiceUnavailable)
		default:
			_, _ = w.Write([]byte("ok"))
		}
	})
	return mux
}

func newTracer(ctx context.Context, config Config, log logr.Logger) (*tracing.Tracer, error) {
	if !config.EnableTracing {
		return tracing.Off(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, tracingTimeout)
	defer cancel()
	return tracing.Setup(ctx, log.WithName("tracing"))
}

// shutdownTracer exports the last spans. The context has ended.
func shutdownTracer(ctx context.Context, tracer *tracing.Tracer, log logr.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracingTimeout)
	defer cancel()
	if err := tracer.Shutdown(ctx); err != nil {
		log.Error(err, "export the last traces")
	}
}
