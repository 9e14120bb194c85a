// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.opentelemetry.io/otel"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/await"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/observe"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/operator"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/sandbox"
)

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

	mu      sync.Mutex
	handles map[types.UID]*Sandbox
}

// New returns a Client for the cluster that the configuration names, for instance that of rest.InClusterConfig.
func New(config *rest.Config, opts ...Option) (*Client, error) {
	o := newOptions(opts)
	clients, err := NewClients(config, o.clock)
	if err != nil {
		return nil, err
	}
	return newClient(clients, o), nil
}

// NewWith returns a Client that uses existing connections. All of them are required.
func NewWith(clients Clients, opts ...Option) *Client { return newClient(clients, newOptions(opts)) }

func newOptions(opts []Option) options {
	o := options{
		namespace: metav1.NamespaceDefault, readyTimeout: DefaultReadyTimeout, cleanupTimeout: DefaultCleanupTimeout,
		maxOutput: DefaultMaxOutput, maxFile: DefaultMaxFile, clock: clock.RealClock{}, progress: func(string, string) {},
	}
	for _, option := range opts {
		option(&o)
	}
	if o.tracers == nil {
		o.tracers = otel.GetTracerProvider()
	}
	return o
}

func newClient(clients Clients, o options) *Client {
	return &Client{
		options: o, clients: clients, handles: map[types.UID]*Sandbox{}, tracer: newTracer(o.tracers),
		resolver:  resolve.New(clients.Sandboxes, clients.Kubernetes, o.clock),
		waiter:    await.New(clients.Sandboxes, clients.Kubernetes, o.clock),
		observer:  observe.New(clients.Kubernetes, o.clock),
		sandboxes: sandbox.New(clients.Sandboxes, o.clock),

		operators: operator.NewMonitor(clients.Kubernetes, o.clock),
	}
}

// Create creates a sandbox and returns when it is ready.
func (c *Client) Create(ctx context.Context, spec Spec) (_ *Sandbox, err error) {
	spec = spec.named()
	s := &Sandbox{client: c, name: spec.Name, ref: resolve.Ref{Kind: resolve.KindClaim, Name: spec.Name}}
	if spec.Image != "" {
		s.ref.Kind = resolve.KindSandbox
	}
	ctx, life := c.tracer.startHandle(ctx, s)
	defer func() {
		if err != nil {
			life.end(err)
		}
	}()
	ctx, done := c.tracer.startOperation(ctx, s, "create")
	defer func() { done(err) }()
	if s.uid, err = c.createObject(ctx, &spec); err != nil {
		return nil, s.wrap("create", err)
	}
	if err = s.wait(ctx, await.Ready); err != nil {
		if !spec.Keep {
			err = errors.Join(err, s.deleteObject(ctx))
		}
		return nil, s.wrap("create", err)
	}
	s.span = life
	c.register(s)
	return s, nil
}

// createObject creates the object.
func (c *Client) createObject(ctx context.Context, spec *Spec) (types.UID, error) {
	if (spec.Image != "") == (spec.Template+spec.Pool != "") {
		return "", errors.New("a Spec needs an Image, or else a Template or a Pool")
	}
	if spec.Image != "" {
		object := spec.sandbox(c.namespace, c.clock.Now())
		c.tracer.injectTrace(ctx, object)
		made, err := c.sandboxes.Create(ctx, object, false)
		if err != nil {
			return "", err
		}
		return made.UID, nil
	}
	object := spec.claim(c.namespace, c.clock.Now())
	c.tracer.injectTrace(ctx, object)
	made, _, err := c.sandboxes.CreateClaim(ctx, object, false)
	if err != nil {
		return "", err
	}
	return made.UID, nil
}

// Open attaches to an existing sandbox, also one that another program created: the claim of that name or, if there is
// none, the Sandbox. It returns when the sandbox is ready. For a suspended sandbox the error is ErrSuspended; Attach
// and Resume start it again.
func (c *Client) Open(ctx context.Context, name string) (*Sandbox, error) {
	s := &Sandbox{client: c, name: name, ref: resolve.Ref{Name: name}, disconnected: true}
	return s, s.Open(ctx)
}

// Attach attaches like Open, but does not wait: the sandbox may be suspended or still starting.
func (c *Client) Attach(ctx context.Context, name string) (*Sandbox, error) {
	s := &Sandbox{client: c, name: name, ref: resolve.Ref{Name: name}}
	if err := s.lookUp(ctx); err != nil {
		return nil, s.wrap("open", err)
	}
	_, s.span = c.tracer.startHandle(ctx, s)
	c.register(s)
	return s, nil
}

func (c *Client) register(s *Sandbox) {
	_, uid := s.reference()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handles[uid] = s
}

func (c *Client) unregister(s *Sandbox) {
	_, uid := s.reference()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handles[uid] == s {
		delete(c.handles, uid)
	}
}

// Active returns the handles that are neither closed nor disconnected, sorted by name.
func (c *Client) Active() []*Sandbox {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]*Sandbox, 0, len(c.handles))
	for _, s := range c.handles {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Sandbox) int { return compare(a.name, b.name) })
	return all
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

// Delete deletes a sandbox by name, through its handle if this Client has one.
func (c *Client) Delete(ctx context.Context, name string) error {
	for _, s := range c.Active() {
		if s.name == name {
			return s.Close(ctx)
		}
	}
	s := &Sandbox{client: c, name: name, ref: resolve.Ref{Name: name}}
	t, err := c.resolver.ClaimAndSandbox(ctx, c.namespace, s.ref)
	if err == nil {
		err = c.sandboxes.Delete(ctx, t, false)
	}
	return s.wrap("close", err)
}

// DeleteAll closes every active handle, also if some fail, and returns all errors.
func (c *Client) DeleteAll(ctx context.Context) error {
	handles := c.Active()
	failed := make([]error, len(handles))
	var all sync.WaitGroup
	for i, s := range handles {
		all.Go(func() { failed[i] = s.Close(ctx) })
	}
	all.Wait()
	return errors.Join(failed...)
}
