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

// electionRetry is how often the leader renews its lease, and about how often the others ask for it. The library stretches it up to
// 2.2 times for those: the next leader follows one that let go within 2.2 seconds.
const electionRetry = time.Second

// electionPatience is how long the leader election may be silent. It asks every second or two, leader or not, and gives up on an
// answer after ten: more than that is a loop that hangs, not a slow API server.
const electionPatience = 30 * time.Second

// heartbeat knows when the leader election last had an answer, be it an error. Safe for concurrent use.
type heartbeat struct {
	clock clock.PassiveClock

	mu   sync.Mutex
	last time.Time // zero: it has not begun
}

// listen returns a copy of the configuration whose requests are heard.
func (h *heartbeat) listen(restConfig *rest.Config) *rest.Config {
	own := rest.CopyConfig(restConfig)
	own.Wrap(func(inner http.RoundTripper) http.RoundTripper { return heard{inner, h} })
	return own
}

// check fails once the election, having begun, was silent for too long.
func (h *heartbeat) check(*http.Request) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.IsZero() {
		return nil
	}
	if silent := h.clock.Now().Sub(h.last); silent > electionPatience {
		return fmt.Errorf("the leader election has been silent for %s", silent.Truncate(time.Second))
	}
	return nil
}

type heard struct {
	http.RoundTripper

	by *heartbeat
}

// RoundTrip implements http.RoundTripper.
func (r heard) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := r.RoundTripper.RoundTrip(req)
	r.by.mu.Lock()
	defer r.by.mu.Unlock()
	r.by.last = r.by.clock.Now()
	return res, err
}
