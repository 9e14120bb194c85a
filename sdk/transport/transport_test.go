// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package transport_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/transport"
	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

func TestAReadThatBreaksAnywhereIsAskedForAgain(t *testing.T) {
	for name, action := range map[string]proxy.Action{"ended": proxy.End, "reset": proxy.Reset, "stalled": proxy.Stall} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, http2 bool) {
				s := serve(t, http2, whole)
				// The first connection breaks after the bytes of a handshake, whose number differs a little between
				// runs.
				places := []int64{2500, 3000, 20_000, 100_000}
				if action == proxy.Reset { // takes along what the client has not read yet, perhaps of the handshake
					if _, err := s.do(t, http.MethodGet, "/first"); err != nil {
						t.Fatal(err)
					}
				}
				if action == proxy.Stall {
					places = places[2:] // before the answer, silence is waited for to its end
				}
				for _, at := range places {
					s.client.CloseIdleConnections()
					first := s.between.Connections()
					s.between.Plan(func(number int) proxy.Fault {
						if number == first {
							return proxy.Fault{Action: action, Received: at}
						}
						return proxy.Fault{}
					})
					if got, err := s.do(t, http.MethodGet, "/api/v1/pods"); err != nil || got != list {
						t.Errorf("after %d bytes: %d bytes, %v", at, len(got), err)
					}
				}
			})
		})
	}
}

func TestAReadThatKeepsBreakingIsGivenUpWithAPlainLine(t *testing.T) {
	for name, tt := range map[string]struct {
		fault proxy.Fault
		says  string
	}{
		"reset":   {proxy.Fault{Action: proxy.Reset, Received: 50_000}, "it "}, // the system may not tell it from an end
		"ended":   {proxy.Fault{Action: proxy.End, Received: 50_000}, "it ended early"},
		"stalled": {proxy.Fault{Action: proxy.Stall, Received: 50_000}, "it brought nothing for too long"},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, http2 bool) {
				s := serve(t, http2, whole)
				s.between.Always(tt.fault)
				begun := time.Now()
				_, err := s.do(t, http.MethodGet, "/api/v1/pods")
				broken, ok := errors.AsType[*transport.BrokenError](err)
				if !ok || time.Since(begun) > 15*time.Second || broken.Attempts < 2 || !strings.Contains(broken.Error(), tt.says) {
					t.Errorf("after %v: %v", time.Since(begun), err)
				}
			})
		})
	}
}

func TestWhatMayChangeSomethingIsSentOnce(t *testing.T) {
	never := func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/first" {
			return
		}
		<-r.Context().Done()
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		t.Run(method, func(t *testing.T) {
			overBoth(t, func(t *testing.T, http2 bool) {
				s := serve(t, http2, never)
				if _, err := s.do(t, http.MethodGet, "/first"); err != nil {
					t.Fatal(err)
				}
				go func() {
					for len(s.requests()) < 2 {
						<-time.After(time.Millisecond)
					}
					s.between.Now(proxy.Reset)
				}()
				_, err := s.do(t, method, "/api/v1/namespaces/ns/pods/x")
				if broken, ok := errors.AsType[*transport.BrokenError](err); !ok ||
					!strings.Contains(broken.Error(), "not known whether the request was carried out") {
					t.Errorf("got %v", err)
				}
				if got := s.requests(); len(got) != 2 {
					t.Errorf("asked %v", got)
				}
			})
		})
	}
}

