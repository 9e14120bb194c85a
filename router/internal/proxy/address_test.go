// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/router/internal/book"
)

// ask sends a request through the router without a network in front of it.
func (w *world) ask(t *testing.T, request *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	out := httptest.NewRecorder()
	w.proxy.Serve(out, request.WithContext(t.Context()), w.target)
	return out
}

func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
}

// A Pod went, another one got its address, and the book still shows the one before.
func TestAFormerAddressNeverAnswersForTheSandboxThatHadIt(t *testing.T) {
	w := newWorld(t, says("of the next one"))
	w.target.Sandbox = sandbox("u-before", "127.0.0.1") // what the book shows
	w.places.put("u-next", "127.0.0.1")                 // what is true: u-before has no Pod
	if out := w.ask(t, httptest.NewRequest(http.MethodGet, "/", nil)); out.Code != 503 ||
		out.Header().Get("Retry-After") == "" ||
		strings.Contains(out.Body.String(), "next") {
		t.Errorf("answer %d %s", out.Code, out.Body)
	}
	w.target.Sandbox = sandbox("u-next", "127.0.0.1")
	if out := w.ask(t, httptest.NewRequest(http.MethodGet, "/", nil)); out.Body.String() != "of the next one" {
		t.Errorf("answer %d %s", out.Code, out.Body)
	}
	// The connection to the next one is open. The one before does not get it, although the address is the same.
	w.target.Sandbox = sandbox("u-before", "127.0.0.1")
	if out := w.ask(t, httptest.NewRequest(http.MethodGet, "/", nil)); out.Code != 503 {
		t.Errorf("over an open connection: %d %s", out.Code, out.Body)
	}
}

func TestABookThatLagsLeadsToWhereThePodIsNow(t *testing.T) {
	w := newWorld(t, says("here"))
	w.target.Sandbox = sandbox("u-box", "192.0.2.1") // where it was
	if out := w.ask(t, httptest.NewRequest(http.MethodGet, "/", nil)); out.Body.String() != "here" {
		t.Errorf("answer %d %s", out.Code, out.Body)
	}
}

func TestAnAddressThatAClientGivesChoosesAmongThoseOfTheSandbox(t *testing.T) {
	w := newWorld(t, says("first"))
	serve(t, fmt.Sprintf("127.0.0.2:%d", w.target.Port), says("second"))
	serve(t, fmt.Sprintf("127.0.0.3:%d", w.target.Port), says("somebody else"))
	w.places.put("u-box", "127.0.0.1", "127.0.0.2")
	for prefer, want := range map[string]string{"127.0.0.1": "first", "127.0.0.2": "second", "127.0.0.3": "first"} {
		w.target.Prefer = netip.MustParseAddr(prefer)
		w.proxy.Close() // the connection of another choice is as good
		if out := w.ask(t, httptest.NewRequest(http.MethodGet, "/", nil)); out.Body.String() != want {
			t.Errorf("%s: %d %s", prefer, out.Code, out.Body)
		}
	}
}

func TestAnOpenConnectionNeedsNoQuestion(t *testing.T) {
	w := newWorld(t, says("here"))
	for range 10 {
		w.ask(t, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("x")))
	}
	if w.places.asked != 1 {
		t.Errorf("asked %d times", w.places.asked)
	}
}

func TestAServerThatStartsIsDialedAgain(t *testing.T) {
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	nobody := []netip.Addr{netip.MustParseAddr("127.0.0.9")}
	w.places.first = [][]netip.Addr{nil, nobody} // no Pod, then one whose server does not listen yet
	out := w.ask(t, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("body")))
	if out.Body.String() != "body" || w.places.asked != 3 {
		t.Errorf("answer %d %s after %d attempts", out.Code, out.Body, w.places.asked)
	}
}

