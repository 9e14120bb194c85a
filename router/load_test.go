// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Every figure is the median of this number of rounds. In each of them, all ways take their turn for roundTime.
const (
	rounds    = 7
	roundTime = 1500 * time.Millisecond
)

// BenchmarkLoad sends requests of 200 bytes over 10, 50 and 200 connections: to a server, through a reverse proxy of
// the standard library without anything, and through the router with its reviews (cached), log and metrics. Both
// proxies are processes of their own; the clients and the server are a third one on the same machine.
func BenchmarkLoad(b *testing.B) {
	port := pod(b, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	direct := "http://127.0.0.1:" + port
	ways := []way{
		{"direct", direct}, {programBare, start(b, programBare, direct).url},
		{programRouter, start(b, programRouter, "").url},
	}
	for _, connections := range []int{10, 50, 200} {
		b.Run(strconv.Itoa(connections), func(b *testing.B) {
			for range b.N {
				compare(b, ways, port, connections)
			}
		})
	}
}

// way is one way to the server.
type way struct{ name, url string }

// sample is what one round shows.
type sample struct{ rate, p50, p99 float64 }

func compare(b *testing.B, ways []way, port string, connections int) {
	b.Helper()
	samples := map[string][]sample{}
	var ratios []float64
	for range rounds {
		for _, w := range ways {
			samples[w.name] = append(samples[w.name], load(b, w.url, port, connections))
		}
		last := len(samples[programRouter]) - 1
		ratios = append(ratios, samples[programRouter][last].rate/samples[programBare][last].rate*100)
	}
	for _, w := range ways {
		of := func(value func(sample) float64) float64 {
			var all []float64
			for _, s := range samples[w.name] {
				all = append(all, value(s))
			}
			return median(all)
		}
		b.ReportMetric(of(func(s sample) float64 { return s.rate }), w.name+"-req/s")
		b.ReportMetric(of(func(s sample) float64 { return s.p50 }), w.name+"-p50-us")
		b.ReportMetric(of(func(s sample) float64 { return s.p99 }), w.name+"-p99-us")
	}
	b.ReportMetric(median(ratios), "router/bare-%")
}

func median(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }

// load sends requests over a number of connections for roundTime.
func load(b *testing.B, url, port string, connections int) sample {
	b.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: connections}
	defer transport.CloseIdleConnections()
	body := strings.Repeat("x", 200)
	send := func() {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/execute", strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		request.Header = http.Header{
			"Authorization": {"Bearer " + longToken}, "X-Sandbox-Id": {"box"}, "X-Sandbox-Port": {port},
		}
		response, err := transport.RoundTrip(request)
		if err != nil {
			b.Error(err)
			return
		}
		defer response.Body.Close()
		if n, err := io.Copy(io.Discard, response.Body); n != int64(len(body)) || err != nil ||
			response.StatusCode != http.StatusOK {
			b.Errorf("answer %d, %d bytes, %v", response.StatusCode, n, err)
		}
	}
	var warm sync.WaitGroup
	for range connections {
		warm.Go(send)
	}
	warm.Wait() // the connections are open, and what is cached is cached
	ctx, cancel := context.WithTimeout(b.Context(), roundTime)
	defer cancel()
	times := make([][]time.Duration, connections)
	var all sync.WaitGroup
	began := time.Now()
	for i := range connections {
		all.Go(func() {
			for ctx.Err() == nil && !b.Failed() {
				began := time.Now()
				send()
				times[i] = append(times[i], time.Since(began))
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	sorted := slices.Sorted(slices.Values(slices.Concat(times...)))
	at := func(percent int) float64 { return float64(sorted[len(sorted)*percent/100].Microseconds()) }
	return sample{float64(len(sorted)) / took.Seconds(), at(50), at(99)}
}

// maxGrowth is the most by which the router's memory may grow while large bodies pass, in MiB.
const maxGrowth = 32

// BenchmarkStream sends 1 GiB through the router and gets it back at the same time. It fails if the memory of the
// router, which is a process of its own, grows with it.
func BenchmarkStream(b *testing.B) {
	port := podOfBoth(b, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		_, _ = io.Copy(w, r.Body)
	})
	for _, protocol := range protocols {
		b.Run(protocol, func(b *testing.B) {
			for range b.N {
				router := start(b, programRouter, "")
				transport := transportOf(b, protocol)
				echo(b, transport, router.url, port, 32<<20)
				before, began := router.peak(b), time.Now()
				echo(b, transport, router.url, port, 1<<30)
				took, after := time.Since(began), router.peak(b)
				b.ReportMetric(1024/took.Seconds(), "MiB/s")
				b.ReportMetric(before, "before-MiB")
				b.ReportMetric(after, "peak-MiB")
				if after-before > maxGrowth {
					b.Errorf("the memory of the router grows from %.0f to %.0f MiB", before, after)
				}
			}
		})
	}
}

// echo sends a body and reads it back.
func echo(b *testing.B, transport *http.Transport, url, port string, size int64) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, io.LimitReader(endless{}, size))
	if err != nil {
		b.Fatal(err)
	}
	request.Header = http.Header{"Authorization": {"Bearer ann"}, "X-Sandbox-Id": {"box"}, "X-Sandbox-Port": {port}}
	response, err := transport.RoundTrip(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); n != size || err != nil {
		b.Fatalf("%d bytes came back, %v", n, err)
	}
}
