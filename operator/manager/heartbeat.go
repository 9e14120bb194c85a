// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// electionRetryPeriod is how often the leader renews its lease, and about how often the others ask for it. The library stretches it up to
// 2.2 times for those: the next leader follows one that let go within 2.2 seconds.
const electionRetryPeriod = time.Second

// electionTimeout is how long the leader election may be silent. It asks every second or two, leader or not, and gives up on an
// answer after ten: more than that is a loop that hangs, not a slow API server.
const electionTimeout = 30 * time.Second

// electionMonitor knows when the leader election last had an answer, be it an error. Safe for concurrent use.
type electionMonitor struct {
	clock clock.PassiveClock

	mu   sync.Mutex
	last time.Time // zero: it has not begun
}

// wrapConfig returns a copy of the configuration whose requests are heard.
func (h *electionMonitor) wrapConfig(restConfig *rest.Config) *rest.Config {
	own := rest.CopyConfig(restConfig)
	own.Wrap(func(inner http.RoundTripper) http.RoundTripper { return monitoredTransport{inner, h} })
	return own
}

// check fails once the election, having begun, was silent for too long.
func (h *electionMonitor) check(*http.Request) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.IsZero() {
		return nil
	}
	if silent := h.clock.Now().Sub(h.last); silent > electionTimeout {
		return fmt.Errorf("the leader election has been silent for %s", silent.Truncate(time.Second))
	}
	return nil
}

type monitoredTransport struct {
	http.RoundTripper

	monitor *electionMonitor
}

// RoundTrip implements http.RoundTripper.
func (r monitoredTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := r.RoundTripper.RoundTrip(req)
	r.monitor.mu.Lock()
	defer r.monitor.mu.Unlock()
	r.monitor.last = r.monitor.clock.Now()
	return res, err
}
