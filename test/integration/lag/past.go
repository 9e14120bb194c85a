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

// every is how often the past is noted.
const every = 50 * time.Millisecond

// past knows which version was the newest how long ago.
type past struct {
	age time.Duration

	mu    sync.Mutex
	notes []note
}

type note struct {
	at      time.Time
	version string
}

// startPast notes versions until the test ends. The first is there on return.
func startPast(t testing.TB, next http.RoundTripper, host string, age time.Duration) *past {
	t.Helper()
	p := &past{age: age}
	if err := p.note(t.Context(), next, host); err != nil {
		t.Fatalf("ask for the newest version: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				_ = p.note(ctx, next, host) // an older version serves as well
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return p
}

// note asks for a list of nothing, whose version is the newest that there is.
func (p *past) note(ctx context.Context, next http.RoundTripper, host string) error {
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
	for len(p.notes) > 1 && at.Sub(p.notes[1].at) >= p.age {
		p.notes = p.notes[1:]
	}
	p.notes = append(p.notes, note{at: at, version: list.ResourceVersion})
	return nil
}

// ask changes the query of a list into one for what was true before.
func (p *past) ask(query url.Values) {
	p.mu.Lock()
	defer p.mu.Unlock()
	query.Set("resourceVersion", p.notes[0].version)
	query.Set("resourceVersionMatch", string(metav1.ResourceVersionMatchExact))
}

// refused answers a streaming list as a server that has none.
func refused(r *http.Request) *http.Response {
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
