// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestAPodThatDiesInTheMiddleEndsTheResponseVisibly(t *testing.T) {
	for name, head := range map[string]string{
		"of a body of known length": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
		"of chunks":                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.target.Port = raw(t, func(conn net.Conn) {
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, head)
			})
			response := get(t, w.url)
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if string(body) != "half" || err == nil {
				t.Errorf("read %q, %v", body, err)
			}
			w.ended.Wait()
		})
	}
}

func TestAPodThatDoesNotSpeakHTTP(t *testing.T) {
	for name, answer := range map[string]string{
		"it closes":                "",
		"it speaks something else": "SSH-2.0-OpenSSH_9.9\r\n",
		"its header has no end":    "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", maxResponseHeader+1<<16),
		"its header is too large": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " +
			strings.Repeat("x", maxResponseHeader+1<<16) + "\r\n\r\n",
		"it switches without a reason": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.target.Port = raw(t, func(conn net.Conn) {
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, answer)
			})
			response := get(t, w.url)
			if got := read(t, response); response.StatusCode != http.StatusBadGateway ||
				got != `{"detail":"The backend sandbox closed the connection without a valid response."}`+"\n" {
				t.Errorf("answer %d %s", response.StatusCode, got)
			}
		})
	}
}

func TestAPodThatDoesNotAnswerIsNotWaitedForLongerThanTheTimeout(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Unix(0, 0))
	begun, gone := make(chan struct{}), make(chan struct{})
	w := newWorld(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done() // the router hangs up
		close(gone)
	}), timed(clk))
	go func() {
		<-begun
		clk.Step(time.Minute)
	}()
	response := get(t, w.url)
	got := read(t, response)
	if response.StatusCode != http.StatusGatewayTimeout || got != `{"detail":"The sandbox did not answer within 1m0s."}`+"\n" {
		t.Errorf("answer %d %s", response.StatusCode, got)
	}
	<-gone
}

func TestAResponseThatHasBegunMayTakeLongerThanTheTimeout(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Unix(0, 0))
	late := make(chan struct{})
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-late
		_, _ = io.WriteString(w, "late")
	}), timed(clk))
	response := get(t, w.url)
	defer func() { _ = response.Body.Close() }()
	clk.Step(time.Hour)
	close(late)
	if got := read(t, response); got != "late" {
		t.Errorf("read %q", got)
	}
}

func TestAnUploadThatMovesMayTakeLongerThanTheTimeout(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Unix(0, 0))
	arrived := make(chan struct{})
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count, piece := 0, make([]byte, 1)
		for {
			if _, err := io.ReadFull(r.Body, piece); err != nil {
				_, _ = fmt.Fprintln(w, count, err)
				return
			}
			count++
			arrived <- struct{}{}
		}
	}), timed(clk))
	out, in := io.Pipe()
	go func() {
		defer in.Close()
		for range 10 {
			_, _ = io.WriteString(in, "x")
			<-arrived
			clk.Step(59 * time.Second)
		}
	}()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url, out)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, response); got != "10 EOF\n" {
		t.Errorf("answer %d %q", response.StatusCode, got)
	}
}

func TestAClientThatStopsInTheMiddleOfItsRequestIsAnsweredAndLetGo(t *testing.T) {
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	w.target.Timeout = 500 * time.Millisecond
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf")
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, response)
	if response.StatusCode != http.StatusBadRequest || !strings.Contains(got, "did not arrive within 500ms") {
		t.Errorf("answer %d %s", response.StatusCode, got)
	}
	w.ended.Wait()
	if _, err := reader.ReadByte(); !errors.Is(err, io.EOF) { // otherwise the client would hold the connection for ever
		t.Errorf("the connection is open: %v", err)
	}
}

// The rest of a body that arrives after an early answer must not count as a request.
func TestTheRestOfARequestIsNotTheNextOne(t *testing.T) {
	paths := make(chan string, 10)
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths <- r.URL.Path
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}))
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nhalf")
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if read(t, response); response.StatusCode != http.StatusRequestEntityTooLarge || !response.Close {
		t.Errorf("answer %d, and the connection stays open: %v", response.StatusCode, !response.Close)
	}
	w.ended.Wait()
	_, _ = io.WriteString(conn, "GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
	_, _ = io.Copy(io.Discard, reader) // until it is closed
	close(paths)
	for path := range paths {
		if path != "/first" {
			t.Errorf("the Pod got %s", path)
		}
	}
}

func TestARequestThatBreaksOff(t *testing.T) {
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	request := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader("half"), broken{}))
	if out := w.ask(t, request); out.Code != 400 || !strings.Contains(out.Body.String(), "ended before its body did") {
		t.Errorf("answer %d %s", out.Code, out.Body)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestWhoeverStopsWaitingEndsTheRequestInThePod(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	pod := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-r.Context().Done()
		ended <- struct{}{}
	})
	for name, tt := range map[string]struct {
		cause  error
		status int
	}{
		"the client goes":  {context.Canceled, 499},
		"the router stops": {ErrStopping, 503},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, pod)
			ctx, cancel := context.WithCancelCause(t.Context())
			out := httptest.NewRecorder()
			done := make(chan struct{})
			go func() {
				defer close(done)
				w.proxy.Serve(out, httptest.NewRequest(http.MethodGet, "/", nil).WithContext(ctx), w.target)
			}()
			<-begun
			cancel(tt.cause)
			<-ended
			if <-done; out.Code != tt.status {
				t.Errorf("answer %d %s", out.Code, out.Body)
			}
		})
	}
}

// stream is a body of zeros that tells the memory in use while it passes.
type stream struct {
	left, next int64
	most       *uint64
}

const megabyte = 1 << 20

func (s *stream) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), s.left)
	s.left -= n
	if s.next -= n; s.next <= 0 {
		s.next = 16 * megabyte
		var is runtime.MemStats
		runtime.ReadMemStats(&is)
		*s.most = max(*s.most, is.HeapAlloc)
	}
	return int(n), nil
}

func TestALargeBodyTakesNoMemoryInEitherDirection(t *testing.T) {
	const size = 128 * megabyte
	var up, down uint64
	w := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Length", fmt.Sprint(n))
		_, _ = io.Copy(w, &stream{left: n, most: &down})
	}))
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url, &stream{left: size, most: &up})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); n != size || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	for direction, most := range map[string]uint64{"up": up, "down": down} {
		if most == 0 || most > before.HeapAlloc+32*megabyte {
			t.Errorf("%s: %d MiB in use, before %d", direction, most/megabyte, before.HeapAlloc/megabyte)
		}
	}
}
