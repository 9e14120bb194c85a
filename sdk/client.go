// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"go.opentelemetry.io/otel"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/observe"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
)

// maxLookUps is how many sandboxes Active asks for at the same time.
const maxLookUps = 8

// Client creates sandboxes and finds them. Its methods may be called concurrently.
type Client struct {
	options

	clients   Clients
	resolver  *resolve.Resolver
	waiter    *await.Waiter
	observer  *observe.Observer
	sandboxes *sandbox.Client
	tracer    tracer

	operators *operator.Monitor
	handles   *registry
	router    *router // nil: requests go to the Pod
}

// New returns a Client for the cluster that the configuration names. Without one (nil), cluster and namespace are those
// of kubectl: they come from KUBECONFIG, from the file in the home directory, or in a Pod from its ServiceAccount. It
// connects to nothing yet.
func New(config *rest.Config, opts ...Option) (*Client, error) {
	if config == nil {
		loaded := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil)
		namespace, _, err := loaded.Namespace()
		if err == nil {
			config, err = loaded.ClientConfig()
		}
		if err != nil {
			return nil, fmt.Errorf("find the cluster: %w", err)
		}
		opts = append([]Option{WithNamespace(namespace)}, opts...)
	}
	o := newOptions(opts)
	if err := o.validate(); err != nil {
		return nil, err
	}
	clients, err := NewClients(config, o.clock)
	if err != nil {
		return nil, err
	}
	return newClient(clients, o), nil
}

// NewWith returns a Client that uses existing connections. All of them are required.
func NewWith(clients Clients, opts ...Option) (*Client, error) {
	if clients.Sandboxes == nil || clients.Kubernetes == nil || clients.Network == nil {
		return nil, errors.New("a Client needs all of Clients")
	}
	o := newOptions(opts)
	if err := o.validate(); err != nil {
		return nil, err
	}
	return newClient(clients, o), nil
}

func newOptions(opts []Option) options {
	o := options{
		namespace: metav1.NamespaceDefault, readyTimeout: DefaultReadyTimeout, requestTimeout: DefaultRequestTimeout,
		cleanupTimeout: DefaultCleanupTimeout, maxOutput: DefaultMaxOutput, maxFile: DefaultMaxFile,
		runtimePort: apis.DefaultSandboxPort, clock: clock.RealClock{},
	}
	for _, option := range opts {
		option(&o)
	}
	if o.tracers == nil {
		o.tracers = otel.GetTracerProvider()
	}
	if o.progress == nil {
		o.progress = func(string, string) {}
	}
	o.service = cmp.Or(o.service, DefaultTraceServiceName)
	return o
}

func newClient(clients Clients, o options) *Client {
	t := newTracer(o.tracers, o.service)
	return &Client{
		options: o, clients: clients, handles: newRegistry(), tracer: t, router: newRouter(clients, &o, t),
		resolver:  resolve.New(clients.Sandboxes, clients.Kubernetes, o.clock),
		waiter:    await.New(clients.Sandboxes, clients.Kubernetes, o.clock),
		observer:  observe.New(clients.Sandboxes, clients.Kubernetes, o.clock),
		sandboxes: sandbox.New(clients.Sandboxes, o.clock),

		operators: operator.NewMonitor(clients.Kubernetes, o.clock),
	}
}

// In returns a Client for another namespace of the same cluster. It shares its handles with this one: Active, DeleteAll
// and CleanUpOnSignals of either are about the handles of both.
func (c *Client) In(namespace string) *Client {
	other := *c
	other.namespace = namespace
	return &other
}

// CloseIdleConnections closes the connections to the router and to Pods that are kept for the next request. A program
// that stops using a Client calls it if it cannot wait until they are closed by themselves.
func (c *Client) CloseIdleConnections() {
	for _, s := range c.handles.all() {
		s.direct.CloseIdleConnections()
	}
	c.router.closeIdleConnections()
}

// Open attaches to an existing sandbox, also one that another program created: the claim of that name or, if there is
// none, the Sandbox; claim/NAME and sandbox/NAME say which. It returns when the sandbox is ready. If this Client has an
// open handle for it, Open returns that one. For a suspended sandbox the error is ErrSuspended; Attach and Resume start
// it again.
func (c *Client) Open(ctx context.Context, name string) (*Sandbox, error) {
	s, err := c.find(ctx, name)
	if err != nil {
		return nil, err
	}
	if err = s.open(ctx, s.ready); errors.Is(err, ErrAlreadyOpen) {
		return s, s.do(ctx, "open", s.ready)
	}
	if err != nil {
		return nil, s.wrap("open", err)
	}
	return s, nil
}

// Attach attaches like Open, but does not wait: the sandbox may be suspended or still starting.
func (c *Client) Attach(ctx context.Context, name string) (*Sandbox, error) {
	s, err := c.find(ctx, name)
	if err != nil {
		return nil, err
	}
	err = s.open(ctx, func(context.Context) error { return nil })
	if err != nil && !errors.Is(err, ErrAlreadyOpen) {
		return nil, s.wrap("open", err)
	}
	return s, nil
}

// find returns the handle for a sandbox, which is a new one unless this Client has one.
func (c *Client) find(ctx context.Context, name string) (*Sandbox, error) {
	ref, err := resolve.Parse(name)
	if err != nil {
		return nil, err
	}
	s := c.newSandbox(ref)
	if err := s.lookUp(ctx); err != nil {
		return nil, s.wrap("open", err)
	}
	return c.handles.share(s), nil
}

// Active returns the handles that are open and whose sandboxes exist, sorted by name. It asks the API server for each;
// one that cannot be asked for counts as existing.
func (c *Client) Active(ctx context.Context) []*Sandbox {
	all := slices.DeleteFunc(c.handles.all(), func(s *Sandbox) bool { return !s.isOpen() })
	gone := make([]bool, len(all))
	var asked errgroup.Group
	asked.SetLimit(maxLookUps)
	for i, s := range all {
		asked.Go(func() error {
			err := s.lookUp(ctx)
			gone[i] = resolve.Is(err, resolve.NotFound) || errors.Is(err, ErrDeleted)
			return nil
		})
	}
	_ = asked.Wait() // no function returns an error
	active := all[:0]
	for i, s := range all {
		if gone[i] {
			c.handles.remove(s)
			continue
		}
		active = append(active, s)
	}
	return active
}

// List returns the names of all sandboxes in the namespace: the claims, and the Sandboxes that belong neither to a
// claim nor to a pool. A kind that the cluster does not serve contributes none.
func (c *Client) List(ctx context.Context) ([]string, error) {
	var names []string
	claims, err := c.clients.Sandboxes.ExtensionsV1beta1().SandboxClaims(c.namespace).List(ctx, metav1.ListOptions{})
	switch {
	case err == nil:
		for i := range claims.Items {
			names = append(names, claims.Items[i].Name)
		}
	case !resolve.NotServed(err):
		return nil, fmt.Errorf("list claims: %w", err)
	}
	sandboxes, err := c.clients.Sandboxes.AgentsV1beta1().Sandboxes(c.namespace).List(ctx, metav1.ListOptions{})
	switch {
	case resolve.NotServed(err):
		return nil, resolve.ErrorNotInstalled(apis.ResourceSandboxes, apis.GroupAgents)
	case err != nil:
		return nil, fmt.Errorf("list Sandboxes: %w", err)
	}
	for i := range sandboxes.Items {
		if metav1.GetControllerOf(&sandboxes.Items[i]) == nil {
			names = append(names, sandboxes.Items[i].Name)
		}
	}
	slices.Sort(names)
	return names, nil
}
