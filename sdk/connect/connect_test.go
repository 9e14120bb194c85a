// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package connect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
)

func TestTheURLOfARouter(t *testing.T) {
	for text, valid := range map[string]bool{
		"http://sandbox-router-svc.agent-sandbox-system:8080": true, "https://sandboxes.example.com/prefix": true,
		"": false, "example.com": false, "ftp://example.com": false, "http://": false, "https://a:b@example.com": false,
		"https://example.com/?a=b": false, "https://example.com/#a": false, "http://[": false,
	} {
		endpoint, err := connect.URL(text).Connect(t.Context(), connect.Cluster{})
		if (err == nil) != valid || valid && (endpoint.URL.String() != text || endpoint.Dial != nil) {
			t.Errorf("%q: got %v, %v", text, endpoint.URL, err)
		}
		if err != nil && strings.Contains(err.Error(), ":b@") {
			t.Errorf("the error has a password: %v", err)
		}
	}
}

// gateways is an API server that has a Gateway as the function says.
func gateways(t *testing.T, answer func(attempt int64) (status int, object string)) connect.Cluster {
	t.Helper()
	var attempts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis/gateway.networking.k8s.io/v1/namespaces/edge/gateways/front" {
			http.NotFound(w, r)
			return
		}
		status, object := answer(attempts.Add(1))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, object)
	}))
	t.Cleanup(server.Close)
	clientset, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return connect.Cluster{Kubernetes: clientset, Clock: hurried{}}
}

// hurried is a clock whose timers take a thousandth of the time.
type hurried struct{ clock.RealClock }

// NewTimer implements clock.WithTicker.
func (hurried) NewTimer(d time.Duration) clock.Timer { return clock.RealClock{}.NewTimer(d / 1000) }

const (
	plain  = `{"port": 80, "protocol": "HTTP"}`
	secure = `{"port": 8443, "protocol": "HTTPS", "hostname": "Sandboxes.example.com"}`
	wild   = `{"port": 443, "protocol": "HTTPS", "hostname": "*.example.com"}`
)

func TestWhereAGatewayIs(t *testing.T) {
	for name, test := range map[string]struct {
		scheme, listeners, address, want string
	}{
		"a listener for HTTP":             {"", plain, "192.0.2.1", "http://192.0.2.1:80"},
		"HTTPS is preferred":              {"", plain + "," + secure, "192.0.2.1", "https://sandboxes.example.com:8443"},
		"unless the caller wants another": {"http", secure + "," + plain, "192.0.2.1", "http://192.0.2.1:80"},
		"a host name as address":          {"", plain, "Lb.example.com.", "http://lb.example.com:80"},
		"an IPv6 address":                 {"", plain, "2001:db8::1", "http://[2001:db8::1]:80"},
		"a wildcard is no host":           {"", wild, "192.0.2.1", "https://192.0.2.1:443"},
		"no such listener":                {"https", plain, "192.0.2.1", ""},
		"no listener at all":              {"", "", "192.0.2.1", ""},
		"an address with a path":          {"", plain, "evil.example.com/x", ""},
		"an address with a user":          {"", plain, "a@evil.example.com", ""},
		"an address with a query":         {"", plain, "evil.example.com?x", ""},
		"an address with a fragment":      {"", plain, "evil.example.com#x", ""},
		"an address with a port":          {"", plain, "evil.example.com:99", ""},
		"an address with a zone":          {"", plain, "fe80::1%eth0", ""},
		"an empty label":                  {"", plain, "a..example.com", ""},
		"a host name that is none":        {"", `{"port": 443, "protocol": "HTTPS", "hostname": "a/b"}`, "192.0.2.1", ""},
		"a port that is none":             {"", `{"port": 70000, "protocol": "HTTP"}`, "192.0.2.1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := gateways(t, func(int64) (int, string) {
				return 200, fmt.Sprintf(`{"spec": {"listeners": [%s]}, "status": {"addresses": [{"value": %q}]}}`,
					test.listeners, test.address)
			})
			gateway := connect.Gateway{Namespace: "edge", Name: "front", Scheme: test.scheme}
			endpoint, err := gateway.Connect(t.Context(), cluster)
			switch {
			case test.want == "" && err == nil:
				t.Errorf("got %v", endpoint.URL)
			case test.want == "" && !strings.Contains(err.Error(), "Gateway edge/front"):
				t.Errorf("the error names no Gateway: %v", err)
			case test.want != "" && (err != nil || endpoint.URL.String() != test.want):
				t.Errorf("got %v, %v", endpoint.URL, err)
			}
		})
	}
}

