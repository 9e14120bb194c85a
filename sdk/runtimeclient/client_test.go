// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package runtimeclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/runtimeclient"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
)

// silence is how long the runtimes of these tests may be silent.
const silence = time.Second

// hurried is a clock whose timers take a thousandth of the time.
type hurried struct{ clock.RealClock }

// NewTimer implements clock.WithTicker.
func (hurried) NewTimer(d time.Duration) clock.Timer { return clock.RealClock{}.NewTimer(d / 1000) }

// to sends requests to a server on loopback.
type to struct {
	transport *http.Transport
	url       *url.URL
}

// RoundTrip implements http.RoundTripper.
func (t to) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.URL.Scheme, request.URL.Host = t.url.Scheme, t.url.Host
	return t.transport.RoundTrip(request)
}

func client(t *testing.T, handler http.HandlerFunc) *runtimeclient.Client {
	t.Helper()
	leaks.Check(t, "sdk")
	server := httptest.NewServer(handler)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return clientOf(t, server.URL)
}

func clientOf(t *testing.T, address string) *runtimeclient.Client {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return runtimeclient.New(runtimeclient.Config{
		Transport: to{transport, parsed}, Clock: hurried{}, Silence: silence, MaxOutput: 1 << 20,
		Patient: func(ctx context.Context) context.Context { return ctx },
		Explain: func(_ context.Context, err error) error { return err },
		Transient: func(err error) bool {
			var network net.Error
			_, answered := errors.AsType[*runtimeclient.StatusError](err)
			return answered || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		},
	})
}

// cut breaks the connection.
func cut(w http.ResponseWriter) {
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

const content = "0123456789abcdefghijklmnopqrstuvwxyz"

// faults are what happens to the first attempts of a request.
func faults() map[string]func(w http.ResponseWriter, r *http.Request) {
	return map[string]func(w http.ResponseWriter, r *http.Request){
		"503": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, `{"detail": "The sandbox has no running Pod."}`, http.StatusServiceUnavailable)
		},
		"500": status(http.StatusInternalServerError), "502": status(http.StatusBadGateway),
		"504":                         status(http.StatusGatewayTimeout),
		"it is cut before the answer": func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		"it is cut in the middle": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "36")
			_, _ = io.WriteString(w, "          ")
			cut(w)
		},
		"it hangs before the answer": func(_ http.ResponseWriter, r *http.Request) { hang(r) },
		"it hangs in the middle": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "36")
			_, _ = io.WriteString(w, "          ")
			_ = http.NewResponseController(w).Flush()
			hang(r)
		},
	}
}

// status answers with a status alone.
func status(code int) func(w http.ResponseWriter, r *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// hang returns when the client is gone.
func hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // otherwise net/http does not notice
	<-r.Context().Done()
}

func TestWhatReadsOrReplacesFilesIsRepeated(t *testing.T) {
	for name, fault := range faults() {
		t.Run(name, func(t *testing.T) {
			var left atomic.Int64
			var stored atomic.Value
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				if left.Add(-1) >= 0 {
					fault(w, r)
					return
				}
				switch strings.Split(r.URL.Path, "/")[1] {
				case "download":
					_, _ = io.WriteString(w, content)
				case "list":
					_, _ = io.WriteString(w, `[{"name":"f","size":3,"type":"file","mod_time":1.5},{"name":"s","type":"socket"}]`)
				case "exists":
					_, _ = io.WriteString(w, `{"path":"f","exists":true}`)
				case "upload":
					file, header, err := r.FormFile("file")
					if err != nil {
						http.Error(w, err.Error(), http.StatusBadRequest)
						return
					}
					text, _ := io.ReadAll(file)
					stored.Store(header.Filename + ": " + string(text))
				}
			})
			left.Store(2)
			entries, err := c.List(t.Context(), "d")
			if err != nil || len(entries) != 1 || entries[0].Modified.UnixMilli() != 1500 {
				t.Errorf("got %+v, %v", entries, err)
			}
			left.Store(2)
			if exists, err := c.Exists(t.Context(), "f"); err != nil || !exists {
				t.Errorf("got %v, %v", exists, err)
			}
			if strings.Contains(name, "middle") {
				return // an upload is stored when the answer begins
			}
			left.Store(2)
			if err := c.Upload(t.Context(), "f", strings.NewReader(content), int64(len(content))); err != nil ||
				stored.Load() != "f: "+content {
				t.Errorf("stored %v, %v", stored.Load(), err)
			}
			left.Store(1)
			once := io.MultiReader(strings.NewReader(content)) // it cannot seek
			if err := c.Upload(t.Context(), "f", once, int64(len(content))); err == nil {
				t.Error("what cannot be read twice was sent twice")
			}
		})
	}
}

