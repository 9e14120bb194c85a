// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	clocktesting "k8s.io/utils/clock/testing"
)

// send writes a request as it is, and returns the response.
func send(t *testing.T, url, request string) *http.Response {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func read(t *testing.T, response *http.Response) string {
	t.Helper()
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestThePathAndTheQueryArriveByteForByte(t *testing.T) {
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.RequestURI)
	}))
	for _, uri := range []string{
		"/", "/a%2Fb", "/a%2fb", "/a/../b", "/a/./b//c", "//a/b", "/%2e%2e/%2E", "/a b"[:2] + "%20b", "/ä", "/%C3%A4",
		"/a|b^{}",
		"/a?x=%20+&y=;&z", "/?a=b;c=%zz", "/a?", "/a#b", "/a%00b", "/agent", "/download/%2Fetc%2Fpasswd?a=1&a=2",
		"/" + strings.Repeat("%41", 5000),
	} {
		response := send(t, w.url, "GET "+uri+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		got := read(t, response)
		_ = response.Body.Close()
		if got != uri {
			t.Errorf("%.60s arrives as %.60s", uri, got)
		}
	}
}

func TestWhatOfTheHeadersArrives(t *testing.T) {
	headers := make(chan http.Header, 1)
	hosts := make(chan string, 1)
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header
		hosts <- r.Host
		w.Header().Set("Connection", "X-Hop")
		w.Header().Set("X-Hop", "1")
		w.Header().Set("X-Kept", "1")
		w.Header().Set("Location", "http://elsewhere/")
		w.WriteHeader(http.StatusFound)
	}))
	w.target.Sandbox = sandbox("u-box", "127.0.0.1")
	response := send(t, w.url, "GET / HTTP/1.1\r\nHost: shop.example\r\nAuthorization: Bearer secret\r\n"+
		"Proxy-Authorization: Basic c2VjcmV0\r\nConnection: close, X-Private\r\nX-Private: secret\r\nTE: trailers\r\n"+
		"Keep-Alive: 5\r\nX-Sandbox-ID: box\r\nCookie: a=b\r\nX-Forwarded-For: 192.0.2.1\r\nAccept-Encoding: br\r\n\r\n")
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusFound || response.Header.Get("Location") != "http://elsewhere/" {
		t.Errorf("the redirect arrives as %d %v", response.StatusCode, response.Header)
	}
	if response.Header.Get("X-Hop") != "" || response.Header.Get("X-Kept") != "1" {
		t.Errorf("the response has %v", response.Header)
	}
	got := <-headers
	for name := range got {
		if strings.Contains(strings.Join(got[name], ""), "secret") || strings.Contains(strings.Join(got[name], ""), "c2Vj") {
			t.Errorf("%s arrives: %v", name, got[name])
		}
	}
	for name, want := range map[string]string{
		"X-Sandbox-Id": "box", "Cookie": "a=b", "X-Forwarded-For": "192.0.2.1, 127.0.0.1", "X-Forwarded-Host": "shop.example",
		"Accept-Encoding": "br", "User-Agent": "", "Keep-Alive": "", "Te": "trailers",
	} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
	if host := <-hosts; host != fmt.Sprintf("127.0.0.1:%d", w.target.Port) {
		t.Errorf("the host is %s", host)
	}
}

func TestEveryMethodAndPathIsSentOn(t *testing.T) {
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", fmt.Sprint(r.Method, " ", r.URL.Path, " ", string(body), " ", r.TransferEncoding, " ",
			r.ContentLength))
	}))
	for request, want := range map[string]string{
		"POST /agent HTTP/1.1\r\nContent-Length: 2\r\n":    "POST /agent {} [] 2",
		"PUT /a HTTP/1.1\r\nContent-Length: 2\r\n":         "PUT /a {} [] 2",
		"PATCH /token HTTP/1.1\r\nContent-Length: 2\r\n":   "PATCH /token {} [] 2",
		"DELETE /a HTTP/1.1\r\nContent-Length: 0\r\n":      "DELETE /a  [] 0",
		"GET /healthz/a HTTP/1.1\r\nContent-Length: 0\r\n": "GET /healthz/a  [] 0",
		"OPTIONS /a HTTP/1.1\r\nContent-Length: 0\r\n":     "OPTIONS /a  [] 0",
		"HEAD /a HTTP/1.1\r\nContent-Length: 0\r\n":        "HEAD /a  [] 0",
		"REPORT /a HTTP/1.1\r\nContent-Length: 0\r\n":      "REPORT /a  [] 0",
	} {
		body := ""
		if strings.Contains(request, "Length: 2") {
			body = "{}"
		}
		response := send(t, w.url, request+"Host: a\r\nConnection: close\r\n\r\n"+body)
		_ = response.Body.Close()
		if got := response.Header.Get("X-Seen"); got != want {
			t.Errorf("%.30q arrives as %q", request, got)
		}
	}
}

