// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
)

// answering makes every port of every Pod say the Pod's name and the port, and then what it hears.
func (w *world) answering() {
	w.server.Forward = func(ctx context.Context, port int32, connection io.ReadWriteCloser) error {
		if _, err := fmt.Fprintf(connection, "%s %d: ", fakeserver.PodOf(ctx), port); err != nil {
			return err
		}
		_, err := io.Copy(connection, connection)
		return err
	}
}

// say sends a text over a connection, closes its half, and returns the answer.
func say(t *testing.T, conn net.Conn, text string) string {
	t.Helper()
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Error(err)
	}
	if half, ok := conn.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
		t.Errorf("half of a %T cannot be closed", conn)
	}
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Error(err)
	}
	return string(got)
}

func TestDialConnectsToAPortOfTheSandbox(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	w.answering()
	box := create(t, w.client(), sdk.Spec{Name: "dev", Image: "x"})
	conn, err := box.Dial(t.Context(), 8080)
	if err != nil {
		t.Fatal(err)
	}
	if got := say(t, conn, "hello"); got != "dev 8080: hello" {
		t.Errorf("got %q", got)
	}
	for _, port := range []int{0, -1, 65536} {
		if _, err := box.Dial(t.Context(), port); err == nil || !strings.Contains(err.Error(), "is not a port") {
			t.Errorf("port %d: got %v", port, err)
		}
	}
	if err := box.Suspend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Dial(t.Context(), 8080); !errors.Is(err, sdk.ErrSuspended) {
		t.Errorf("got %v", err)
	}
}

func TestForwardForwardsUntilItIsClosed(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	w.answering()
	box := create(t, w.client(), sdk.Spec{Name: "dev", Image: "x"})
	forwarding, err := box.Forward(t.Context(), "127.0.0.1:0", 8080)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", forwarding.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if got := say(t, conn, "hello"); got != "dev 8080: hello" {
		t.Errorf("got %q", got)
	}
	if err := forwarding.Close(); err != nil {
		t.Errorf("an end that was asked for is no error: %v", err)
	}
	if _, err := net.Dial("tcp", forwarding.Addr().String()); err == nil {
		t.Error("it still listens")
	}
	for _, local := range []string{"8080", "127.0.0.1", "example.com:0"} {
		if _, err := box.Forward(t.Context(), local, 8080); err == nil {
			t.Errorf("it listens on %q", local)
		}
	}
}

func TestCloseEndsConnectionsAndForwardings(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	w.answering()
	box := create(t, w.client(sdk.WithCleanupTimeout(time.Hour)), sdk.Spec{Name: "dev", Image: "x"})
	conn, err := box.Dial(t.Context(), 8080)
	if err != nil {
		t.Fatal(err)
	}
	forwarding, err := box.Forward(t.Context(), ":0", 8080)
	if err != nil {
		t.Fatal(err)
	}
	box.Disconnect() // they go on
	if _, err := io.ReadFull(conn, make([]byte, len("dev 8080: "))); err != nil {
		t.Error(err)
	}
	if _, err := box.Dial(t.Context(), 8080); !errors.Is(err, sdk.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := box.Close(t.Context()); err != nil { // at once: they are no operations to wait for
		t.Error(err)
	}
	if _, err := io.ReadAll(conn); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := forwarding.Wait(); !errors.Is(err, sdk.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestAForwardingEndsWithItsSandbox(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	w.answering()
	box := create(t, w.client(), sdk.Spec{Name: "dev", Image: "x"})
	forwarding, err := box.Forward(t.Context(), "localhost:0", 8080)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.client().Delete(t.Context(), "dev"); err != nil {
		t.Fatal(err)
	}
	if err := forwarding.Wait(); !errors.Is(err, sdk.ErrDeleted) {
		t.Errorf("got %v", err)
	}
}
