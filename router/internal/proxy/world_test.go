// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/book"
)

// places says where Sandboxes are.
type places struct {
	mu    sync.Mutex
	at    map[types.UID][]netip.Addr
	err   error
	first [][]netip.Addr // answers before that
	asked int
}

func (p *places) Locate(_ context.Context, sandbox *book.Sandbox) ([]netip.Addr, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.err != nil {
		return nil, p.err
	}
	if len(p.first) > 0 {
		is := p.first[0]
		if p.first = p.first[1:]; len(is) == 0 {
			return nil, book.ErrNotRunning
		}
		return is, nil
	}
	if len(p.at[sandbox.UID]) == 0 {
		return nil, book.ErrNotRunning
	}
	return p.at[sandbox.UID], nil
}

func (p *places) put(uid types.UID, ips ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []netip.Addr
	for _, ip := range ips {
		all = append(all, netip.MustParseAddr(ip))
	}
	p.at[uid] = all
}

// world is a router without its gate: it sends every request to the Sandbox "box".
type world struct {
	places *places
	proxy  *Proxy
	url    string
	target Target
	clock  clock.WithDelayedExecution
	ended  sync.WaitGroup // requests
}

type option func(*world)

// timed gives the router a clock of the test.
func timed(clk *clocktesting.FakeClock) option { return func(w *world) { w.clock = clk } }

// newWorld starts a router in front of a Pod.
func newWorld(t testing.TB, pod http.Handler, options ...option) *world {
	t.Helper()
	w := &world{places: &places{at: map[types.UID][]netip.Addr{}}}
	w.target = Target{Sandbox: sandbox("u-box"), Timeout: time.Minute}
	w.clock = clock.RealClock{}
	if pod != nil {
		w.target.Port = serve(t, "127.0.0.1:0", pod)
	}
	w.places.put("u-box", "127.0.0.1")
	for _, o := range options {
		o(w)
	}
	w.proxy = New(Config{
		Locator: w.places, Clock: w.clock, Log: logr.Discard(), Dialed: func(error) {},
		Annotate: func(context.Context, http.Header) {},
	})
	router := httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.ended.Add(1)
		defer w.ended.Done()
		w.proxy.Serve(out, r, w.target)
	}))
	router.Config.Protocols = new(http.Protocols)
	router.Config.Protocols.SetHTTP1(true)
	router.Config.Protocols.SetUnencryptedHTTP2(true)
	router.Start()
	t.Cleanup(func() { router.CloseClientConnections(); router.Close(); w.proxy.Close() })
	w.url = router.URL
	return w
}

func sandbox(uid types.UID, ips ...string) *book.Sandbox {
	is := &book.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "box", UID: uid}, PodName: "box"}
	for _, ip := range ips {
		is.Addresses = append(is.Addresses, netip.MustParseAddr(ip))
	}
	return is
}

// serve starts a server of a Pod and returns its port.
func serve(t testing.TB, address string, h http.Handler) uint16 {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(h)
	_ = server.Listener.Close()
	server.Listener = listener
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return portOf(t, listener.Addr().String())
}

func portOf(t testing.TB, address string) uint16 {
	t.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return uint16(port)
}

// raw starts a Pod that speaks bytes, one function per connection.
func raw(t testing.TB, speak func(net.Conn)) uint16 {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); speak(conn) }()
		}
	}()
	return portOf(t, listener.Addr().String())
}
