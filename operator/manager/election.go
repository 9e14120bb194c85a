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

	"github.com/agent-sandbox/kubectl-sandbox/operator/internal/waits"
)

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
	if silent := h.clock.Now().Sub(h.last); silent > waits.ElectionSilence {
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
