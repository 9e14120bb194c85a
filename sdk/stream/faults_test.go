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
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"k8s.io/client-go/tools/remotecommand"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

// mirror copies its input to both outputs and exits with 7.
func mirror(_ context.Context, p fakeserver.Process) error {
	if _, err := io.Copy(io.MultiWriter(p.Stdout, p.Stderr), p.Stdin); err != nil {
		return err
	}
	return exitWith(7)
}

func TestNetworkThatDelaysSplitsAndMergesLosesNothing(t *testing.T) {
	in := bytes.Repeat([]byte("0123456789abcdef"), 5_000)
	for name, faults := range map[string]fakeserver.Faults{
		"one by one":  {Split: 1},
		"in sevens":   {Split: 7},
		"merged":      {Merge: true},
		"merged late": {Merge: true, Delay: time.Millisecond},
		"late":        {Delay: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, onlySPDY bool) {
				server, client := cluster(t, onlySPDY)
				server.Faults, server.Exec = faults, mirror
				var out, errOut bytes.Buffer
				err := client.Exec(t.Context(), container(), stream.Process{
					Command: []string{"x"}, Stdin: bytes.NewReader(in), Stdout: &out, Stderr: &errOut,
				})
				if ended, ok := errors.AsType[*stream.ExitError](err); !ok || ended.Code != 7 {
					t.Errorf("got %v", err)
				}
				if !bytes.Equal(out.Bytes(), in) || !bytes.Equal(errOut.Bytes(), in) {
					t.Errorf("%d bytes went in, %d and %d came out", len(in), out.Len(), errOut.Len())
				}
			})
		})
	}
}

// TestKubeletsSpeakTheFourthVersion covers kubelets without the fifth version of the protocol, which the API server
// translates. SPDY is used if the API server does not.
func TestKubeletsSpeakTheFourthVersion(t *testing.T) {
	for name, passesOn := range map[string]bool{"translated": false, "passed on": true} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, onlySPDY bool) {
				server, client := cluster(t, onlySPDY)
				server.Protocols, server.PassesOn, server.Exec = []string{"v4.channel.k8s.io"}, passesOn, mirror
				var out bytes.Buffer
				err := client.Exec(
					t.Context(), container(), stream.Process{Command: []string{"x"}, Stdin: strings.NewReader("in"), Stdout: &out},
				)
				if ended, ok := errors.AsType[*stream.ExitError](err); !ok || ended.Code != 7 || out.String() != "in" {
					t.Errorf("got %q, %v", out.String(), err)
				}
			})
		})
	}
}

func TestConnectionThatBreaksAnywhereIsLostNotSuccess(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		for after := 300; after < 1500; after += 97 {
			server, client := cluster(t, onlySPDY)
			server.Faults.CutAfter = after
			server.Exec = func(_ context.Context, p fakeserver.Process) error {
				for range 40 {
					if _, err := io.WriteString(p.Stdout, strings.Repeat("x", 100)); err != nil {
						return err
					}
				}
				return nil
			}
			var out bytes.Buffer
			err := client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: &out})
			if err == nil {
				t.Errorf("cut after %d bytes: success, with %d bytes of output", after, out.Len())
			}
		}
	})
}

func TestResetConnectionIsLost(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, client := cluster(t, onlySPDY)
		server.Exec = func(ctx context.Context, _ fakeserver.Process) error {
			server.Reset()
			<-ctx.Done()
			return nil
		}
		err := client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: io.Discard})
		if _, ok := errors.AsType[*stream.LostError](err); !ok {
			t.Errorf("got %v, want a LostError", err)
		}
	})
}

// scripted serves WebSocket by hand, as no real server does.
func scripted(t *testing.T, server *fakeserver.Server, buffer int, play func(*websocket.Conn) error) {
	t.Helper()
	server.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		upgrader := websocket.Upgrader{Subprotocols: []string{"v5.channel.k8s.io"}, WriteBufferSize: buffer}
		conn, err := upgrader.Upgrade(w, r, nil)
		if err == nil {
			err = play(conn)
			_ = conn.Close() // the client may have ended, and with it the server
		}
		if err != nil {
			t.Error(err)
		}
		return true
	}
}

func TestMessagesInManyFramesAndStatusInManyMessages(t *testing.T) {
	server, client := cluster(t, false)
	scripted(t, server, 16, func(conn *websocket.Conn) error { // longer messages go into several frames
		status := `{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"9"}]}}`
		for _, message := range []string{
			"\x01" + strings.Repeat("a", 1000), "", "\x01", "\x03" + status[:20], "\x01late", "\x03" + status[20:],
		} {
			if err := conn.WriteMessage(websocket.BinaryMessage, []byte(message)); err != nil {
				return err
			}
		}
		return conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""))
	})
	var out bytes.Buffer
	err := client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: &out})
	if ended, ok := errors.AsType[*stream.ExitError](err); !ok || ended.Code != 9 ||
		out.String() != strings.Repeat("a", 1000)+"late" {
		t.Errorf("got %v, %d bytes", err, out.Len())
	}
}

func TestCancelEndsASessionThatNobodyListensTo(t *testing.T) {
	server, client := cluster(t, false)
	server.Exec = func(_ context.Context, p fakeserver.Process) error {
		for {
			if _, err := fmt.Fprintln(p.Stdout, "more"); err != nil {
				return nil //nolint:nilerr // it ends with the connection
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	stuck, out := io.Pipe() // nobody reads it
	t.Cleanup(func() { _ = stuck.Close() })
	over := make(chan error, 1)
	go func() {
		over <- client.Exec(ctx, container(), stream.Process{Command: []string{"x"}, Stdout: out})
	}()
	cancel()
	select {
	case err := <-over:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it hangs")
	}
}

func TestCancelEndsASessionWhoseInputIsStuck(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, client := cluster(t, onlySPDY)
		running := make(chan struct{})
		server.Exec = func(ctx context.Context, _ fakeserver.Process) error {
			close(running)
			<-ctx.Done() // and reads nothing
			return nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-running
			cancel()
		}()
		endless := io.LimitReader(zeros{}, 1<<40)
		if err := client.Exec(
			ctx, container(), stream.Process{Command: []string{"x"}, Stdin: endless, Stdout: io.Discard},
		); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestAttachIsToTheMainProcess(t *testing.T) {
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, client := cluster(t, onlySPDY)
		server.Exec = func(_ context.Context, p fakeserver.Process) error {
			size := remotecommand.TerminalSize{}
			if p.TTY {
				size = remotecommand.TerminalSize(<-p.Sizes)
			}
			in, err := io.ReadAll(p.Stdin)
			_, _ = fmt.Fprintf(p.Stdout, "%d words, %s, %s, %s, %d", len(p.Command), p.Pod, p.Container, in, size.Width)
			return err
		}
		queue := make(sizes, 2)
		queue <- &remotecommand.TerminalSize{Width: 90, Height: 30}
		queue <- nil
		var out bytes.Buffer
		err := client.Attach(
			t.Context(), container(), stream.Process{Stdin: strings.NewReader("in"), Stdout: &out, TTY: true, Sizes: queue},
		)
		if want := "0 words, pod, main, in, 90"; err != nil || out.String() != want {
			t.Errorf("got %q, %v", out.String(), err)
		}
	})
}
