// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

// hasty has short timeouts in the proportions of the default.
func hasty() stream.Timeouts {
	return stream.Timeouts{
		PingInterval: 100 * time.Millisecond, Idle: 900 * time.Millisecond, Response: 900 * time.Millisecond,
	}
}

// throughProxy returns a cluster behind a proxy.
func throughProxy(t *testing.T, onlySPDY bool) (*fakeserver.Server, *proxy.Proxy, *stream.Client) {
	t.Helper()
	server := fakeserver.New()
	t.Cleanup(server.Close)
	server.OnlySPDY, server.NoSPDY = onlySPDY, !onlySPDY
	between, config, err := proxy.For(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(between.Close)
	client, err := stream.New(config, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	return server, between, client.WithTimeouts(hasty())
}

// inTime fails the test if a function hangs.
func inTime(t *testing.T, run func() error) error {
	t.Helper()
	over := make(chan error, 1)
	go func() { over <- run() }()
	select {
	case err := <-over:
		return err
	case <-time.After(time.Minute):
		t.Error("it hangs")
		return errors.New("it hangs")
	}
}

func isLost(err error) bool {
	_, lost := errors.AsType[*stream.LostError](err)
	return lost
}

func TestAConnectionThatGoesSilentIsLost(t *testing.T) {
	t.Parallel()
	const content = "the content of a file"
	var all sync.WaitGroup // nearly all of the time is waited
	defer all.Wait()
	for name, action := range map[string]proxy.Action{"stalled": proxy.Stall, "swallowed": proxy.Swallow} {
		for kind, process := range map[string]func() stream.Process{
			"nothing to say": func() stream.Process { return stream.Process{Stdout: io.Discard} },
			"input that waits": func() stream.Process {
				in, _ := io.Pipe()
				return stream.Process{Stdin: in, Stdout: io.Discard}
			},
			"a little input": func() stream.Process {
				return stream.Process{Stdin: strings.NewReader("some"), Stdout: io.Discard}
			},
			content: func() stream.Process {
				return stream.Process{Stdin: io.LimitReader(zeros{}, 1<<30), Stdout: io.Discard, Bulk: true}
			},
		} {
			for _, onlySPDY := range []bool{true, false} {
				if kind == content && !onlySPDY {
					continue // over WebSocket that looks like a command that takes no input
				}
				server, between, client := throughProxy(t, onlySPDY)
				server.Exec = func(ctx context.Context, p fakeserver.Process) error {
					if kind == content {
						_, _ = io.CopyN(io.Discard, p.Stdin, 1)
					}
					between.Now(action)
					_, _ = io.Copy(io.Discard, p.Stdin)
					<-ctx.Done()
					return nil
				}
				p := process()
				p.Command = []string{"x"}
				all.Go(func() {
					err := inTime(t, func() error { return client.Exec(t.Context(), container(), p) })
					if !isLost(err) || !strings.Contains(err.Error(), "nothing has come for 900ms") {
						t.Errorf("%s, %s, over SPDY %t: got %v, want a LostError", name, kind, onlySPDY, err)
					}
				})
			}
		}
	}
}

// Bytes in both directions up to the start of the session, and some after it.
func TestAConnectionThatStallsAnywhereIsNoticed(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	defer all.Wait()
	for at := int64(1); at < 1900; at += 194 {
		for _, fault := range []proxy.Fault{{Action: proxy.Stall, Received: at}, {Action: proxy.Stall, Sent: at}} {
			for _, onlySPDY := range []bool{true, false} {
				server, between, client := throughProxy(t, onlySPDY)
				between.Always(fault)
				server.Exec = func(_ context.Context, p fakeserver.Process) error {
					_, err := io.WriteString(p.Stdout, strings.Repeat("x", 5000))
					return err
				}
				all.Go(func() {
					var out bytes.Buffer
					err := inTime(t, func() error {
						return client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: &out})
					})
					if err == nil && out.Len() != 5000 || err != nil && !isLost(err) {
						t.Errorf("stalled after %+v, over SPDY %t: %v, %d bytes", fault, onlySPDY, err, out.Len())
					}
				})
			}
		}
	}
}

// slowly is a pipe that is read only after a while.
type slowly struct {
	taken bytes.Buffer
	wait  <-chan struct{}
}

func (s *slowly) Write(p []byte) (int, error) {
	<-s.wait
	return s.taken.Write(p)
}

// Longer than the timeout, and more than fits into the buffers on the way.
const long, much = 2 * time.Second, 16 << 20

func after(d time.Duration) <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(d, func() { close(over) })
	return over
}

