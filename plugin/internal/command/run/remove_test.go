// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
)

// A real client sends no request with a context that an interrupt has cancelled; fake clients ignore the context.
func TestADeletionIsSentAfterAnInterrupt(t *testing.T) {
	m := makeOf(t, claimed)
	var deleted atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deleted.Store(r.Method == http.MethodDelete)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(
			[]byte(`{"kind": "Status", "apiVersion": "v1", "status": "Success"}`),
		) // the client reports an incomplete answer
	}))
	defer server.Close()
	client, err := versioned.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	f := &fake.Factory{Time: m.clock, SandboxesClient: client, KubernetesClient: m.cluster.Kubernetes}
	a, err := factory.NewClients(f)
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if err := remove(ctx, f, a, m.Created, genericiooptions.NewTestIOStreamsDiscard(), nil); err != nil ||
		!deleted.Load() {
		t.Errorf("%v, deleted: %v", err, deleted.Load())
	}
}