func TestARequestIsWrittenOnce(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost,
		http.MethodDelete} {
		t.Run(method, func(t *testing.T) {
			var mu sync.Mutex
			var requests []string
			w := newWorld(t, nil)
			w.target.Port = raw(t, func(conn net.Conn) { // answers the first request of a connection, and breaks at the second
				buffer := make([]byte, 4096)
				for i := 0; ; i++ {
					n, err := conn.Read(buffer)
					if err != nil {
						return
					}
					mu.Lock()
					requests = append(requests, string(buffer[:n]))
					mu.Unlock()
					if i == 1 {
						return
					}
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				}
			})
			if out := w.ask(t, httptest.NewRequest(method, "/first", nil)); out.Code != 200 {
				t.Fatalf("answer %d %s", out.Code, out.Body)
			}
			if out := w.ask(t, httptest.NewRequest(method, "/second", nil)); out.Code != 502 {
				t.Errorf("answer %d %s", out.Code, out.Body)
			}
			mu.Lock()
			defer mu.Unlock()
			count := 0
			for _, request := range requests {
				if strings.Contains(request, "/second") {
					count++
				}
				if strings.Contains(request, "chunked") {
					t.Errorf("an empty body is sent: %q", request)
				}
			}
			if count != 1 {
				t.Errorf("written %d times", count)
			}
		})
	}
}

func TestWhatIsAnsweredWhenThereIsNoConnection(t *testing.T) {
	tests := map[string]struct {
		places func(*places)
		port   uint16
		status int
		detail string
		retry  bool
	}{
		"nobody listens":  {func(*places) {}, 1, 502, "Could not connect to the backend sandbox, port 1.", false},
		"there is no Pod": {func(p *places) { p.at = nil }, 1, 503, "The sandbox has no running Pod.", true},
		"nobody can say where it is": {func(p *places) { p.err = errors.Join(book.ErrUnconfirmed, errors.New("secret")) }, 1,
			503, "The address of the sandbox could not be confirmed.", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.target.Port = tt.port
			tt.places(w.places)
			out := w.ask(t, httptest.NewRequest(http.MethodGet, "/", nil))
			if out.Code != tt.status || out.Body.String() != `{"detail":"`+tt.detail+`"}`+"\n" ||
				(out.Header().Get("Retry-After") != "") != tt.retry {
				t.Errorf("answer %d %v %s", out.Code, out.Header(), out.Body)
			}
		})
	}
}

func TestTheNameOfAConnectionIsThatOfOneSandbox(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []*book.Sandbox{
		sandbox("a"), sandbox("b"), sandbox("a", "10.0.0.1"), sandbox("b", "10.0.0.1"), sandbox("a", "10.0.0.1", "fd00::1"),
		sandbox("a", "fd00::1"),
	} {
		host := hostOf(s)
		if seen[host] || strings.ContainsAny(host, ":/[]") {
			t.Errorf("host %s", host)
		}
		seen[host] = true
	}
	if _, err := (&dialer{}).connect(t.Context(), "tcp", "10.0.0.1:80"); err == nil {
		t.Error("an address without a Sandbox is dialed")
	}
}

func TestNobodyIsDialedForWhoIsGone(t *testing.T) {
	w := newWorld(t, nil)
	w.places.put("u-box") // nowhere, and the time does not pass
	d := &dialer{locator: w.places, clock: clocktesting.NewFakeClock(time.Unix(0, 0))}
	ctx, cancel := context.WithCancel(withWanted(t.Context(), wanted{sandbox: sandbox("u-box")}))
	cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := d.connect(ctx, "tcp", "box:80")
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) || !errors.Is(err, book.ErrNotRunning) {
			t.Errorf("it ends with %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("it goes on")
	}
}

// Servers of Python and Node.js close an unused connection after five seconds.
func TestTheRouterClosesAnUnusedConnectionBeforeThePodDoes(t *testing.T) {
	w := newWorld(t, nil)
	for _, transport := range []*http.Transport{w.proxy.http1, w.proxy.http2} {
		if is := transport.IdleConnTimeout; is <= 0 || is >= 5*time.Second {
			t.Errorf("it closes one after %s", is)
		}
	}
}
