// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// protocols are what clients of the router speak.
var protocols = []string{"HTTP/1.1", "HTTP/2.0"}

// transportOf returns a client for a protocol. Over HTTP/2, all its requests share one connection.
func transportOf(t testing.TB, protocol string) *http.Transport {
	t.Helper()
	is := &http.Transport{
		Protocols: new(http.Protocols), ExpectContinueTimeout: time.Hour, // a body waits until it is asked for
	}
	is.Protocols.SetHTTP1(protocol == "HTTP/1.1")
	is.Protocols.SetUnencryptedHTTP2(protocol == "HTTP/2.0")
	t.Cleanup(is.CloseIdleConnections)
	return is
}

// to returns a request for the Sandbox "box".
func (w *world) to(method, path, port string, body io.Reader) *http.Request {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	w.t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, method, w.url+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header = http.Header{"Authorization": {"Bearer ann"}, "X-Sandbox-Id": {"box"}, "X-Sandbox-Port": {port}}
	return request
}

// received is a response whose body is closed at the end of the test.
type received struct{ *http.Response }

// send returns the response to a request.
func send(t *testing.T, transport http.RoundTripper, request *http.Request) received {
	t.Helper()
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return received{response}
}

func read(t *testing.T, response received) string {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// counted is a body that knows whether it was read.
type counted struct {
	io.Reader

	reads atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	c.reads.Add(1)
	return c.Reader.Read(p)
}

func TestABodyThatIsAnnouncedIsSentWhenThePodWantsIt(t *testing.T) {
	w := newWorld(t, nil)
	port := pod(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/full" {
			w.WriteHeader(http.StatusInsufficientStorage)
			return
		}
		_, _ = io.Copy(w, r.Body)
	})
	tests := map[string]struct {
		path, token string
		status      int
		sent        bool
	}{
		"a Pod that wants it":           {"/", "ann", 200, true},
		"a Pod that does not want it":   {"/full", "ann", 507, false},
		"a caller whom the router bars": {"/", "mallory", 401, false},
	}
	for _, protocol := range protocols {
		for name, tt := range tests {
			t.Run(protocol+", "+name, func(t *testing.T) {
				body := &counted{Reader: strings.NewReader("body")}
				request := w.to(http.MethodPost, tt.path, port, body)
				request.Header.Set("Expect", "100-continue")
				request.Header.Set("Authorization", "Bearer "+tt.token)
				asked := 0
				request = request.WithContext(httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{
					Got100Continue: func() { asked++ },
				}))
				transport := transportOf(t, protocol)
				response := send(t, transport, request)
				got := read(t, response)
				// net/http hides the header of HTTP/2, so the router asks for the body of whom it lets in.
				wanted := tt.sent || protocol == "HTTP/2.0" && tt.token == "ann"
				if response.StatusCode != tt.status || (got == "body") != tt.sent || (asked == 1) != wanted {
					t.Errorf("answer %d %q, asked %d times", response.StatusCode, got, asked)
				}
				if (body.reads.Load() > 0) != wanted {
					t.Errorf("the body was read %d times", body.reads.Load())
				}
				if next := send(t, transport, w.to(http.MethodPost, "/", port, nil)); next.StatusCode != http.StatusOK {
					t.Errorf("the next request: %d", next.StatusCode)
				}
			})
		}
	}
}

// Many servers do not know the header. They wait for the body, so it is sent after a second.
func TestAPodThatDoesNotAskForABodyGetsIt(t *testing.T) {
	w := newWorld(t, nil)
	port := rawPod(t, func(conn net.Conn, lines *bufio.Reader) {
		for line := ""; line != "\r\n"; line, _ = lines.ReadString('\n') {
		}
		body := make([]byte, 4)
		_, _ = io.ReadFull(lines, body)
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n%s", body)
	})
	for _, protocol := range protocols {
		request := w.to(http.MethodPost, "/", port, strings.NewReader("body"))
		request.Header.Set("Expect", "100-continue")
		if got := read(t, send(t, transportOf(t, protocol), request)); got != "body" {
			t.Errorf("%s: answer %q", protocol, got)
		}
	}
}