func TestAGatewayIsWaitedForUntilItHasAnAddress(t *testing.T) {
	cluster := gateways(t, func(attempt int64) (int, string) {
		if attempt < 3 {
			return 200, `{"spec": {"listeners": [` + plain + `]}}`
		}
		return 200, `{"spec": {"listeners": [` + plain + `]}, "status": {"addresses": [{"value": "192.0.2.1"}]}}`
	})
	gateway := connect.Gateway{Namespace: "edge", Name: "front"}
	if endpoint, err := gateway.Connect(t.Context(), cluster); err != nil || endpoint.URL.Host != "192.0.2.1:80" {
		t.Errorf("got %v, %v", endpoint.URL, err)
	}
	deleted := gateways(t, func(attempt int64) (int, string) {
		if attempt < 3 {
			return 200, `{}`
		}
		return 404, `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}`
	})
	if _, err := gateway.Connect(t.Context(), deleted); !errors.Is(err, connect.ErrNoRouter) {
		t.Errorf("a Gateway that is deleted meanwhile: got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := gateway.Connect(ctx, gateways(t, func(int64) (int, string) { return 200, `{}` }))
	if !errors.Is(err, connect.ErrNoRouter) && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a Gateway without an address: got %v", err)
	}
}

func slice(name string, port int32, endpoints ...discoveryv1.Endpoint) *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "agent-sandbox-system",
			Labels: map[string]string{"kubernetes.io/service-name": "sandbox-router-svc"},
		},
		Ports: []discoveryv1.EndpointPort{
			{Name: new("probes"), Port: new(port + 1)}, {Name: new("http"), Port: &port},
		},
		Endpoints: endpoints,
	}
}

func pod(name string, ready *bool) discoveryv1.Endpoint {
	return discoveryv1.Endpoint{
		TargetRef:  &corev1.ObjectReference{Kind: "Pod", Name: name},
		Conditions: discoveryv1.EndpointConditions{Ready: ready},
	}
}

func TestATunnelGoesToAReadyPodOfTheRouter(t *testing.T) {
	leaks.Check(t, "sdk")
	server := fakeserver.New()
	t.Cleanup(server.Close)
	server.Forward = func(ctx context.Context, port int32, connection io.ReadWriteCloser) error {
		_, err := fmt.Fprintf(connection, "%s %d", fakeserver.PodOf(ctx), port)
		return err
	}
	network, err := stream.New(server.Config(), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	tunnelTo := func(slices ...*discoveryv1.EndpointSlice) (connect.Endpoint, error) {
		clientset := kubernetesfake.NewClientset()
		for _, one := range slices {
			if err := clientset.Tracker().Add(one); err != nil {
				t.Fatal(err)
			}
		}
		return connect.Tunnel{}.Connect(t.Context(), connect.Cluster{Kubernetes: clientset, Network: network})
	}
	endpoint, err := tunnelTo(
		slice("a", 1, pod("starting", new(false))), slice("b", 8080, pod("ready", new(true)), pod("starting", new(false))))
	if err != nil || endpoint.URL.String() != "http://sandbox-router-svc.agent-sandbox-system.svc:8080" {
		t.Fatalf("got %v, %v", endpoint.URL, err)
	}
	conn, err := endpoint.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if text, err := io.ReadAll(conn); string(text) != "ready 8080" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := tunnelTo(slice("a", 8080, pod("starting", new(false)))); !errors.Is(err, connect.ErrNoRouter) {
		t.Errorf("no Pod is ready: got %v", err)
	}
	if _, err := tunnelTo(); !errors.Is(err, connect.ErrNoRouter) || !strings.Contains(err.Error(), "sandbox-router-svc") {
		t.Errorf("there is no router: got %v", err)
	}
}

func TestWhereTokensComeFrom(t *testing.T) {
	if got, err := connect.Token("abc")(t.Context()); got != "abc" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	path := filepath.Join(t.TempDir(), "token")
	file := connect.TokenFile(path)
	for text, want := range map[string]string{"": "", "one\n": "one", "two": "two"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := file(t.Context()); got != want || (err == nil) != (want != "") {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if want == "" {
			continue
		}
		for name, config := range map[string]*rest.Config{
			"a token": {Host: "https://x", BearerToken: want}, "its file": {Host: "https://x", BearerTokenFile: path},
		} {
			source, err := connect.ConfigToken(config)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := source(t.Context()); got != want || err != nil {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
			}
		}
	}
	source, err := connect.ConfigToken(&rest.Config{Host: "https://x", Username: "a", Password: "b"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := source(t.Context()); !errors.Is(err, connect.ErrNoToken) {
		t.Errorf("a configuration without a token: got %q, %v", got, err)
	}
}
