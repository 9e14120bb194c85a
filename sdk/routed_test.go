// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/router"
	"github.com/agent-sandbox/kubectl-sandbox/runtime/server"
	"github.com/agent-sandbox/kubectl-sandbox/runtime/tracing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
)

// secretToken opens every sandbox.
const secretToken = "a-static-token-of-many-bytes"

// routed is a world with a real router and a real runtime, which is that of all Pods.
type routed struct {
	*world
	router  string // its address
	runtime int    // its port
	token   string // a file
	root    string // a directory with the token and the base directory of the runtime
	stops   []func() error
}

// listening passes on where a program says in its log that it serves.
type listening struct {
	once    sync.Once
	address chan string
}

var serving = regexp.MustCompile(`serving.*?(127\.0\.0\.1:\d+)`)

// Write implements io.Writer.
func (l *listening) Write(line []byte) (int, error) {
	if found := serving.FindSubmatch(line); found != nil {
		l.once.Do(func() { l.address <- string(found[1]) })
	}
	return len(line), nil
}

// start runs a program until close, and returns its address.
func (w *routed) start(run func(ctx context.Context, log *slog.Logger) error) string {
	told := &listening{address: make(chan string, 1)}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, slog.New(slog.NewJSONHandler(told, nil))) }()
	w.stops = append(w.stops, func() error { stop(); return <-ended })
	select {
	case address := <-told.address:
		return address
	case err := <-ended:
		panic(fmt.Sprintf("it ended with %v", err))
	}
}

// close ends everything. It returns the errors of the router and the runtime.
func (w *routed) close() error {
	var all []error
	for _, stop := range w.stops {
		all = append(all, stop())
	}
	w.world.close()
	return errors.Join(append(all, os.RemoveAll(w.root))...)
}

func startRouted(t *testing.T) *routed {
	t.Helper()
	w := newRouted()
	t.Cleanup(func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func newRouted() *routed {
	w := &routed{world: newWorld()}
	w.Kubernetes.PrependReactor("create", "tokenreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, action.(clienttesting.CreateAction).GetObject(), nil // nobody is authenticated
	})
	w.Sandboxes.Resources = []*metav1.APIResourceList{{GroupVersion: "extensions.agents.x-k8s.io/v1beta1"}}
	w.server.Forward = func(ctx context.Context, port int32, connection io.ReadWriteCloser) error {
		return carry(ctx, net.JoinHostPort(loopback, strconv.Itoa(int(port))), connection)
	}
	var err error
	if w.root, err = os.MkdirTemp("", "sdk"); err != nil {
		panic(err)
	}
	base := filepath.Join(w.root, "base")
	w.token = filepath.Join(w.root, "token")
	if err := errors.Join(os.WriteFile(w.token, []byte(secretToken), 0o600), os.Mkdir(base, 0o700)); err != nil {
		panic(err)
	}
	w.router = w.start(func(ctx context.Context, log *slog.Logger) error {
		config := router.Defaults()
		config.BindAddress, config.ProbeBindAddress, config.TokenFile = loopback+":0", loopback+":0", w.token
		config.DrainDelay = 0
		clients := router.Clients{Sandboxes: w.Sandboxes, Kubernetes: w.Kubernetes, Reviews: w.Kubernetes}
		return router.Run(ctx, config, clients, logr.FromSlogHandler(log.Handler()))
	})
	address := w.start(func(ctx context.Context, log *slog.Logger) error {
		config := server.Defaults()
		config.Listen, config.Root = loopback+":0", base
		return server.Run(ctx, config, tracing.Off(), log, clock.RealClock{})
	})
	w.runtime = portOf(address)
	return w
}

// portOf returns the port of an address.
func portOf(address string) int {
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		panic(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return port
}

// eachWay runs a test for each way to a sandbox.
func (w *routed) eachWay(t *testing.T, test func(t *testing.T, client *sdk.Client)) {
	t.Helper()
	routerPort := int32(portOf(w.router))
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Name: "sandbox-router-svc-1", Namespace: "agent-sandbox-system",
			Labels: map[string]string{"kubernetes.io/service-name": "sandbox-router-svc"},
		},
		Ports:     []discoveryv1.EndpointPort{{Port: &routerPort}},
		Endpoints: []discoveryv1.Endpoint{{TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: "router-1"}}},
	}
	if _, err := w.Kubernetes.DiscoveryV1().EndpointSlices(slice.Namespace).Create(
		t.Context(), slice, metav1.CreateOptions{},
	); err != nil {
		t.Fatal(err)
	}
	port, token := sdk.WithRuntimePort(w.runtime), sdk.WithRouterToken(connect.Token(secretToken))
	for name, client := range map[string]*sdk.Client{
		"to the Pod":             w.client(port),
		"to the router":          w.client(port, token, sdk.WithConnection(connect.URL("http://"+w.router))),
		"through the API server": w.client(port, token, sdk.WithConnection(connect.Tunnel{})),
	} {
		t.Run(name, func(t *testing.T) { test(t, client) })
	}
}
