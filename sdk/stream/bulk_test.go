// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// asked lists the methods of the requests: SPDY uses POST, WebSocket GET.
type asked struct {
	mu  sync.Mutex
	all []string
}

func (a *asked) note(_ http.ResponseWriter, r *http.Request) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, r.Method)
	return false
}

func TestBulkGoesOverSPDYAndWhereThatIsRefusedOverWebSocket(t *testing.T) {
	for name, tt := range map[string]struct {
		noSPDY, onlySPDY bool
		want             []string
	}{
		"both are there":   {want: []string{"POST", "POST"}},
		"SPDY is refused":  {noSPDY: true, want: []string{"POST", "GET", "GET"}}, // and not tried again
		"no WebSocket":     {onlySPDY: true, want: []string{"POST", "POST"}},
		"neither is there": {noSPDY: true, onlySPDY: true, want: []string{"POST", "GET", "GET", "POST"}},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := cluster(t, tt.onlySPDY)
			requests := &asked{}
			server.NoSPDY, server.Exec, server.Refuse = tt.noSPDY, mirror, requests.note
			in := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
			for range 2 {
				var out bytes.Buffer
				err := client.Exec(t.Context(), container(), stream.Process{
					Command: []string{"x"}, Stdin: bytes.NewReader(in), Stdout: &out, Stderr: io.Discard, Bulk: true,
				})
				ended, ok := errors.AsType[*stream.ExitError](err)
				if tt.noSPDY && tt.onlySPDY {
					if err == nil || ok {
						t.Errorf("got %v of a server that speaks neither", err)
					}
				} else if !ok || ended.Code != 7 || !bytes.Equal(out.Bytes(), in) {
					t.Errorf("%d of %d bytes came back: %v", out.Len(), len(in), err)
				}
			}
			if !slices.Equal(requests.all, tt.want) {
				t.Errorf("asked %v, want %v", requests.all, tt.want)
			}
		})
	}
}

func TestPortsAreForwardedOverSPDYAndWhereThatIsRefusedOverWebSocket(t *testing.T) {
	for name, tt := range map[string]struct {
		noSPDY, onlySPDY bool
		want             []string
	}{
		"both are there":   {want: []string{"POST", "POST"}},
		"SPDY is refused":  {noSPDY: true, want: []string{"POST", "GET", "GET"}}, // and not tried again
		"no WebSocket":     {onlySPDY: true, want: []string{"POST", "POST"}},
		"neither is there": {noSPDY: true, onlySPDY: true, want: []string{"POST", "GET", "POST", "GET"}},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := cluster(t, tt.onlySPDY)
			requests := &asked{}
			server.NoSPDY, server.Refuse = tt.noSPDY, requests.note
			for range 2 {
				connection, err := client.Forward(t.Context(), "ns", "pod")
				if err == nil {
					defer connection.Close()
				}
				if neither := tt.noSPDY && tt.onlySPDY; neither != (err != nil) {
					t.Errorf("got %v", err)
				}
			}
			if !slices.Equal(requests.all, tt.want) {
				t.Errorf("asked %v, want %v", requests.all, tt.want)
			}
		})
	}
}

func TestBulkDoesNotWaitForWhoNeverAnswers(t *testing.T) {
	server := fakeserver.New()
	t.Cleanup(server.Close)
	posted, testEnds := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(testEnds) }) // before the server does
	requests := &asked{}
	server.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		if requests.note(w, r); r.Method == http.MethodPost {
			close(posted)
			<-testEnds
			return true
		}
		return false
	}
	server.Exec = mirror
	clock := clocktesting.NewFakeClock(time.Now())
	client, err := stream.New(server.Config(), clock)
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	var out bytes.Buffer
	go func() {
		over <- client.Exec(t.Context(), container(), stream.Process{
			Command: []string{"x"}, Stdin: strings.NewReader("all of it"), Stdout: &out, Stderr: io.Discard, Bulk: true,
		})
	}()
	<-posted
	for !clock.HasWaiters() {
		runtime.Gosched()
	}
	clock.Step(15 * time.Second)
	if ended, ok := errors.AsType[*stream.ExitError](<-over); !ok || ended.Code != 7 || out.String() != "all of it" {
		t.Errorf("got %q", out.String())
	}
	if !slices.Equal(requests.all, []string{"POST", "GET"}) {
		t.Errorf("asked %v", requests.all)
	}
}

