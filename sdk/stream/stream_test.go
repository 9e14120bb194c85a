// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/utils/clock"
	utilexec "k8s.io/utils/exec"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func container() stream.Container { return stream.Container{Namespace: "ns", Pod: "pod", Name: "main"} }

// cluster returns a server for each protocol: every test must pass with both.
func cluster(t *testing.T, onlySPDY bool) (*fakeserver.Server, *stream.Client) {
	t.Helper()
	server := fakeserver.New()
	t.Cleanup(server.Close)
	server.OnlySPDY = onlySPDY
	client, err := stream.New(server.Config(), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	return server, client
}

func overBoth(t *testing.T, test func(t *testing.T, onlySPDY bool)) {
	t.Helper()
	t.Run("WebSocket", func(t *testing.T) { test(t, false) })
	t.Run("SPDY", func(t *testing.T) { test(t, true) })
}

func exitWith(code int) error {
	return utilexec.CodeExitError{Err: fmt.Errorf("exit status %d", code), Code: code}
}

func TestExitCodeIsPassedOn(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		for _, code := range []int{0, 1, 7, 255} {
			server, client := cluster(t, onlySPDY)
			server.Exec = func(context.Context, fakeserver.Process) error {
				if code == 0 {
					return nil
				}
				return exitWith(code)
			}
			err := client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: io.Discard})
			var ended *stream.ExitError
			switch {
			case code == 0 && err != nil:
				t.Errorf("code 0: got %v", err)
			case code != 0 && (!errors.As(err, &ended) || ended.Code != code):
				t.Errorf("code %d: got %v", code, err)
			}
		}
	})
}

func TestStreamsReachTheirEnds(t *testing.T) {
	const size = 3 << 20
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, client := cluster(t, onlySPDY)
		server.Exec = func(_ context.Context, p fakeserver.Process) error {
			if p.Container != "main" || strings.Join(p.Command, " ") != "cat -" {
				return fmt.Errorf("container %q, command %q", p.Container, p.Command)
			}
			_, _ = io.WriteString(p.Stderr, "warning")
			_, err := io.Copy(p.Stdout, p.Stdin)
			return err
		}
		in := bytes.Repeat([]byte("0123456789abcdef"), size/16)
		var out, errOut bytes.Buffer
		err := client.Exec(t.Context(), container(), stream.Process{
			Command: []string{"cat", "-"}, Stdin: bytes.NewReader(in), Stdout: &out, Stderr: &errOut,
		})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(in, out.Bytes()) {
			t.Errorf("%d bytes went in, %d came out", len(in), out.Len())
		}
		if errOut.String() != "warning" {
			t.Errorf("stderr: %q", errOut.String())
		}
	})
}

func TestEndOfInputEndsTheCommand(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, client := cluster(t, onlySPDY)
		server.Exec = func(_ context.Context, p fakeserver.Process) error {
			_, err := io.Copy(io.Discard, p.Stdin) // returns only at the end of the input
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := client.Exec(
			ctx, container(), stream.Process{Command: []string{"cat"}, Stdin: strings.NewReader(""), Stdout: io.Discard},
		)
		if err != nil {
			t.Error(err)
		}
	})
}

func TestCutConnectionIsLostNotSuccess(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, client := cluster(t, onlySPDY)
		cut := make(chan struct{})
		server.Exec = func(ctx context.Context, p fakeserver.Process) error {
			_, _ = io.WriteString(p.Stdout, "before")
			<-cut
			return nil
		}
		out := &signalling{wrote: make(chan struct{})}
		go func() {
			<-out.wrote
			server.Cut()
			close(cut)
		}()
		err := client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: out})
		if _, ok := errors.AsType[*stream.LostError](err); !ok {
			t.Errorf("got %v, want a LostError", err)
		}
		if out.written.String() != "before" {
			t.Errorf("output before the cut: %q", out.written.String())
		}
	})
}

// signalling reports the first output.
type signalling struct {
	written bytes.Buffer // not embedded: io.Copy would use its ReadFrom
	wrote   chan struct{}
	done    atomic.Bool
}

func (s *signalling) Write(p []byte) (int, error) {
	n, err := s.written.Write(p)
	if s.done.CompareAndSwap(false, true) {
		close(s.wrote)
	}
	return n, err
}

func TestOrderlyEndWithoutStatusIsLost(t *testing.T) {
	server, client := cluster(t, false)
	server.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		upgrader := websocket.Upgrader{Subprotocols: []string{"v5.channel.k8s.io"}}
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return true
		}
		defer conn.Close()
		_ = conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""))
		return true
	}
	err := client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: io.Discard})
	if _, ok := errors.AsType[*stream.LostError](err); !ok {
		t.Errorf("got %v, want a LostError", err)
	}
}

func TestMissingProgramIsRecognised(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, client := cluster(t, onlySPDY)
		server.Exec = fakeserver.Local(t.TempDir())
		err := client.Exec(t.Context(), container(), stream.Process{Command: []string{"nope"}, Stdout: io.Discard})
		if !stream.Missing(err) || !strings.Contains(err.Error(), `"nope"`) {
			t.Errorf("got %v", err)
		}
	})
}

func forbid(w http.ResponseWriter) bool { return forbidFor(w, `cannot create resource \"pods/exec\"`) }

func forbidFor(w http.ResponseWriter, why string) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,`+
		`"message":"pods \"pod\" is forbidden: `+why+`"}`)
	return true
}

func TestRefusalKeepsItsReason(t *testing.T) {
	server, client := cluster(t, false)
	asked := []string{}
	server.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		asked = append(asked, r.Method)
		return forbid(w)
	}
	err := client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: io.Discard})
	if !apierrors.IsForbidden(err) {
		t.Errorf("got %T %v, want Forbidden", err, err)
	}
	if strings.Join(asked, " ") != "GET POST" {
		t.Errorf("asked %v: who may create but not get pods/exec needs SPDY", asked)
	}
	if _, err := client.Forward(t.Context(), "ns", "pod"); !apierrors.IsForbidden(err) {
		t.Errorf("forward: got %T %v, want Forbidden", err, err)
	}
}

func TestCancelEndsTheSession(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, client := cluster(t, onlySPDY)
		running := make(chan struct{})
		server.Exec = func(ctx context.Context, p fakeserver.Process) error {
			close(running)
			<-ctx.Done()
			return nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-running
			cancel()
		}()
		if err := client.Exec(ctx, container(), stream.Process{Command: []string{"x"}, Stdout: io.Discard}); !errors.Is(
			err, context.Canceled,
		) {
			t.Errorf("got %v", err)
		}
	})
}

type sizes chan *remotecommand.TerminalSize

func (s sizes) Next() *remotecommand.TerminalSize { return <-s }

func TestFirstSizeOfTheTerminalArrives(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, client := cluster(t, onlySPDY)
		server.Exec = func(_ context.Context, p fakeserver.Process) error {
			size := <-p.Sizes
			_, err := fmt.Fprintf(p.Stdout, "%dx%d %v", size.Width, size.Height, p.TTY)
			return err
		}
		queue := make(sizes, 2)
		queue <- &remotecommand.TerminalSize{Width: 100, Height: 30}
		queue <- nil
		var out bytes.Buffer
		err := client.Exec(t.Context(), container(), stream.Process{
			Command: []string{"x"}, Stdin: strings.NewReader(""), Stdout: &out, TTY: true, Sizes: queue,
		})
		if err != nil || out.String() != "100x30 true" {
			t.Errorf("got %q, %v", out.String(), err)
		}
	})
}