func TestOutputThatNobodyTakesIsNoSilence(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, _, client := throughProxy(t, onlySPDY)
		server.Exec = func(_ context.Context, p fakeserver.Process) error {
			if _, err := io.Copy(p.Stdout, io.LimitReader(zeros{}, much)); err != nil {
				return err
			}
			return exitWith(7)
		}
		out := &slowly{wait: after(long)}
		err := inTime(t, func() error {
			return client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: out})
		})
		if ended, ok := errors.AsType[*stream.ExitError](err); !ok || ended.Code != 7 || out.taken.Len() != much {
			t.Errorf("got %v, %d bytes", err, out.taken.Len())
		}
	})
}

// A peer that has sent everything and closed answers a ping with a reset, and data on the way is lost.
func TestWhatWasSaidLastIsNotLostToAPing(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		const size = 3 << 20
		server, _, client := throughProxy(t, onlySPDY)
		server.Exec = func(_ context.Context, p fakeserver.Process) error {
			_, err := io.Copy(p.Stdout, io.LimitReader(zeros{}, size))
			return err
		}
		out := &slowly{wait: after(long)}
		err := inTime(t, func() error {
			return client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: out})
		})
		if err != nil || out.taken.Len() != size {
			t.Errorf("got %v, %d bytes", err, out.taken.Len())
		}
	})
}

func TestInputThatTheCommandDoesNotTakeIsNoSilence(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		for _, bulk := range []bool{false, true} {
			server, _, client := throughProxy(t, onlySPDY)
			var taken int64
			server.Exec = func(_ context.Context, p fakeserver.Process) error {
				<-after(long)
				var err error
				if taken, err = io.Copy(io.Discard, p.Stdin); err != nil {
					return err
				}
				return exitWith(7)
			}
			err := inTime(t, func() error {
				return client.Exec(t.Context(), container(), stream.Process{
					Command: []string{"x"}, Stdin: io.LimitReader(zeros{}, much), Stdout: io.Discard, Bulk: bulk,
				})
			})
			if ended, ok := errors.AsType[*stream.ExitError](err); !ok || ended.Code != 7 || taken != much {
				t.Errorf("in bulk %t: got %v, %d bytes", bulk, err, taken)
			}
		}
	})
}

// A dead peer is detected although the command took no input before. Only SPDY can tell.
func TestASilentPeerIsNoticedBehindInputThatNobodyTakes(t *testing.T) {
	t.Parallel()
	server, between, client := throughProxy(t, true)
	server.Exec = func(ctx context.Context, _ fakeserver.Process) error {
		<-after(long)
		between.Now(proxy.Stall)
		<-ctx.Done()
		return nil
	}
	err := inTime(t, func() error {
		return client.Exec(
			t.Context(), container(),
			stream.Process{Command: []string{"x"}, Stdin: io.LimitReader(zeros{}, much), Stdout: io.Discard},
		)
	})
	if !isLost(err) {
		t.Errorf("got %v", err)
	}
}

func TestAServerThatDoesNotAnswerIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		server, between, client := throughProxy(t, onlySPDY)
		server.Exec = mirror
		between.Always(proxy.Fault{Action: proxy.Swallow})
		err := inTime(t, func() error {
			return client.Exec(t.Context(), container(), stream.Process{Command: []string{"x"}, Stdout: io.Discard})
		})
		if !isLost(err) {
			t.Errorf("exec: %v", err)
		}
		err = inTime(t, func() error {
			_, err := client.Forward(t.Context(), "ns", "pod")
			return err
		})
		if !isLost(err) {
			t.Errorf("forward: %v", err)
		}
	})
}

func TestCancelEndsWhatIsStuck(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, onlySPDY bool) {
		for name, fault := range map[string]proxy.Fault{
			"the handshake": {Action: proxy.Stall}, "the input": {Action: proxy.Stall, Sent: 100_000},
		} {
			server, between, client := throughProxy(t, onlySPDY)
			client = client.WithTimeouts(stream.DefaultTimeouts())
			server.Exec = func(ctx context.Context, _ fakeserver.Process) error {
				<-ctx.Done()
				return nil
			}
			between.Always(fault)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(500*time.Millisecond, cancel)
			begun := time.Now()
			err := inTime(t, func() error {
				return client.Exec(
					ctx, container(),
					stream.Process{Command: []string{"x"}, Stdin: io.LimitReader(zeros{}, much), Stdout: io.Discard, Bulk: true},
				)
			})
			if !errors.Is(err, context.Canceled) || time.Since(begun) > 5*time.Second {
				t.Errorf("%s: %v after %v", name, err, time.Since(begun))
			}
		}
	})
}