func TestBothSidesSpeakAtTheSameTime(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() {
			_, _ = fmt.Fprintln(w, "echo", lines.Text())
			_ = http.NewResponseController(w).Flush()
		}
	})
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			w := newWorld(t, echo)
			transport := &http.Transport{Protocols: new(http.Protocols)}
			transport.Protocols.SetHTTP1(protocol == "HTTP/1.1")
			transport.Protocols.SetUnencryptedHTTP2(protocol != "HTTP/1.1")
			defer transport.CloseIdleConnections()
			out, in := io.Pipe()
			go func() { _, _ = fmt.Fprintln(in, "one") }()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url, out)
			if err != nil {
				t.Fatal(err)
			}
			response, err := transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.Proto != protocol {
				t.Errorf("spoken %s", response.Proto)
			}
			lines := bufio.NewScanner(response.Body)
			for i, next := range []string{"two", "three", ""} {
				if !lines.Scan() || lines.Text() != "echo "+[]string{"one", "two", "three"}[i] {
					t.Fatalf("line %d: %q, %v", i, lines.Text(), lines.Err())
				}
				if next != "" {
					_, _ = fmt.Fprintln(in, next)
				}
			}
			_ = in.Close()
			if lines.Scan() || lines.Err() != nil {
				t.Errorf("afterwards %q, %v", lines.Text(), lines.Err())
			}
		})
	}
}

func TestServerSentEventsArriveOneByOneAndTrailersAtTheEnd(t *testing.T) {
	next := make(chan struct{})
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Trailer", "X-Sum")
		for i := range 3 {
			_, _ = fmt.Fprintf(w, "data: %d\n\n", i)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
		w.Header().Set("X-Sum", "3")
	}))
	response := get(t, w.url)
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for i := range 3 {
		line, err := lines.ReadString('\n')
		if err != nil || line != fmt.Sprintf("data: %d\n", i) {
			t.Fatalf("event %d: %q, %v", i, line, err)
		}
		_, _ = lines.ReadString('\n')
		next <- struct{}{}
	}
	if _, err := io.ReadAll(lines); err != nil || response.Trailer.Get("X-Sum") != "3" {
		t.Errorf("trailer %v, %v", response.Trailer, err)
	}
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func TestAWebSocketLastsLongerThanTheTimeoutAndEndsOnBothSides(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Unix(0, 0))
	ended := make(chan error, 1)
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		upgrader := websocket.Upgrader{Subprotocols: []string{"v1"}, CheckOrigin: func(*http.Request) bool { return true }}
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			ended <- err
			return
		}
		defer conn.Close()
		for {
			kind, message, err := conn.ReadMessage()
			if err != nil {
				ended <- err
				return
			}
			_ = conn.WriteMessage(kind, append([]byte("echo "), message...))
		}
	}), timed(clk))
	dialer := websocket.Dialer{Subprotocols: []string{"v1"}}
	conn, response, err := dialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(w.url, "http")+"/ws?a=b", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if conn.Subprotocol() != "v1" {
		t.Errorf("subprotocol %q", conn.Subprotocol())
	}
	clk.Step(time.Hour) // silence
	if err := conn.WriteMessage(websocket.TextMessage, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if _, message, err := conn.ReadMessage(); err != nil || string(message) != "echo one" {
		t.Errorf("%q, %v", message, err)
	}
	_ = conn.Close()
	if err := <-ended; err == nil {
		t.Error("the Pod's side did not end")
	}
	w.ended.Wait()
}

func TestGRPCGetsHTTP2(t *testing.T) {
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "Grpc-Status")
		_, _ = io.WriteString(w, r.Proto+" "+r.URL.Path)
		w.Header().Set("Grpc-Status", "0")
	}))
	for kind, want := range map[string]string{"application/grpc+proto": "HTTP/2.0 /s/m", "text/plain": "HTTP/1.1 /s/m"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url+"/s/m", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", kind)
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetUnencryptedHTTP2(true)
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, response); got != want || response.Trailer.Get("Grpc-Status") != "0" {
			t.Errorf("%s: %q, trailer %v", kind, got, response.Trailer)
		}
		transport.CloseIdleConnections()
	}
}
