// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

// inAProcess marks the child process that is terminated.
const inAProcess = "SDK_TEST_SIGNALS"

// TestAProgramOfItsOwn runs in the child process: a program with a sandbox that prints until it is terminated.
func TestAProgramOfItsOwn(t *testing.T) {
	if os.Getenv(inAProcess) == "" {
		return
	}
	w := start(t)
	w.Sandboxes.PrependReactor("delete", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		_, err := fmt.Fprintln(os.Stderr, "deleted")
		return false, nil, err
	})
	client := w.client()
	create(t, client, sdk.Spec{Name: "dev", Template: "t"})
	defer client.CleanUpOnSignals()()
	if err := syscall.Kill(os.Getpid(), syscall.SIGPIPE); err != nil { // as a broken connection raises it
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		_, _ = fmt.Println("working") // whether anybody reads it is what the test is about
	}
}

func TestAProgramThatIsToldToEndDeletesItsSandboxesAndDiesOfTheSignal(t *testing.T) {
	// The parent of the tests may ignore SIGHUP, as nohup does, and children inherit that. Signals that are caught here
	// have their default effect in children.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	for name, tell := range map[string]struct {
		how  func(child *os.Process, out io.Closer) error
		dies syscall.Signal
	}{
		"nobody reads its output": {func(_ *os.Process, out io.Closer) error { return out.Close() }, syscall.SIGPIPE},
		"its terminal closes": {
			func(child *os.Process, _ io.Closer) error { return child.Signal(syscall.SIGHUP) }, syscall.SIGHUP,
		},
		"it is terminated": {
			func(child *os.Process, _ io.Closer) error { return child.Signal(syscall.SIGTERM) }, syscall.SIGTERM,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
			if err := tell.how(command.Process, out); err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = io.Copy(io.Discard, out) }() // or it blocks
			err = command.Wait()
			status, ok := command.ProcessState.Sys().(syscall.WaitStatus)
			if !ok || !status.Signaled() || status.Signal() != tell.dies || !strings.Contains(said.String(), "deleted\n") {
				t.Errorf("%v; it said %q", err, said.String())
			}
		})
	}
}
