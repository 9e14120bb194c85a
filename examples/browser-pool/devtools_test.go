// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"
)

// browser answers as Chrome does.
type browser struct {
	// answers are the messages for a method; ID stands for the ID of the command.
	answers map[string][]string
	status  int
	got     []string
}

const loadEvent = `{"method":"Page.loadEventFired","params":{"timestamp":1.5}}`

func newBrowser() *browser {
	return &browser{status: http.StatusOK, answers: map[string][]string{
		"Page.enable": {loadEvent, `{"id":ID,"result":{}}`}, // the event is about the empty tab
		"Page.navigate": {
			`{"method":"Page.frameStartedLoading","params":{"frameId":"F"}}`, `{"id":ID,"result":{"frameId":"F"}}`, loadEvent,
		},
		"Runtime.evaluate": {`{"id":ID,"result":{"result":{"type":"string","value":"Hello"}}}`},
	}}
}

// serve starts the browser and returns how to reach it.
func (b *browser) serve(t *testing.T) dial {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /json/new", func(w http.ResponseWriter, r *http.Request) {
		if b.status != http.StatusOK || r.Host != "localhost" || r.URL.RawQuery != "about:blank" {
			w.WriteHeader(b.status)
			return
		}
		fmt.Fprint(w, `{"id":"T","type":"page","webSocketDebuggerUrl":"ws://localhost/devtools/page/T"}`)
	})
	mux.HandleFunc("/devtools/page/T", func(w http.ResponseWriter, r *http.Request) {
		connection, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer connection.Close()
		for {
			var command message
			if connection.ReadJSON(&command) != nil {
				return
			}
			b.got = append(b.got, fmt.Sprint(command.Method, command.Params))
			for _, answer := range b.answers[command.Method] {
				text := strings.Replace(answer, "ID", fmt.Sprint(command.ID), 1)
				if connection.WriteMessage(websocket.TextMessage, []byte(text)) != nil {
					return
				}
			}
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", server.Listener.Addr().String())
	}
}

func TestTheTitleOfAPageIsReadWhenThePageIsLoaded(t *testing.T) {
	b := newBrowser()
	got, err := title(t.Context(), "https://example.com", b.serve(t))
	if err != nil || got != "Hello" {
		t.Errorf("got %q, %v", got, err)
	}
	if diff := cmp.Diff([]string{
		"Page.enablemap[]", "Page.navigatemap[url:https://example.com]", "Runtime.evaluatemap[expression:document.title]",
	}, b.got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAPageThatCannotBeReadIsAnError(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*browser)
		want   string
	}{
		"the browser opens no tab": {
			func(b *browser) { b.status = http.StatusInternalServerError },
			"open a tab: the browser answers 500 Internal Server Error",
		},
		"the host does not exist": {
			func(b *browser) {
				b.answers["Page.navigate"] = []string{`{"id":ID,"result":{"errorText":"net::ERR_NAME_NOT_RESOLVED"}}`}
			},
			"net::ERR_NAME_NOT_RESOLVED",
		},
		"the browser refuses a command": {
			func(b *browser) {
				b.answers["Page.enable"] = []string{`{"id":ID,"error":{"code":-1,"message":"not now"}}`}
			},
			"Page.enable: not now",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrowser()
			tt.change(b)
			if got, err := title(t.Context(), "https://example.com", b.serve(t)); err == nil || err.Error() != tt.want {
				t.Errorf("got %q, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestAPageThatDoesNotLoadEndsWithTheContext(t *testing.T) {
	b := newBrowser()
	ctx, cancel := context.WithCancel(t.Context())
	b.answers["Page.navigate"] = []string{`{"id":ID,"result":{"frameId":"F"}}`}
	to := b.serve(t)
	ended := make(chan error)
	go func() {
		_, err := title(ctx, "https://example.com", func(ctx context.Context) (net.Conn, error) {
			connection, err := to(ctx)
			return &quiet{Conn: connection, cancel: cancel}, err
		})
		ended <- err
	}()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// quiet is a connection that ends the context when it has read the answer to Page.navigate.
type quiet struct {
	net.Conn
	cancel context.CancelFunc
}

func (q *quiet) Read(p []byte) (int, error) {
	n, err := q.Conn.Read(p)
	if strings.Contains(string(p[:n]), `"frameId":"F"`) {
		q.cancel()
	}
	return n, err
}

func TestTheTitlesAreInTheOrderOfThePages(t *testing.T) {
	out, second := &strings.Builder{}, make(chan struct{})
	err := printTitles(t.Context(), []string{"a", "b"}, out, func(_ context.Context, page string) (string, error) {
		if page == "b" {
			close(second)
		} else {
			<-second
		}
		return "\x1b[2Jtitle of " + page, nil
	})
	if want := "a \"\\x1b[2Jtitle of a\"\nb \"\\x1b[2Jtitle of b\"\n"; err != nil || out.String() != want {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestAFailureNamesThePage(t *testing.T) {
	out := &strings.Builder{}
	failed := errors.New("no browser")
	fail := func(context.Context, string) (string, error) { return "", failed }
	err := printTitles(t.Context(), []string{"a"}, out, fail)
	if err == nil || err.Error() != "a: no browser" || out.Len() > 0 {
		t.Errorf("got %q, %v", out, err)
	}
	if err := printTitles(t.Context(), nil, out, nil); err == nil {
		t.Error("no pages are no error")
	}
}
