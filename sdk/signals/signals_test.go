// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package signals_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/signals"
)

func send(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), sig); err != nil {
		t.Fatal(err)
	}
}

func TestEverySignalThatAsksToEndEndsTheContext(t *testing.T) {
	// The parent of the tests may ignore SIGHUP, as nohup does. Catching it once ends that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	signal.Reset(syscall.SIGHUP)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			ctx, _, stop := signals.Context(t.Context())
			defer stop()
			send(t, sig)
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Second):
				t.Fatal("the context goes on")
			}
			// A closing terminal sends it more than once, and this process still exists to clean up.
			send(t, syscall.SIGHUP)
			send(t, syscall.SIGHUP)
			if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
				t.Errorf("cause %v", cause)
			}
		})
	}
}

func TestOnlyOutputThatNobodyReadsEndsAProgram(t *testing.T) {
	ctx, cancel, stop := signals.Context(t.Context())
	defer stop()
	broken(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	out := signals.Output(w, func() { cancel(signals.ErrOutputClosed) })
	if _, err := out.Write([]byte("x")); err != nil || signals.OutputClosed(w) || ctx.Err() != nil {
		t.Fatalf("somebody reads: %v, unread %v, %v", err, signals.OutputClosed(w), ctx.Err())
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if !signals.OutputClosed(w) {
		t.Error("nobody reads, and it is not seen")
	}
	if _, err := out.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) ||
		!errors.Is(context.Cause(ctx), signals.ErrOutputClosed) {
		t.Errorf("%v, cause %v", err, context.Cause(ctx))
	}
}

// broken writes to a connection until that fails.
func broken(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		if c, err := listener.Accept(); err == nil {
			_ = c.Close()
		}
	}()
	c, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		if _, err := c.Write(make([]byte, 1<<16)); errors.Is(err, syscall.EPIPE) {
			return
		}
	}
	t.Fatal("the connection does not break")
}

// inAProcess marks the child process that is terminated.
const inAProcess = "SIGNALS_TEST"

// TestAProgramOfItsOwn runs in the child process: a program that prints until it is terminated, and then cleans up.
func TestAProgramOfItsOwn(t *testing.T) {
	if os.Getenv(inAProcess) == "" {
		return
	}
	ctx, cancel, stop := signals.Context(t.Context())
	defer stop()
	out := signals.Output(os.Stdout, func() { cancel(signals.ErrOutputClosed) })
	for end := time.Now().Add(time.Minute); ctx.Err() == nil && time.Now().Before(end); {
		_, _ = io.WriteString(out, "working\n") // whether somebody reads it is what this is about
	}
	for range 50 { // nothing tells when the first signal is heard no more
		send(t, syscall.SIGHUP)
		_, _ = io.WriteString(out, "cleaning up\n") // the same
		<-time.After(time.Millisecond)
	}
	_, _ = fmt.Fprintln(os.Stderr, "cleaned up") // the test misses it
}

// Standard output is special: without our handling a write to it ends the program.
func TestAProgramThatIsToldToEndLivesToCleanUp(t *testing.T) {
	// The parent of the tests may ignore SIGHUP, and children inherit that. Signals that are caught here have their
	// default effect in children.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	for name, tell := range map[string]func(child *os.Process, out io.Closer) error{
		"nobody reads its output": func(_ *os.Process, out io.Closer) error { return out.Close() },
		"its terminal closes":     func(child *os.Process, _ io.Closer) error { return child.Signal(syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAProgramOfItsOwn$")
			command.Env = append(os.Environ(), inAProcess+"=1")
			var said strings.Builder
			command.Stderr = &said
			out, err := command.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(out, make([]byte, 8)); err != nil {
				t.Fatal(err)
			}
			if err := tell(command.Process, out); err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, out) // or it blocks
			if err := command.Wait(); !strings.Contains(said.String(), "cleaned up\n") {
				t.Errorf("%v; it said %q", err, said.String())
			}
		})
	}
}
