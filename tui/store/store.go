// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
)

// Fastest is the least time between two snapshots.
const Fastest = 100 * time.Millisecond

const (
	// beat is how often a snapshot is made though nothing happened, for the ages in it.
	beat = time.Second
	// recount is how often new namespaces are looked for while namespaces are read one by one.
	recount = 30 * time.Second
)

// Options are what a Store needs. All but Namespace is required.
type Options struct {
	Sandboxes  versioned.Interface
	Kubernetes kubernetes.Interface
	Clock      clock.WithTicker
	// Namespace to read, empty for all.
	Namespace string
	// Home is the namespace that is read when all at once are forbidden and namespaces cannot be listed either.
	Home string
	// Interval is the least time between two snapshots: at least Fastest.
	Interval time.Duration
	// Go starts a goroutine and looks after its panics.
	Go func(func())
}

// Store holds what is shown. Its methods may be called by several goroutines.
type Store struct {
	o    Options
	wake chan struct{}
	out  chan *Snapshot

	mu  sync.Mutex
	now *generation
	ctx context.Context
}

// generation is the reading of one namespace, or of all, from when it was chosen.
type generation struct {
	store     *Store
	ctx       context.Context
	cancel    context.CancelFunc
	namespace string
	state     *state
	sources   []*source
	// more tells divide that another kind is to be read namespace by namespace; nil until one is.
	more chan struct{}
}

// New returns a Store that Run brings to life.
func New(o Options) *Store {
	o.Interval = max(o.Interval, Fastest)
	return &Store{o: o, wake: make(chan struct{}, 1), out: make(chan *Snapshot, 1)}
}

// Snapshots hands out the newest snapshot; those that nobody took in time are skipped.
func (s *Store) Snapshots() <-chan *Snapshot { return s.out }

// Run reads until the context ends.
func (s *Store) Run(ctx context.Context) {
	s.mu.Lock()
	s.ctx = ctx
	s.begin(s.o.Namespace)
	s.mu.Unlock()
	ticker := s.o.Clock.NewTicker(beat)
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
		case <-s.wake:
		case <-ticker.C():
		}
	}
}

// publish makes a snapshot and puts it where a slow reader finds the newest.
func (s *Store) publish() {
	s.mu.Lock()
	g, now := s.now, s.o.Clock.Now()
	g.state.expire(now)
	snapshot := g.state.build(now, g.health())
	snapshot.Namespace = g.namespace
	s.mu.Unlock()
	select {
	case <-s.out:
	default:
	}
	s.out <- snapshot
}

// poke says that something changed.
func (s *Store) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Switch reads another namespace, or all for an empty one, from the beginning.
func (s *Store) Switch(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx == nil {
		s.o.Namespace = namespace
		return
	}
	s.begin(namespace)
	s.poke()
}

// begin starts a generation, with the lock held.
func (s *Store) begin(namespace string) {
	if s.now != nil {
		s.now.cancel()
	}
	g := &generation{store: s, namespace: namespace, state: newState()}
	g.ctx, g.cancel = context.WithCancel(s.ctx)
	s.now = g
	for _, k := range s.kinds() {
		g.read(k, namespace)
	}
}

// Reconnect tries everything again at once instead of after its backoff.
func (s *Store) Reconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return
	}
	for _, src := range s.now.sources {
		if src.reading.Phase != Split {
			src.cancel()
			src.start()
		}
	}
	s.poke()
}

// read begins to read a kind, with the lock held.
func (g *generation) read(k kind, namespace string) {
	src := &source{store: g.store, kind: k, in: g}
	src.reading = Reading{Resource: k.resource, Namespace: namespace, Phase: Loading, Since: g.store.o.Clock.Now()}
	g.sources = append(g.sources, src)
	src.start()
}

// split reads a kind namespace by namespace, because all at once is forbidden. The lock is held.
func (g *generation) split(src *source) {
	src.cancel()
	src.enter(Split, nil)
	if g.more == nil {
		g.more = make(chan struct{}, 1)
		g.store.o.Go(g.divide)
	}
	select {
	case g.more <- struct{}{}:
	default:
	}
}

// divide looks for namespaces, and begins to read those that are not read yet, until the generation ends.
func (g *generation) divide() {
	for {
		names := g.store.Namespaces(g.ctx)
		g.store.mu.Lock()
		for _, src := range slices.Clone(g.sources) {
			if src.reading.Phase == Split && g.ctx.Err() == nil {
				g.fill(src.kind, names)
			}
		}
		g.store.mu.Unlock()
		rest := g.store.o.Clock.NewTimer(recount)
		select {
		case <-g.ctx.Done():
			rest.Stop()
			return
		case <-g.more:
			rest.Stop()
		case <-rest.C():
		}
	}
}

// fill reads a kind in the namespaces where it is not read yet.
func (g *generation) fill(k kind, names []string) {
	for _, name := range names {
		if !slices.ContainsFunc(g.sources, func(src *source) bool {
			return src.kind.resource == k.resource && src.reading.Namespace == name
		}) {
			g.read(k, name)
		}
	}
}

// Namespaces lists all namespaces, or, when that is not allowed, those that are known.
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

// health is a copy of how everything is being read, with the lock held. What is split speaks through its parts.
func (g *generation) health() Health {
	h := Health{Readings: make([]Reading, 0, len(g.sources))}
	for _, src := range g.sources {
		h.Readings = append(h.Readings, src.reading)
	}
	return h
}
