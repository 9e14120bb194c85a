// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package connect_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
)

func TestATunnelTriesTheOtherPodsIfOneIsGone(t *testing.T) {
	leaks.Check(t, "sdk")
	server := fakeserver.New()
	t.Cleanup(server.Close)
	var allGone atomic.Bool
	server.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/pods/c/") && !allGone.Load() {
			return false
		}
		http.Error(w, "pods not found", http.StatusNotFound)
		return true
	}
	server.Forward = func(ctx context.Context, _ int32, connection io.ReadWriteCloser) error {
		_, err := io.WriteString(connection, fakeserver.PodOf(ctx))
		return err
	}
	network, err := stream.New(server.Config(), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	clientset := kubernetesfake.NewClientset(slice("s", 8080, pod("a", nil), pod("b", nil), pod("c", nil)))
	endpoint, err := connect.Tunnel{}.Connect(t.Context(), connect.Cluster{Kubernetes: clientset, Network: network})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 { // the order is random
		conn, err := endpoint.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(conn); string(text) != "c" || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
		_ = conn.Close()
	}
	allGone.Store(true)
	if _, err := endpoint.Dial(t.Context()); err == nil || !strings.Contains(err.Error(), "of the router") {
		t.Errorf("all are gone: got %v", err)
	}
}

func TestAStrategyThatCannotWorkSaysSoBeforeItIsUsed(t *testing.T) {
	for name, test := range map[string]struct {
		strategy interface{ Validate() error }
		valid    bool
	}{
		"a URL":                        {connect.URL("https://router.example.com"), true},
		"a host without a scheme":      {connect.URL("router.example.com"), false},
		"a Gateway":                    {connect.Gateway{Name: "front", Scheme: "https"}, true},
		"a Gateway without a name":     {connect.Gateway{Namespace: "edge"}, false},
		"a Gateway, over FTP":          {connect.Gateway{Name: "front", Scheme: "ftp"}, false},
		"a tunnel":                     {connect.Tunnel{}, true},
		"a tunnel, in capital letters": {connect.Tunnel{Scheme: "HTTPS"}, false},
	} {
		if err := test.strategy.Validate(); (err == nil) != test.valid {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
