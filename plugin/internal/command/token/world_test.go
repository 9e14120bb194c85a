// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package token

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

const (
	operatorNamespace = "agent-sandbox-system"
	scoped            = "eyJh.eyJi.c2ln" // what a router answers
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// seen is one request that a router got.
type seen struct{ method, path, authorization, body string }

// world is a cluster with a router. What the router answers is in its fields.
type world struct {
	t       *testing.T
	status  int
	answer  string
	health  string
	objects []runtime.Object
	config  *rest.Config
	url     string // of the router

	mu       sync.Mutex
	requests []seen
	pods     []string // that were connected to
	api      *fakeserver.Server
}

// newWorld starts a router that answers, and an API server that connects to it.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, status: http.StatusOK, health: `{"status":"ok"}` + "\n",
		answer:  `{"token":"` + scoped + `","expirationTimestamp":"2026-05-01T13:00:00Z"}`,
		objects: append(routerObjects(operatorNamespace), builders.Claim("dev", "t", builders.WithUID("c-dev"))),
	}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.api = fakeserver.New()
	t.Cleanup(w.api.Close)
	w.url, w.config = server.URL, w.api.Config()
	w.config.BearerToken = "of-ann"
	w.forwardTo(server.Listener.Addr().String())
	return w
}

// forwardTo makes the port 8080 of the Pods an address.
func (w *world) forwardTo(address string) {
	w.api.Forward = func(ctx context.Context, port int32, connection io.ReadWriteCloser) error {
		w.mu.Lock()
		w.pods = append(w.pods, fakeserver.PodOf(ctx))
		w.mu.Unlock()
		if port != 8080 {
			return errors.New("dial tcp4 127.0.0.1:81: connect: connection refused")
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		defer conn.Close()
		go func() {
			_, _ = io.Copy(conn, connection)
			_ = conn.(*net.TCPConn).CloseWrite()
		}()
		_, err = io.Copy(connection, conn)
		return err
	}
}

// ServeHTTP is the router.
func (w *world) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, seen{r.Method, r.URL.Path, r.Header.Get("Authorization"), string(body)})
	if strings.HasSuffix(r.URL.Path, "/healthz") {
		_, _ = io.WriteString(out, w.health)
		return
	}
	if w.status == http.StatusFound {
		out.Header().Set("Location", "/elsewhere")
	}
	out.WriteHeader(w.status)
	_, _ = io.WriteString(out, w.answer)
}

// routerObjects are the Pods of a router, of which the second one is ready.
func routerObjects(namespace string) []runtime.Object {
	endpoint := func(pod string, ready bool) discoveryv1.Endpoint {
		return discoveryv1.Endpoint{
			Conditions: discoveryv1.EndpointConditions{Ready: &ready},
			TargetRef:  &corev1.ObjectReference{Kind: "Pod", Namespace: namespace, Name: pod},
		}
	}
	return []runtime.Object{&discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "s", Labels: map[string]string{"kubernetes.io/service-name": "sandbox-router-svc"},
		},
		Ports:     []discoveryv1.EndpointPort{{Name: new("http"), Port: new(int32(8080))}},
		Endpoints: []discoveryv1.Endpoint{endpoint("router-1", false), endpoint("router-2", true)},
	}}
}

// result is what a command printed.
type result struct {
	out, errOut string
	err         error
}

func (w *world) run(args ...string) result {
	w.t.Helper()
	cluster := fakecluster.New(w.objects...)
	cluster.Kubernetes.PrependReactor("create", "serviceaccounts", w.createToken)
	var out, errOut bytes.Buffer
	cmd := NewCommand(&fake.Factory{
		Time: clocktesting.NewFakeClock(now), In: builders.Namespace, Config: w.config,
		SandboxesClient: cluster.Sandboxes, KubernetesClient: cluster.Kubernetes,
	}, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(w.t.Context())
	return result{out.String(), errOut.String(), err}
}

// createToken answers a TokenRequest of the ServiceAccount "agent".
func (w *world) createToken(action clienttesting.Action) (bool, runtime.Object, error) {
	create, ok := action.(clienttesting.CreateActionImpl)
	if !ok || create.Subresource != "token" || create.Name != "agent" || create.Namespace != builders.Namespace {
		return true, nil, errors.New("no such account")
	}
	return true, &authenticationv1.TokenRequest{Status: authenticationv1.TokenRequestStatus{Token: "of-agent"}}, nil
}
