// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/streaming/pkg/httpstream"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/follow"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/resolve"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/tunnel"
)

// Forwarding is one port-forward that runs in the background.
type Forwarding struct {
	ID     int
	Target Target
	// Ports are the ports as the user wrote them, Listening are the local addresses.
	Ports, Listening string
	Connections      int
	// Trouble is the last failure of a connection, empty after a success.
	Trouble string
}

// forwards are the running port-forwards. The zero value is ready for use.
type forwards struct {
	mu     sync.Mutex
	last   int
	all    map[int]*running
	closed bool
	wg     sync.WaitGroup
}

type running struct {
	Forwarding
	stop context.CancelFunc
}

// Forwards lists the running port-forwards, the oldest first.
func (d *Dispatcher) Forwards() []Forwarding {
	f := &d.forwards
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]Forwarding, 0, len(f.all))
	for _, r := range f.all {
		list = append(list, r.Forwarding)
	}
	slices.SortFunc(list, func(a, b Forwarding) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// forward starts a port-forward and returns when it listens.
func (d *Dispatcher) forward(ctx context.Context, t Target, text string) (string, error) {
	found, err := d.resolver.Running(ctx, t.Namespace, t.Ref())
	if err == nil {
		err = checkUID(found, t)
	}
	if err != nil {
		return "", err
	}
	ports, err := parsePorts(found, text)
	if err != nil {
		return "", err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &running{Forwarding: Forwarding{Target: t, Ports: strings.Join(strings.Fields(text), " ")}, stop: stop}
	listening, ended := make(chan string, len(ports)*2), make(chan error, 1)
	sandbox := follow.New(d.resolver, d.waiter, d.o.Clock, found)
	carry := &tunnel.Tunnel{
		Dial:      func(ctx context.Context) (httpstream.Connection, error) { return sandbox.Dial(ctx, d.o.Network) },
		Addresses: []string{"localhost"}, Ports: ports, Report: func(e tunnel.Event) { d.forwards.report(r, e, listening) },
	}
	if !d.forwards.add(r) {
		stop()
		return "", errors.New("the dashboard is closing")
	}
	d.o.Go(func() {
		defer d.forwards.remove(r)
		watched := make(chan struct{})
		d.o.Go(func() {
			defer close(watched)
			defer stop() // the sandbox is gone
			_ = sandbox.Run(background, func(state follow.State) { d.forwards.setTrouble(r, state.Err) })
		})
		ended <- carry.Run(background)
		stop()
		<-watched
	})
	select {
	case address := <-listening:
		return fmt.Sprintf("forwarding %s -> %s of %s", address, r.Ports, t.Ref()), nil
	case err := <-ended:
		return "", cmp.Or(err, errors.New("the port-forward ended at once"))
	case <-ctx.Done():
		stop()
		return "", ctx.Err()
	}
}

func parsePorts(found *resolve.Target, text string) ([]tunnel.Port, error) {
	var ports []tunnel.Port
	for word := range strings.FieldsSeq(text) {
		ask, err := tunnel.ParsePort(word)
		if err != nil {
			return nil, err
		}
		port, err := ask.Resolve(func(name string) (int32, bool) { return resolve.Port(found.Pod, name) })
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	if len(ports) == 0 {
		return nil, errors.New("no port given: use [LOCAL:]REMOTE")
	}
	return ports, nil
}

func (f *forwards) report(r *running, e tunnel.Event, listening chan<- string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case e.Err != nil:
		r.Trouble = e.Err.Error()
	case e.Connected:
		r.Connections++
		r.Trouble = ""
	default:
		r.Listening = strings.TrimSpace(r.Listening + " " + e.Listener.String())
		select {
		case listening <- r.Listening:
		default: // forward has returned already
		}
	}
}

// setTrouble records why connections have to wait, or that they do not.
func (f *forwards) setTrouble(r *running, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r.Trouble = ""
	if why != nil {
		r.Trouble = why.Error()
	}
}

// add registers a port-forward. It reports false while the dashboard is closing.
func (f *forwards) add(r *running) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	if f.all == nil {
		f.all = map[int]*running{}
	}
	f.last++
	r.ID = f.last
	f.all[r.ID] = r
	f.wg.Add(1)
	return true
}

func (f *forwards) remove(r *running) {
	r.stop()
	f.mu.Lock()
	delete(f.all, r.ID)
	f.mu.Unlock()
	f.wg.Done()
}

func (f *forwards) stop(id string) (string, error) {
	number, err := strconv.Atoi(id)
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.all[number]
	if err != nil || r == nil {
		return "", errors.New("the port-forward has already ended")
	}
	r.stop()
	return fmt.Sprintf("stopped forwarding %s of %s", r.Ports, r.Target.Ref()), nil
}

func (f *forwards) close() {
	f.mu.Lock()
	f.closed = true
	for _, r := range f.all {
		r.stop()
	}
	f.mu.Unlock()
	f.wg.Wait()
}