// A session that has started is not started again: some of the input is gone.
func TestBulkThatIsCutIsLostAndNotTriedAgain(t *testing.T) {
	server, client := cluster(t, false)
	requests := &asked{}
	server.Refuse = requests.note
	server.Exec = func(ctx context.Context, p fakeserver.Process) error {
		_, _ = io.ReadFull(p.Stdin, make([]byte, 1000))
		server.Cut()
		<-ctx.Done()
		return nil
	}
	err := client.Exec(t.Context(), container(), stream.Process{
		Command: []string{"x"}, Stdin: strings.NewReader(strings.Repeat("x", 1<<20)), Stdout: io.Discard, Bulk: true,
	})
	if _, ok := errors.AsType[*stream.LostError](err); !ok {
		t.Errorf("got %v, want a LostError", err)
	}
	if !slices.Equal(requests.all, []string{"POST"}) {
		t.Errorf("asked %v", requests.all)
	}
}

func TestBulkThatIsForbiddenSaysWhy(t *testing.T) {
	server, client := cluster(t, false)
	server.Refuse = func(w http.ResponseWriter, r *http.Request) bool { return forbid(w) }
	err := client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: io.Discard, Bulk: true})
	if !apierrors.IsForbidden(err) {
		t.Errorf("got %T %v, want Forbidden", err, err)
	}
}

// full accepts that many bytes.
type full struct{ left int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestOutputThatCannotBeWrittenIsAnError(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		for name, process := range map[string]stream.Process{
			"stdout": {Stdout: &full{left: 100_000}, Stderr: io.Discard},
			"stderr": {Stdout: io.Discard, Stderr: &full{left: 100_000}},
		} {
			server, client := cluster(t, onlySPDY)
			server.Exec = func(_ context.Context, p fakeserver.Process) error {
				for range 1000 {
					_, _ = io.WriteString(p.Stdout, strings.Repeat("x", 1000))
					_, _ = io.WriteString(p.Stderr, strings.Repeat("x", 1000))
				}
				return nil
			}
			process.Command = []string{"x"}
			if err := client.Exec(t.Context(), container(), process); !errors.Is(err, errFull) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
}

func TestInputThatCannotBeReadEnds(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, client := cluster(t, onlySPDY)
		server.Exec = mirror
		var out bytes.Buffer
		in := io.MultiReader(strings.NewReader("some"), failing{})
		err := client.Exec(
			t.Context(), container(), stream.Process{Command: []string{"x"}, Stdin: in, Stdout: &out, Stderr: io.Discard},
		)
		if ended, ok := errors.AsType[*stream.ExitError](err); !ok || ended.Code != 7 || out.String() != "some" {
			t.Errorf("got %q, %v", out.String(), err)
		}
	})
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("a bad sector") }

// A user who may get pods/exec but not create it gets two answers, as real API servers give them: a status without a
// reason over WebSocket, and the verb over SPDY.
func TestARefusalWithoutAReasonTakesTheOtherOnes(t *testing.T) {
	server, client := cluster(t, false)
	server.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			return forbid(w)
		}
		return forbidFor(w, "")
	}
	for _, bulk := range []bool{false, true} {
		err := client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: io.Discard, Bulk: bulk})
		if !apierrors.IsForbidden(err) ||
			!strings.HasSuffix(err.Error(), `pods "pod" is forbidden: cannot create resource "pods/exec"`) {
			t.Errorf("in bulk %t: got %T %v", bulk, err, err)
		}
	}
}
