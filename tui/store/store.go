// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
)

// MinInterval is the minimum time between two snapshots.
const MinInterval = 100 * time.Millisecond

const (
	// refreshInterval is how often a snapshot is made without a change, to update its ages.
	refreshInterval = time.Second
	// namespacePollInterval is how often the store looks for new namespaces while it reads namespaces one by one.
	namespacePollInterval = 30 * time.Second
)

// Options are what a Store needs. All fields but Namespace and Dynamic are required.
type Options struct {
	Sandboxes  versioned.Interface
	Kubernetes kubernetes.Interface
	// Dynamic, if set, reads what Pods use.
	Dynamic dynamic.Interface
	Clock   clock.WithTicker
	// Namespace is the namespace to read, empty for all.
	Namespace string
	// Home is the namespace to read when neither reading all namespaces at once nor listing namespaces is permitted.
	Home string
	// Interval is the minimum time between two snapshots, at least MinInterval.
	Interval time.Duration
	// Go starts a goroutine and handles its panics.
	Go func(func())
}

// Store holds the data of the dashboard. It is safe for concurrent use.
type Store struct {
	o       Options
	changed chan struct{}
	out     chan *Snapshot

	mu      sync.Mutex
	current *scope
	ctx     context.Context
}

// scope reads one namespace, or all, until another one is selected.
type scope struct {
	store     *Store
	ctx       context.Context
	cancel    context.CancelFunc
	namespace string
	state     *state
	sources   []*source
	// splitRequested tells readNamespaces to read another kind namespace by namespace; nil until the first one.
	splitRequested chan struct{}
}

// New returns a Store. It reads nothing until Run is called.
func New(o Options) *Store {
	o.Interval = max(o.Interval, MinInterval)
	return &Store{o: o, changed: make(chan struct{}, 1), out: make(chan *Snapshot, 1)}
}

// Snapshots returns a channel with the newest snapshot; older ones that were not received are dropped.
func (s *Store) Snapshots() <-chan *Snapshot { return s.out }

// Run reads until the context ends.
func (s *Store) Run(ctx context.Context) {
	s.mu.Lock()
	s.ctx = ctx
	s.startScope(s.o.Namespace)
	s.mu.Unlock()
	ticker := s.o.Clock.NewTicker(refreshInterval)
	defer ticker.Stop()
	for {
		s.publish()
		rest := s.o.Clock.NewTimer(s.o.Interval)
		select {
		case <-ctx.Done():
			rest.Stop()
			return
		case <-rest.C():
		}
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		case <-ticker.C():
		}
	}
}

// publish creates a snapshot and replaces the one in the channel, if there is one.
func (s *Store) publish() {
	s.mu.Lock()
	g, now := s.current, s.o.Clock.Now()
	g.state.markExpired(now)
	snapshot := g.state.build(now, g.health())
	snapshot.Namespace = g.namespace
	s.mu.Unlock()
	select {
	case <-s.out:
	default:
	}
	s.out <- snapshot
}

// signalChange wakes Run up to publish a snapshot.
func (s *Store) signalChange() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Switch starts reading another namespace, or all if it is empty.
func (s *Store) Switch(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx == nil {
		s.o.Namespace = namespace
		return
	}
	s.startScope(namespace)
	s.signalChange()
}

// startScope ends the current scope and starts another. The caller holds the lock.
func (s *Store) startScope(namespace string) {
	if s.current != nil {
		s.current.cancel()
	}
	g := &scope{store: s, namespace: namespace, state: newState()}
	g.ctx, g.cancel = context.WithCancel(s.ctx)
	s.current = g
	for _, k := range s.kinds() {
		g.read(k, namespace)
	}
	s.o.Go(g.pollCauses)
	if s.o.Dynamic != nil {
		s.o.Go(g.pollUsage)
	} else {
		g.state.usage.read = true
	}
}

// Reconnect restarts all reads at once instead of after their backoff.
func (s *Store) Reconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return
	}
	for _, src := range s.current.sources {
		if src.reading.Phase != Split {
			src.cancel()
			src.start()
		}
	}
	s.signalChange()
}

// read starts reading a kind. The caller holds the lock.
func (g *scope) read(k kind, namespace string) {
	src := &source{store: g.store, kind: k, scope: g}
	src.reading = Reading{Resource: k.resource, Namespace: namespace, Phase: Loading, Since: g.store.o.Clock.Now()}
	g.sources = append(g.sources, src)
	src.start()
}

// split starts reading a kind namespace by namespace, because reading all at once is forbidden. The caller holds the
// lock.
func (g *scope) split(src *source) {
	src.cancel()
	src.setPhase(Split, nil)
	if g.splitRequested == nil {
		g.splitRequested = make(chan struct{}, 1)
		g.store.o.Go(g.readNamespaces)
	}
	select {
	case g.splitRequested <- struct{}{}:
	default:
	}
}

// readNamespaces looks for namespaces and starts reading new ones, until the scope ends.
func (g *scope) readNamespaces() {
	for {
		names := g.store.Namespaces(g.ctx)
		g.store.mu.Lock()
		for _, src := range slices.Clone(g.sources) {
			if src.reading.Phase == Split && g.ctx.Err() == nil {
				g.readMissing(src.kind, names)
			}
		}
		g.store.mu.Unlock()
		rest := g.store.o.Clock.NewTimer(namespacePollInterval)
		select {
		case <-g.ctx.Done():
			rest.Stop()
			return
		case <-g.splitRequested:
			rest.Stop()
		case <-rest.C():
		}
	}
}

// readMissing starts reading a kind in the namespaces where it is not read yet.
func (g *scope) readMissing(k kind, names []string) {
	for _, name := range names {
		if !slices.ContainsFunc(g.sources, func(src *source) bool {
			return src.kind.resource == k.resource && src.reading.Namespace == name
		}) {
			g.read(k, name)
		}
	}
}

// Namespaces lists all namespaces or, if that fails, only Home.
func (s *Store) Namespaces(ctx context.Context) []string {
	found, err := s.o.Kubernetes.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return []string{s.o.Home}
	}
	names := make([]string, 0, len(found.Items))
	for i := range found.Items {
		names = append(names, found.Items[i].Name)
	}
	slices.Sort(names)
	return names
}

// health returns a copy of the state of all reads. The caller holds the lock.
func (g *scope) health() Health {
	h := Health{Readings: make([]Reading, 0, len(g.sources))}
	for _, src := range g.sources {
		h.Readings = append(h.Readings, src.reading)
	}
	return h
}
