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

// electionMonitor records when the leader election last got an answer, an error included. Safe for concurrent use.
type electionMonitor struct {
	clock clock.PassiveClock

	mu   sync.Mutex
	last time.Time // zero before the first answer
}

// wrapConfig returns a copy of the configuration whose answers the monitor records.
func (m *electionMonitor) wrapConfig(restConfig *rest.Config) *rest.Config {
	c := rest.CopyConfig(restConfig)
	c.Wrap(func(inner http.RoundTripper) http.RoundTripper { return monitoredTransport{inner, m} })
	return c
}

// check is a probe that fails if the last answer is older than waits.ElectionSilence.
func (m *electionMonitor) check(*http.Request) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last.IsZero() {
		return nil
	}
	if silence := m.clock.Now().Sub(m.last); silence > waits.ElectionSilence {
		return fmt.Errorf("the leader election has had no answer for %s", silence.Truncate(time.Second))
	}
	return nil
}

// monitoredTransport reports each answer to the monitor.
type monitoredTransport struct {
	http.RoundTripper

	monitor *electionMonitor
}

// RoundTrip implements http.RoundTripper.
func (r monitoredTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.RoundTripper.RoundTrip(req)
	r.monitor.mu.Lock()
	defer r.monitor.mu.Unlock()
	r.monitor.last = r.monitor.clock.Now()
	return resp, err
}