func TestWhatRunsAProgramIsSentOnceAlthoughItIsAGet(t *testing.T) {
	s := serve(t, false, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for _, path := range []string{
		"/api/v1/namespaces/ns/pods/x/exec", "/api/v1/namespaces/ns/pods/x/attach",
		"/api/v1/namespaces/ns/services/x/proxy/run",
	} {
		before := len(s.requests())
		if _, err := s.do(t, http.MethodGet, path); err == nil {
			t.Errorf("%s: no error", path)
		}
		if got := s.requests()[before:]; len(got) != 1 {
			t.Errorf("asked %v", got)
		}
	}
}

func TestAServerThatIsSilentIsNotWaitedFor(t *testing.T) {
	overBoth(t, func(t *testing.T, http2 bool) {
		s := serve(t, http2, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			begun := time.Now()
			_, err := s.do(t, method, "/api/v1/pods")
			if _, ok := errors.AsType[*transport.BrokenError](err); !ok || time.Since(begun) > 8*time.Second {
				t.Errorf("%s: after %v: %v", method, time.Since(begun), err)
			}
		}
	})
}

func TestAWatchThatGoesSilentEndsAndOneThatSpeaksDoesNot(t *testing.T) {
	overBoth(t, func(t *testing.T, http2 bool) {
		s := serve(t, http2, func(w http.ResponseWriter, r *http.Request) {
			for i := range 8 { // longer than the limit
				_, _ = fmt.Fprintln(w, "event", i)
				_ = http.NewResponseController(w).Flush()
				<-time.After(200 * time.Millisecond)
			}
			<-r.Context().Done()
		})
		got, err := s.do(t, http.MethodGet, "/api/v1/pods?watch=true")
		if strings.Count(got, "event") != 8 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

// Data that nobody reads is not idle time.
func TestALogThatIsReadSlowlyGoesOn(t *testing.T) {
	s := serve(t, false, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 300_000 {
			_, _ = fmt.Fprintln(w, "line", i)
		}
	})
	request, _ := http.NewRequestWithContext(
		t.Context(), http.MethodGet, "https://"+s.between.Address()+"/api/v1/namespaces/ns/pods/x/log", http.NoBody,
	)
	response, err := s.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	count := 0
	for ; lines.Scan(); count++ {
		if count == 1000 {
			<-time.After(2 * hasty().Idle)
		}
	}
	if count != 300_000 || lines.Err() != nil {
		t.Errorf("%d lines, %v", count, lines.Err())
	}
}

func TestACallerThatGivesUpIsObeyedAtOnce(t *testing.T) {
	s := serve(t, false, whole)
	s.between.Always(proxy.Fault{Action: proxy.Reset, Received: 50_000})
	ctx, cancel := context.WithCancel(t.Context())
	request, _ := http.NewRequestWithContext(
		ctx, http.MethodGet, "https://"+s.between.Address()+"/api/v1/pods", http.NoBody,
	)
	time.AfterFunc(200*time.Millisecond, cancel)
	begun := time.Now()
	response, err := s.client.Do(request)
	if err == nil {
		_ = response.Body.Close()
	}
	if !errors.Is(err, context.Canceled) || time.Since(begun) > 3*time.Second {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
}

func TestAServerThatWasNeverThereIsNotWaitedFor(t *testing.T) {
	s := serve(t, false, whole)
	s.between.Close()
	begun := time.Now()
	if _, err := s.do(t, http.MethodGet, "/api/v1/pods"); err == nil || time.Since(begun) > 3*time.Second {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
}

// client-go repeats requests for errors that it recognizes: then all limits would be ten times as long.
func TestClientGoDoesNotBeginAllOver(t *testing.T) {
	s := serve(t, true, whole)
	s.between.Always(proxy.Fault{Action: proxy.Reset, Received: 50_000})
	config := &rest.Config{Host: "https://" + s.between.Address(), TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport.New(next, clock.RealClock{}, hasty(), true)
	})
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	_, err = client.CoreV1().Pods("ns").List(t.Context(), metav1.ListOptions{})
	if _, ok := errors.AsType[*transport.BrokenError](err); !ok || time.Since(begun) > 15*time.Second {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
}

// client-go's own pings detect a silent watch over HTTP/2.
func TestPingsOfHTTP2FindASilentWatch(t *testing.T) {
	t.Setenv("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "1")
	t.Setenv("HTTP2_PING_TIMEOUT_SECONDS", "1")
	s := serve(t, true, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	config := transport.Wrap(
		&rest.Config{
			Host:            "https://" + s.between.Address(),
			TLSClientConfig: rest.TLSClientConfig{Insecure: true, ServerName: "a.transport.of.this.test"},
		},
		clock.RealClock{},
	)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := client.CoreV1().Pods("ns").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	s.between.Now(proxy.Stall)
	select {
	case <-watch.ResultChan():
	case <-time.After(20 * time.Second):
		t.Error("it is still open")
	}
}
