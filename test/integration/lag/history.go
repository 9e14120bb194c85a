// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package lag

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// recordInterval is how often the newest version is recorded.
const recordInterval = 50 * time.Millisecond

// versionHistory records the newest resource version over time, for lists that return an older state.
type versionHistory struct {
	age time.Duration

	mu       sync.Mutex
	versions []versionAt
}

type versionAt struct {
	at      time.Time
	version string
}

// startHistory records versions until the test ends. It returns after the first one.
func startHistory(t testing.TB, next http.RoundTripper, host string, age time.Duration) *versionHistory {
	t.Helper()
	p := &versionHistory{age: age}
	if err := p.record(t.Context(), next, host); err != nil {
		t.Fatalf("ask for the newest version: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(recordInterval)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				_ = p.record(ctx, next, host) // an older version will do
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return p
}

// record records the version of a list with limit 1, which is the newest version.
func (p *versionHistory) record(ctx context.Context, next http.RoundTripper, host string) error {
	at := time.Now()
	target := url.URL{Scheme: "https", Host: host, Path: "/apis/agents.x-k8s.io/v1beta1/sandboxes", RawQuery: "limit=1"}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), http.NoBody)
	if err != nil {
		return err
	}
	response, err := next.RoundTrip(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var list metav1.PartialObjectMetadataList
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || list.ResourceVersion == "" {
		return fmt.Errorf("status %s, version %q", response.Status, list.ResourceVersion)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.versions) > 1 && at.Sub(p.versions[1].at) >= p.age {
		p.versions = p.versions[1:]
	}
	p.versions = append(p.versions, versionAt{at: at, version: list.ResourceVersion})
	return nil
}

// rewriteQuery changes the query of a list to request the oldest recorded version.
func (p *versionHistory) rewriteQuery(query url.Values) {
	p.mu.Lock()
	defer p.mu.Unlock()
	query.Set("resourceVersion", p.versions[0].version)
	query.Set("resourceVersionMatch", string(metav1.ResourceVersionMatchExact))
}

// refuseStreamingList responds to a streaming list as a server that does not support it.
func refuseStreamingList(r *http.Request) *http.Response {
	status := apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", nil).Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	body, _ := json.Marshal(status)
	return &http.Response{
		Status: http.StatusText(http.StatusUnprocessableEntity), StatusCode: http.StatusUnprocessableEntity,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header:        http.Header{"Content-Type": {runtime.ContentTypeJSON}, "Content-Length": {strconv.Itoa(len(body))}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}
}