// rawPod starts a Pod that speaks bytes. It has no server that would answer a header that it knows.
func rawPod(t *testing.T, speak func(net.Conn, *bufio.Reader)) string {
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
			go func() { defer conn.Close(); speak(conn, bufio.NewReader(conn)) }()
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// grpc is the content type for which Pods are spoken to in HTTP/2.
const grpc = "application/grpc"

// podOfBoth starts a Pod that speaks HTTP/1.1 and HTTP/2.
func podOfBoth(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: h, Protocols: new(http.Protocols), ReadHeaderTimeout: time.Minute}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

// bothSides runs a test for each protocol of the client and of the Pod.
func bothSides(t *testing.T, test func(t *testing.T, transport *http.Transport, contentType string)) {
	t.Helper()
	for _, client := range protocols {
		for server, contentType := range map[string]string{"HTTP/1.1": "text/plain", "HTTP/2.0": grpc} {
			t.Run(client+" to "+server, func(t *testing.T) { test(t, transportOf(t, client), contentType) })
		}
	}
}

func TestTrailersPassInBothDirections(t *testing.T) {
	w := newWorld(t, nil)
	port := podOfBoth(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Down")
		_, _ = io.Copy(w, r.Body)
		w.Header().Set("X-Down", r.Trailer.Get("X-Up")+" "+r.Proto)
		w.Header().Set(http.TrailerPrefix+"X-Late", "unannounced")
	})
	bothSides(t, func(t *testing.T, transport *http.Transport, contentType string) {
		request := w.to(http.MethodPost, "/", port, io.MultiReader(strings.NewReader("body")))
		request.Header.Set("Content-Type", contentType)
		request.Trailer = http.Header{"X-Up": {"sum"}}
		response := send(t, transport, request)
		got := read(t, response)
		want := "sum HTTP/1.1"
		if contentType == grpc {
			want = "sum HTTP/2.0"
		}
		if got != "body" || response.Trailer.Get("X-Down") != want || response.Trailer.Get("X-Late") != "unannounced" {
			t.Errorf("answer %q with trailer %v", got, response.Trailer)
		}
	})
}

func TestEventsArriveAtOnceInEveryProtocol(t *testing.T) {
	w := newWorld(t, nil)
	next := make(chan struct{})
	port := podOfBoth(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			_, _ = fmt.Fprintf(w, "data: %d\n", i)
			_ = http.NewResponseController(w).Flush()
			<-next // nothing more is sent until the client has this one
		}
	})
	bothSides(t, func(t *testing.T, transport *http.Transport, contentType string) {
		request := w.to(http.MethodPost, "/", port, nil)
		request.Header.Set("Content-Type", contentType)
		events := bufio.NewReader(send(t, transport, request).Body)
		for i := range 3 {
			line, err := events.ReadString('\n')
			if err != nil || line != fmt.Sprintf("data: %d\n", i) {
				t.Fatalf("event %d: %q, %v", i, line, err)
			}
			next <- struct{}{}
		}
		if line, err := events.ReadString('\n'); !errors.Is(err, io.EOF) || line != "" {
			t.Errorf("afterwards %q, %v", line, err)
		}
	})
}

func TestBothSidesSpeakAtTheSameTimeInEveryProtocol(t *testing.T) {
	w := newWorld(t, nil)
	port := podOfBoth(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() {
			_, _ = fmt.Fprintln(w, r.Proto, lines.Text())
			_ = http.NewResponseController(w).Flush()
		}
	})
	bothSides(t, func(t *testing.T, transport *http.Transport, contentType string) {
		out, in := io.Pipe()
		go func() { _, _ = io.WriteString(in, "0\n") }()
		request := w.to(http.MethodPost, "/", port, out)
		request.Header.Set("Content-Type", contentType)
		lines := bufio.NewScanner(send(t, transport, request).Body)
		for i := range 3 {
			if !lines.Scan() || !strings.HasSuffix(lines.Text(), fmt.Sprint(" ", i)) {
				t.Fatalf("line %d: %q, %v", i, lines.Text(), lines.Err())
			}
			_, _ = fmt.Fprintln(in, i+1)
		}
		_ = in.Close()
		if !lines.Scan() || lines.Scan() || lines.Err() != nil {
			t.Errorf("afterwards %q, %v", lines.Text(), lines.Err())
		}
	})
}