// A runtime without parts of files, one with them, and one whose file changes.
func TestADownloadContinuesWhereItWasCut(t *testing.T) {
	for name, test := range map[string]struct {
		tag    func(attempt int64) string
		ranges bool
		want   string
		fails  bool
	}{
		"a runtime that knows parts":          {tag: func(int64) string { return `"1"` }, ranges: true, want: content},
		"one that does not":                   {tag: func(int64) string { return "" }, want: content[:10], fails: true},
		"one whose tags are weak":             {tag: func(int64) string { return `W/"1"` }, ranges: true, want: content[:10], fails: true},
		"a file that has changed since":       {tag: func(n int64) string { return fmt.Sprintf(`"%d"`, n) }, ranges: true, want: content[:10], fails: true},
		"one that ignores the part asked for": {tag: func(int64) string { return `"1"` }, want: content[:10], fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			var attempts atomic.Int64
			c := client(t, func(w http.ResponseWriter, r *http.Request) {
				n := attempts.Add(1)
				if tag := test.tag(n); tag != "" {
					w.Header().Set("ETag", tag)
				}
				if n == 1 {
					if test.ranges {
						w.Header().Set("Accept-Ranges", "bytes")
					}
					w.Header().Set("Content-Length", "36")
					_, _ = io.WriteString(w, content[:10])
					cut(w)
				}
				if !test.ranges {
					_, _ = io.WriteString(w, content)
					return
				}
				http.ServeContent(w, r, "", time.Time{}, strings.NewReader(content))
			})
			var out bytes.Buffer
			n, err := c.Download(t.Context(), "f", &out)
			if (err != nil) != test.fails || out.String() != test.want || n != int64(len(test.want)) {
				t.Errorf("got %q, %d, %v", out.String(), n, err)
			}
		})
	}
}

func TestAttemptsEndAndTheirReasonIsKept(t *testing.T) {
	var attempts atomic.Int64
	code := http.StatusBadGateway
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		attempts.Add(1)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"detail": "why"}`)
	})
	_, err := c.Exists(t.Context(), "f")
	if got, ok := errors.AsType[*runtimeclient.StatusError](err); !ok || got.Detail != "why" || attempts.Load() != 6 ||
		!strings.Contains(err.Error(), "6 attempts") {
		t.Errorf("got %v after %d attempts", err, attempts.Load())
	}
	code = http.StatusForbidden
	attempts.Store(0)
	if _, err := c.Exists(t.Context(), "f"); err == nil || attempts.Load() != 1 {
		t.Errorf("got %v after %d attempts", err, attempts.Load())
	}
}

func TestForeignTextInAnErrorIsShortAndPrintable(t *testing.T) {
	detail := "\x1b[2Jgone\n" + strings.Repeat("ü", 1000)
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_ = json.NewEncoder(w).Encode(map[string]string{"detail": detail})
	})
	_, err := c.Exists(t.Context(), "f")
	const begin = `the sandbox answered 403 Forbidden: ^[[2Jgone ü`
	if got, ok := errors.AsType[*runtimeclient.StatusError](err); !ok || got.Detail != detail ||
		!strings.HasPrefix(err.Error(), begin) || !strings.HasSuffix(err.Error(), "ü...") || len(err.Error()) > 310 {
		t.Errorf("got %v", err)
	}
}

func TestAnswersWithoutEndAreNotKept(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		for line := bytes.Repeat([]byte(" "), 1<<16); r.Context().Err() == nil; {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	})
	if _, err := c.List(t.Context(), "d"); !errors.Is(err, runtimeclient.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if err := c.Exec(t.Context(), stream.Process{Command: []string{"x"}}); err == nil {
		t.Error("a line without end is read")
	}
}

func TestPathsWithControlCharactersAreRefused(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, _ *http.Request) { t.Error("it was sent") })
	if err := c.Upload(t.Context(), "a\r\nb", strings.NewReader(""), 0); err == nil {
		t.Error("it is taken")
	}
}

func TestWhatAWriterOrReaderOfTheCallerFailsWithIsNotRepeated(t *testing.T) {
	var attempts atomic.Int64
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		attempts.Add(1)
		_, _ = io.WriteString(w, content)
	})
	full := errors.New("the disk is full")
	if _, err := c.Download(t.Context(), "f", failing{full}); !errors.Is(err, full) || attempts.Load() != 1 {
		t.Errorf("got %v after %d attempts", err, attempts.Load())
	}
}

// failing is a writer that fails.
type failing struct{ err error }

// Write implements io.Writer.
func (f failing) Write([]byte) (int, error) { return 0, f.err }
