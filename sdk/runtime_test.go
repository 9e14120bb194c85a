// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package sdk_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/runtimeclient"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
)

func TestTheRuntimeRunsCommandsAndMovesFilesWhateverTheWay(t *testing.T) {
	leaks.Check(t, "sdk")
	startRouted(t).eachWay(t, func(t *testing.T, client *sdk.Client) {
		runtime := create(t, client, sdk.Spec{Template: "t"}).Runtime()
		for _, argument := range []string{"", "two words", `"'\$HOME*|`, "line\nbreak", "ünïcode", "#", "-n", "~"} {
			result, err := runtime.Run(t.Context(), "printf", "[%s]", argument)
			if err != nil || result.ExitCode != 0 || string(result.Stdout) != "["+argument+"]" {
				t.Errorf("%q: got %q %q, %v", argument, result.Stdout, result.Stderr, err)
			}
		}
		result, err := runtime.Run(t.Context(), "sh", "-c", "echo out; echo err >&2; exit 3")
		if err != nil || result.ExitCode != 3 || string(result.Stdout) != "out\n" || string(result.Stderr) != "err\n" {
			t.Errorf("got %+v, %v", result, err)
		}
		var out bytes.Buffer
		large := strings.Repeat("0123456789abcdef", 1<<16)
		code, err := runtime.Exec(t.Context(), stream.Process{
			Command: []string{"cat"}, Stdin: strings.NewReader(large), Stdout: &out,
		})
		if err != nil || code != 0 || out.String() != large {
			t.Errorf("%d bytes came back, %d, %v", out.Len(), code, err)
		}
		for _, path := range []string{"plain", "deep/er/file", "ü %2F?#&=+;\"'\\"} {
			if err := runtime.Write(t.Context(), path, []byte(path)); err != nil {
				t.Errorf("%q: %v", path, err)
			}
			if content, err := runtime.Read(t.Context(), path); err != nil || string(content) != path {
				t.Errorf("%q: got %q, %v", path, content, err)
			}
			if exists, err := runtime.Exists(t.Context(), path); err != nil || !exists {
				t.Errorf("%q does not exist: %v", path, err)
			}
		}
		entries, err := runtime.List(t.Context(), "deep")
		if err != nil || len(entries) != 1 || entries[0].Name != "er" || !entries[0].Mode.IsDir() ||
			entries[0].Modified.IsZero() {
			t.Errorf("got %+v, %v", entries, err)
		}
	})
}

func TestWhatIsNotThereOrMayNotBeReachedIsAnErrorWithAKind(t *testing.T) {
	leaks.Check(t, "sdk")
	w := startRouted(t)
	w.eachWay(t, func(t *testing.T, client *sdk.Client) {
		box := create(t, client, sdk.Spec{Template: "t"})
		runtime := box.Runtime()
		if _, err := runtime.Read(t.Context(), "nothing"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
		if _, err := runtime.List(t.Context(), "nothing"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
		if exists, err := runtime.Exists(t.Context(), "nothing"); err != nil || exists {
			t.Errorf("got %v, %v", exists, err)
		}
		_, err := runtime.Read(t.Context(), "../outside")
		if status, ok := errors.AsType[*runtimeclient.StatusError](err); !ok || status.StatusCode != http.StatusForbidden {
			t.Errorf("got %v", err)
		}
		if _, err := runtime.Exec(t.Context(), stream.Process{Command: []string{"sh"}, TTY: true}); err == nil {
			t.Error("there is a terminal")
		}
		if err := box.Suspend(t.Context()); err != nil {
			t.Fatal(err)
		}
		for err = nil; err == nil; { // the router may lag, and the Pod of this test does not end
			_, err = runtime.Run(t.Context(), "true")
		}
		if !errors.Is(err, sdk.ErrSuspended) {
			t.Errorf("got %v", err)
		}
		if err := box.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := runtime.Run(t.Context(), "true"); !errors.Is(err, sdk.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
	wrong := w.client(sdk.WithConnection(connect.URL("http://"+w.router)), sdk.WithRouterToken(connect.Token("wrong")))
	_, err := create(t, wrong, sdk.Spec{Image: "x"}).Runtime().Run(t.Context(), "true")
	if status, ok := errors.AsType[*runtimeclient.StatusError](err); !ok || status.StatusCode != http.StatusUnauthorized {
		t.Errorf("a wrong token: got %v", err)
	}
}

func TestTheRuntimeObeysTheLimitsOfTheClient(t *testing.T) {
	leaks.Check(t, "sdk")
	w := startRouted(t)
	client := w.client(sdk.WithRuntimePort(w.runtime), sdk.WithMaxFile(10), sdk.WithMaxOutput(10))
	runtime := create(t, client, sdk.Spec{Template: "t"}).Runtime()
	result, err := runtime.Run(t.Context(), "sh", "-c", "while :; do echo more; done")
	if !errors.Is(err, sdk.ErrTooLarge) || len(result.Stdout) != 10 {
		t.Errorf("got %d bytes, %v", len(result.Stdout), err)
	}
	if err := runtime.Write(t.Context(), "f", make([]byte, 11)); !errors.Is(err, sdk.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if err := runtime.Upload(t.Context(), "f", bytes.NewReader(make([]byte, 11)), 11); err != nil {
		t.Errorf("what is not in memory has no limit: %v", err)
	}
	if _, err := runtime.Read(t.Context(), "f"); !errors.Is(err, sdk.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	var out bytes.Buffer
	if err := runtime.Download(t.Context(), "f", &out); err != nil || out.Len() != 11 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

func TestACommandOfTheRuntimeEndsWithItsContext(t *testing.T) {
	leaks.Check(t, "sdk")
	startRouted(t).eachWay(t, func(t *testing.T, client *sdk.Client) {
		runtime := create(t, client, sdk.Spec{Template: "t"}).Runtime()
		ctx, cancel := context.WithCancel(t.Context())
		lines, said := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			_, err := runtime.Exec(ctx, stream.Process{Command: []string{"sh", "-c", "echo ready; sleep 60"}, Stdout: said})
			ended <- err
		}()
		if _, err := io.ReadFull(lines, make([]byte, len("ready\n"))); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}
