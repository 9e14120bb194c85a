// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package metrics has the metrics of the router. None has a label with the name of a sandbox or a user: the number of
// time series does not grow with them.
package metrics

import (
	"errors"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

const namespace = "sandbox_router"

// Metrics counts what the router does. It is safe for concurrent use.
type Metrics struct {
	requests        *prometheus.CounterVec
	duration        prometheus.Histogram
	sent            prometheus.Counter
	dials           *prometheus.CounterVec
	reviews         *prometheus.CounterVec
	resumes         *prometheus.CounterVec
	tokens          prometheus.Counter
	inFlight        prometheus.Gauge
	unauthenticated prometheus.Gauge
}

// New registers the metrics. The function size returns the number of Sandboxes in the address book.
func New(registry prometheus.Registerer, size func() int) (*Metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	}
	m := &Metrics{
		requests: counter("requests_total", "Requests, by how the caller got in and by the status of the response.",
			"way", "code"),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Name: "request_duration_seconds",
			Help:    "Time from the header of a request to the header of its response.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 180},
		}),
		sent: prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "sent_bytes_total",
			Help: "Bytes of response bodies, without WebSocket connections."}),
		dials: counter("dials_total", "Connections to Pods, by result: ok or error.", "result"),
		reviews: counter("reviews_total",
			"TokenReviews (token) and SubjectAccessReviews (access), by result: ok or error.", "review", "result"),
		resumes: counter("resumes_total", "Sandboxes that requests resumed, by result: ok or error.", "result"),
		tokens: prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "tokens_issued_total",
			Help: "Scoped tokens that were signed."}),
		inFlight:        gauge("requests_in_flight", "Requests and WebSocket connections that have not ended."),
		unauthenticated: gauge("unauthenticated", "1 if the router lets everybody in (--allow-unauthenticated)."),
	}
	book := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: "address_book_sandboxes", Help: "Sandboxes in the address book.",
	}, func() float64 { return float64(size()) })
	var errs []error
	for _, c := range []prometheus.Collector{
		m.requests, m.duration, m.sent, m.dials, m.reviews, m.resumes, m.tokens, m.inFlight, m.unauthenticated, book,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		errs = append(errs, registry.Register(c))
	}
	return m, errors.Join(errs...)
}

// Began counts a request that has begun.
func (m *Metrics) Began() { m.inFlight.Inc() }

// Ended counts the end of a request. The time is that until its response began.
func (m *Metrics) Ended(way string, code int, after time.Duration, sent int64) {
	m.inFlight.Dec()
	m.requests.WithLabelValues(way, strconv.Itoa(code)).Inc()
	m.duration.Observe(after.Seconds())
	m.sent.Add(float64(sent))
}

// Dialed counts a connection to a Pod.
func (m *Metrics) Dialed(err error) { m.dials.WithLabelValues(result(err)).Inc() }

// Reviewed counts a review of the API server.
func (m *Metrics) Reviewed(review string, err error) {
	m.reviews.WithLabelValues(review, result(err)).Inc()
}

// Resumed counts a resume.
func (m *Metrics) Resumed(err error) { m.resumes.WithLabelValues(result(err)).Inc() }

// Issued counts a scoped token.
func (m *Metrics) Issued() { m.tokens.Inc() }

// Open says that everybody is let in.
func (m *Metrics) Open() { m.unauthenticated.Set(1) }

func result(err error) string {
	if err != nil {
		return "error"
	}
	return "ok"
}
