// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"context"
	"hash/fnv"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/book"
)

const (
	// bufferSize is the size of the pieces in which bodies pass.
	bufferSize = 32 << 10
	// idleTimeout ends unused connections to a Pod. It is shorter than the five seconds after which the servers of
	// Python and Node.js close them: a request that meets such an end fails.
	idleTimeout = 4 * time.Second
	// maxIdle is the number of unused connections that are kept for one port of one Sandbox.
	maxIdle = 256
	// keepAlive is the time between two probes of a silent connection. Three in a row without an answer end it.
	keepAlive = 15 * time.Second
	// maxResponseHeader is the most that a Pod may send before the body.
	maxResponseHeader = 256 << 10
	// maxUntaken is the most of a response over HTTP/2 that is kept for a client that does not take it.
	maxUntaken = 256 << 10
)

// Config says what a Proxy needs. Every field is required.
type Config struct {
	Locator Locator
	Clock   clock.WithDelayedExecution
	Log     logr.Logger
	Dialed  func(error) // is told about each connection to a Pod
	// Annotate may add headers to what a Pod gets, such as the context of a trace.
	Annotate func(ctx context.Context, headers http.Header)
}

// Proxy sends requests on. It is safe for concurrent use.
type Proxy struct {
	config  Config
	reverse httputil.ReverseProxy
	http1   *http.Transport
	http2   *http.Transport
	buffers sync.Pool
}

// New returns a Proxy.
func New(config Config) *Proxy {
	p := &Proxy{config: config}
	p.buffers.New = func() any { return new([bufferSize]byte) }
	d := &dialer{locator: config.Locator, clock: config.Clock, dialed: config.Dialed, net: net.Dialer{
		Timeout:         dialTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAlive, Interval: keepAlive, Count: 3},
	}}
	p.http1, p.http2 = newTransport(d), newTransport(d)
	p.http2.Protocols = new(http.Protocols)
	p.http2.Protocols.SetUnencryptedHTTP2(true)
	p.http2.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: maxUntaken}
	p.reverse = httputil.ReverseProxy{
		Rewrite:        p.rewrite,
		Transport:      roundTripper{p},
		FlushInterval:  -1, // what a Pod sends is not held back
		BufferPool:     pool{&p.buffers},
		ModifyResponse: begun,
		ErrorHandler:   p.failed,
		ErrorLog:       slog.NewLogLogger(logr.ToSlogHandler(config.Log.V(1)), slog.LevelInfo),
	}
	return p
}

func newTransport(d *dialer) *http.Transport {
	return &http.Transport{
		DialContext:            d.dial,
		MaxIdleConnsPerHost:    maxIdle,
		IdleConnTimeout:        idleTimeout,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxResponseHeader,
		DisableCompression:     true, // bodies pass as they are
		WriteBufferSize:        bufferSize,
		ReadBufferSize:         bufferSize,
	}
}

// Close closes the connections that are not in use.
func (p *Proxy) Close() {
	p.http1.CloseIdleConnections()
	p.http2.CloseIdleConnections()
}

// Target says where a request goes.
type Target struct {
	Sandbox *book.Sandbox
	Port    uint16
	Prefer  netip.Addr    // chooses between the addresses of the Sandbox; may be invalid
	Timeout time.Duration // until the response begins, without a sign of life from either side
}

// Serve sends a request on and the response back. What goes wrong is answered as a *reply.Error.
func (p *Proxy) Serve(w http.ResponseWriter, r *http.Request, target Target) {
	// Without it, an HTTP/1 server reads the rest of the request before it sends a response. HTTP/2 always can.
	_ = http.NewResponseController(w).EnableFullDuplex()
	e := newExchange(w, r, p.config.Clock, target)
	defer e.end(w, p.config.Clock)
	ctx := context.WithValue(withWanted(e.ctx, wanted{target.Sandbox, target.Prefer}), exchangeKey{}, e)
	r = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = e.watch(r.Body)
	}
	p.reverse.ServeHTTP(w, r)
}

// rewrite makes the request for the Pod out of the client's.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	target := exchangeOf(r.In.Context()).target
	port := strconv.Itoa(int(target.Port))
	r.Out.URL.Scheme, r.Out.URL.Host = "http", net.JoinHostPort(hostOf(target.Sandbox), port)
	if speaksHTTP2(r.In) {
		r.Out.URL.Host = clientOf(r.In) + "." + r.Out.URL.Host
	}
	r.Out.Host = visibleHost(target.Sandbox, port)
	keepPath(r.Out.URL, r.In)
	r.Out.Trailer = r.In.Trailer // the server fills it at the end of the body
	r.Out.Header.Del("Authorization")
	r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"] // SetXForwarded appends to it
	r.SetXForwarded()
	p.config.Annotate(r.In.Context(), r.Out.Header)
	// When a used connection breaks, net/http repeats requests that should not change anything. In a sandbox, a GET may do
	// anything. Requests with a body are not repeated, and net/http sends an empty body as none.
	switch r.Out.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		if r.Out.Body == nil {
			r.Out.Body, r.Out.ContentLength = unrepeatable{}, -1
		}
	}
}

// visibleHost is the Host header: the address, as if the client had dialed the Pod, or the name while it has none.
func visibleHost(sandbox *book.Sandbox, port string) string {
	if len(sandbox.Addresses) > 0 {
		return net.JoinHostPort(sandbox.Addresses[0].String(), port)
	}
	return net.JoinHostPort(sandbox.Name+"."+sandbox.Namespace, port)
}

// keepPath makes the URL's path and query those that the client sent, byte for byte. net/url would encode anew what is
// not encoded as it likes it.
func keepPath(out *url.URL, in *http.Request) {
	out.RawQuery, out.ForceQuery = in.URL.RawQuery, in.URL.ForceQuery
	path, _, _ := strings.Cut(in.RequestURI, "?")
	if strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") { // net/url takes the latter for a host
		out.Opaque = path
	}
}

// roundTripper chooses the transport: gRPC needs HTTP/2, and servers in sandboxes seldom have it otherwise.
type roundTripper struct{ *Proxy }

func (t roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if speaksHTTP2(r) {
		return t.http2.RoundTrip(r)
	}
	return t.http1.RoundTrip(r)
}

// speaksHTTP2 reports whether the Pod is spoken to in HTTP/2.
func speaksHTTP2(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

// clientOf names the connection of the client. Clients that do not share one to the router do not share one to a Pod,
// where requests that stall hold up all others.
func clientOf(r *http.Request) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(r.RemoteAddr))
	return strconv.FormatUint(sum.Sum64(), 36)
}

// pool implements httputil.BufferPool.
type pool struct{ *sync.Pool }

func (p pool) Get() []byte { return p.Pool.Get().(*[bufferSize]byte)[:] } //nolint:errcheck // New makes nothing else

func (p pool) Put(buffer []byte) { p.Pool.Put((*[bufferSize]byte)(buffer)) }
