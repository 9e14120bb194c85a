// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package lag

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// Options say how far behind the API servers are. Zero is not at all.
type Options struct {
	Seed    uint64        // of all that is random: the same seed makes the same choices in the same order of requests
	Latency time.Duration // a request waits for up to this time before it is passed on
	Watch   time.Duration // the events of a watch come late by up to this time
	Reorder bool          // events of different objects change places, as far as they come within the time of Watch
	Stale   time.Duration // a list that accepts any version is answered with what was true this long ago
}

// Proxy passes requests on to API servers as one user. It is safe for concurrent use.
type Proxy struct {
	options Options
	hosts   []string
	next    http.RoundTripper
	past    *past
	server  *httptest.Server

	mu     sync.Mutex
	random *rand.Rand
	counts Counts
}

// Counts is how often the proxy did what it is for; a test that asserts on them cannot pass because nothing happened.
type Counts struct {
	Requests  map[string]int // by host
	Delayed   int            // events that came late
	Reordered int            // events that changed places
	Stale     int            // lists with what was true before
}

// Start starts a proxy that passes requests on to the hosts as the user whose configuration is given, until the test ends.
func Start(t testing.TB, user *rest.Config, hosts []string, options Options) *Proxy {
	t.Helper()
	next, err := rest.TransportFor(user)
	if err != nil {
		t.Fatalf("connect to the API servers: %v", err)
	}
	p := &Proxy{
		options: options, hosts: hosts, next: next,
		random: rand.New(rand.NewPCG(options.Seed, 0)), //nolint:gosec // not a secret: a seed makes it repeatable
		counts: Counts{Requests: map[string]int{}},
	}
	if options.Stale > 0 {
		p.past = startPast(t, p.next, hosts[0], options.Stale)
	}
	p.server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "https", p.host(), "" },
		Transport:     p,
		FlushInterval: -1,
		// A client that goes away is no failure of the proxy.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.Cleanup(func() {
		p.server.CloseClientConnections()
		p.server.Close()
	})
	return p
}

// Config leads clients through the proxy. They speak JSON, which it reads.
func (p *Proxy) Config() *rest.Config {
	return &rest.Config{
		Host: p.server.URL, QPS: -1,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON, AcceptContentTypes: runtime.ContentTypeJSON},
	}
}

// Counts returns what happened so far.
func (p *Proxy) Counts() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.counts
	now.Requests = maps.Clone(p.counts.Requests)
	return now
}

func (p *Proxy) count(change func(*Counts)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.counts)
}

// host chooses a server for a request.
func (p *Proxy) host() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	host := p.hosts[p.random.IntN(len(p.hosts))]
	p.counts.Requests[host]++
	return host
}

// within chooses a time of at most that.
func (p *Proxy) within(most time.Duration) time.Duration {
	if most <= 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Duration(p.random.Int64N(int64(most)))
}

// RoundTrip implements http.RoundTripper for the proxy's own requests.
func (p *Proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(p.within(p.options.Latency)):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	query := r.URL.Query()
	watch := query.Get("watch") == "true"
	switch {
	case r.Method != http.MethodGet:
	case watch && query.Get("sendInitialEvents") == "true" && p.past != nil:
		return refused(r), nil
	case !watch && query.Get("resourceVersion") == "0" && p.past != nil:
		p.past.ask(query)
		r.URL.RawQuery = query.Encode()
		p.count(func(c *Counts) { c.Stale++ })
	}
	response, err := p.next.RoundTrip(r)
	if err == nil && watch && response.StatusCode == http.StatusOK && p.options.Watch > 0 {
		response.Body = p.late(response.Body)
		response.ContentLength = -1
	}
	return response, err
}
