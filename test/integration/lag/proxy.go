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

// Options set how far the API servers lag behind. Zero values turn a delay off.
type Options struct {
	Seed       uint64        // of all random choices: the same seed and order of requests give the same choices
	Latency    time.Duration // the maximum delay of a request
	WatchDelay time.Duration // the maximum delay of the events of a watch
	Reorder    bool          // reorder events of different objects that come within one delay
	Stale      time.Duration // the age of the state that a list returns if it accepts any version
}

// Proxy passes requests on to API servers as one user. It is safe for concurrent use.
type Proxy struct {
	options Options
	hosts   []string
	next    http.RoundTripper
	history *versionHistory
	server  *httptest.Server

	mu     sync.Mutex
	random *rand.Rand
	counts Counts
}

// Counts are the proxy's interventions. A test asserts them to prove that the proxy had an effect.
type Counts struct {
	Requests  map[string]int // by host
	Delayed   int            // delayed events
	Reordered int            // reordered events
	Stale     int            // lists with an older state
}

// Start starts a proxy that passes requests on to the hosts with the user's credentials until the test ends.
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
		p.history = startHistory(t, p.next, hosts[0], options.Stale)
	}
	p.server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "https", p.host(), ""
		},
		Transport:     p,
		FlushInterval: -1,
		// A client that disconnects is not an error of the proxy, so it is not logged.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.Cleanup(func() {
		p.server.CloseClientConnections()
		p.server.Close()
	})
	return p
}

// Config returns a client configuration for the proxy. Clients use JSON, because the proxy parses it.
func (p *Proxy) Config() *rest.Config {
	return &rest.Config{
		Host: p.server.URL, QPS: -1,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON, AcceptContentTypes: runtime.ContentTypeJSON},
	}
}

// Counts returns the counts so far.
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

// randomDuration returns a random duration below most.
func (p *Proxy) randomDuration(most time.Duration) time.Duration {
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
	case <-time.After(p.randomDuration(p.options.Latency)):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	query := r.URL.Query()
	watch := query.Get("watch") == "true"
	switch {
	case r.Method != http.MethodGet:
	case watch && query.Get("sendInitialEvents") == "true" && p.history != nil:
		return refuseStreamingList(r), nil
	case !watch && query.Get("resourceVersion") == "0" && p.history != nil:
		p.history.rewriteQuery(query)
		r.URL.RawQuery = query.Encode()
		p.count(func(c *Counts) { c.Stale++ })
	}
	response, err := p.next.RoundTrip(r)
	if err == nil && watch && response.StatusCode == http.StatusOK && p.options.WatchDelay > 0 {
		response.Body = p.delayWatch(response.Body)
		response.ContentLength = -1
	}
	return response, err
}
