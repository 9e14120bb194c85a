// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
	"github.com/agent-sandbox/kubectl-sandbox/test/proxy"
)

// silence is longer than the time after which the plugin closes a silent connection.
const silence = 70 * time.Second

// pause waits for the time, or until the test ends.
func pause(h *harness.T, time <-chan time.Time) {
	h.Helper()
	select {
	case <-time:
	case <-h.Context().Done():
		h.Fatal(h.Context().Err())
	}
}

// A session lasts as long as its pings are answered, even if nothing reads its output or its input.
func TestAHealthySessionLastsThoughNobodyTakesItsBytes(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	h.Create(h.NewSandbox("dev"))
	h.Ready("dev")
	plugin := func(h *harness.T, args ...string) *exec.Cmd {
		command := exec.CommandContext(h.Context(), harness.RequireEnv("E2E_PLUGIN"),
			append([]string{"-n", h.Namespace}, args...)...)
		command.WaitDelay = 10 * time.Second
		return command
	}
	t.Run("the output", func(t *testing.T) {
		t.Parallel()
		h := h.In(t)
		// The command outlives its output: a kubelet whose connection to the runtime breaks at the end, because a ping
		// of its own meets a runtime that has closed, loses what it has not read and reports success.
		command := plugin(h, "exec", "dev", "--", "sh", "-c", "seq 1 3000000; sleep 10")
		out, err := command.StdoutPipe()
		if err == nil {
			err = command.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		pause(h, time.After(silence))
		got, want := sha256.New(), sha256.New()
		n, err := io.Copy(got, out)
		for i := range 3_000_000 {
			fmt.Fprintln(want, i+1)
		}
		if ended := command.Wait(); err != nil || ended != nil ||
			hex.EncodeToString(got.Sum(nil)) != hex.EncodeToString(want.Sum(nil)) {
			t.Errorf("%d bytes came: %v, %v", n, err, ended)
		}
	})
	t.Run("the input", func(t *testing.T) {
		t.Parallel()
		h := h.In(t)
		const size = 20 << 20
		command := plugin(h, "exec", "-i", "dev", "--", "sh", "-c", fmt.Sprintf("sleep %d; wc -c", int(silence.Seconds())))
		command.Stdin = io.LimitReader(zeros{}, size)
		if out, err := command.Output(); err != nil || strings.TrimSpace(string(out)) != fmt.Sprint(size) {
			t.Errorf("%s bytes of %d arrived: %v", strings.TrimSpace(string(out)), size, err)
		}
	})
}

// greetingServer is a Python program that sends hello to each client and then nothing.
const greetingServer = `import socketserver, time
class Greeter(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(b"hello")
        time.sleep(600)
socketserver.ThreadingTCPServer(("", 8000), Greeter).serve_forever()`

func TestAForwardedConnectionThatGoesSilentEndsAndTheNextIsServed(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	create(h, "web")
	h.Must("exec", "web", "--", "sh", "-c", "python3 -c '"+greetingServer+"' >/dev/null 2>&1 &")
	between, flags := startProxy(h)
	forward := exec.CommandContext(h.Context(), harness.RequireEnv("E2E_PLUGIN"),
		append(append([]string{"-n", h.Namespace}, flags...), "port-forward", "web", ":8000")...)
	forward.WaitDelay = 10 * time.Second
	out, err := forward.StdoutPipe()
	if err == nil {
		err = forward.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = forward.Process.Kill() // it may have ended
		_ = forward.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address, _, found := strings.Cut(strings.TrimPrefix(line, "Forwarding from "), " -> ")
	if err != nil || !found {
		t.Fatalf("it says %q, %v", line, err)
	}
	connect := func() (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(h.Context(), "tcp", address)
		if err != nil {
			return nil, err
		}
		if err := conn.SetDeadline(time.Now().Add(silenceTimeout)); err != nil {
			return nil, err
		}
		said := make([]byte, len("hello"))
		if n, err := io.ReadFull(conn, said); err != nil || string(said) != "hello" {
			_ = conn.Close() // it is of no use
			return nil, fmt.Errorf("it says %q: %w", said[:n], err)
		}
		return conn, nil
	}
	var held net.Conn
	h.Eventually("the server greets", func() (err error) {
		held, err = connect()
		return err
	})
	defer held.Close()
	between.Now(proxy.Swallow)
	began := time.Now()
	if err := held.SetReadDeadline(began.Add(silenceTimeout)); err != nil {
		t.Fatal(err)
	}
	if n, err := held.Read(make([]byte, 1)); n > 0 || time.Since(began) >= silenceTimeout {
		t.Errorf("after %v the connection is not closed: %d bytes, %v", time.Since(began), n, err)
	}
	next, err := connect()
	if err != nil {
		t.Fatalf("the next connection: %v", err)
	}
	_ = next.Close() // it has served
}

func TestAListOfASilentServerEnds(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	between, flags := startProxy(h)
	between.Always(proxy.Fault{Action: proxy.Swallow})
	began := time.Now()
	if r := h.Plugin(append(flags, "list")...); r.Code != 1 || time.Since(began) > silenceTimeout ||
		!strings.Contains(r.Stderr, "the API server") {
		t.Errorf("after %v: %v", time.Since(began), r)
	}
}
