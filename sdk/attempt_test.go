// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/agent-sandbox/kubectl-sandbox/apis/client/clientset/versioned"
	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/leaks"
)

// impatient is a request timeout that tests reach.
const impatient = 30 * time.Millisecond

func TestASilentCommandLastsWhileItsPodLivesAndNoLonger(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	running, proceed := make(chan struct{}, 1), make(chan struct{})
	w.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
		running <- struct{}{}
		select {
		case <-proceed:
			_, err := p.Stdout.Write([]byte("done"))
			return err
		case <-ctx.Done():
			return nil
		}
	}
	box := create(t, w.client(sdk.WithRequestTimeout(impatient)), sdk.Spec{Name: "dev", Image: "x"})
	result := make(chan error, 1)
	run := func() {
		got, err := box.Run(context.Background(), "x")
		if err == nil && string(got.Stdout) != "done" {
			t.Errorf("got %q", got.Stdout)
		}
		result <- err
	}
	go run()
	<-running
	<-time.After(10 * impatient)
	proceed <- struct{}{}
	if err := <-result; err != nil {
		t.Errorf("a command that was silent for long: %v", err)
	}
	go run()
	<-running
	if err := w.Kubernetes.CoreV1().Pods("default").Delete(t.Context(), "dev", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := <-result; !errors.Is(err, sdk.ErrLost) { // although no connection breaks
		t.Errorf("a command whose Pod is gone: %v", err)
	}
}

func TestAnAPIServerThatDoesNotAnswerIsNotWaitedForForEver(t *testing.T) {
	leaks.Check(t, "sdk")
	w := start(t)
	box := create(t, w.client(), sdk.Spec{Name: "dev", Image: "x"})
	box.Disconnect()
	var hang atomic.Bool
	silent := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, r *http.Request) {
		if hang.Load() {
			<-r.Context().Done()
			return
		}
		writer.Header().Set("Content-Type", "application/json")
		_, _ = writer.Write([]byte(`{"apiVersion":"agents.x-k8s.io/v1beta1","kind":"Sandbox","metadata":` +
			`{"name":"dev","namespace":"default","uid":"1"}}`))
	}))
	t.Cleanup(func() { silent.CloseClientConnections(); silent.Close() })
	sandboxes, err := versioned.NewForConfig(&rest.Config{Host: silent.URL})
	if err != nil {
		t.Fatal(err)
	}
	client := clientOf(
		sdk.Clients{Sandboxes: sandboxes, Kubernetes: w.Kubernetes, Network: w.network}, sdk.WithRequestTimeout(impatient))
	again, err := client.Attach(t.Context(), "sandbox/dev")
	if err != nil {
		t.Fatal(err)
	}
	hang.Store(true)
	if _, err := again.Run(context.Background(), "x"); !errors.Is(err, sdk.ErrTimeout) {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsTheSameToDoTwiceIsRepeatedAndACommandIsNot(t *testing.T) {
	w := start(t)
	local := w.server.Exec
	var cuts, tries atomic.Int64
	w.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
		tries.Add(1)
		if cuts.Add(-1) >= 0 {
			_, _ = p.Stdout.Write([]byte("half of"))
			w.server.Cut()
			<-ctx.Done()
			return nil
		}
		return local(ctx, p)
	}
	box := create(t, w.client(), sdk.Spec{Template: "t"})
	cuts.Store(1)
	if err := box.Write(t.Context(), "f", []byte("content")); err != nil {
		t.Error(err)
	}
	cuts.Store(1)
	if content, err := box.Read(t.Context(), "f"); err != nil || string(content) != "content" {
		t.Errorf("got %q, %v", content, err)
	}
	cuts.Store(1)
	if entries, err := box.List(t.Context(), "."); err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v", entries, err)
	}
	cuts.Store(1)
	if exists, err := box.Exists(t.Context(), "f"); err != nil || !exists {
		t.Errorf("got %v, %v", exists, err)
	}
	cuts.Store(1)
	tries.Store(0)
	if _, err := box.Run(t.Context(), "sh", "-c", ":"); !errors.Is(err, sdk.ErrLost) || tries.Load() != 1 {
		t.Errorf("a command: got %v after %d attempts", err, tries.Load())
	}
}

func TestAttemptsAreCountedAndTheLastErrorIsKept(t *testing.T) {
	w := start(t)
	var tries atomic.Int64
	w.server.Exec = func(ctx context.Context, _ fakeserver.Process) error {
		tries.Add(1)
		w.server.Cut()
		<-ctx.Done()
		return nil
	}
	created := create(t, w.client(), sdk.Spec{Template: "t"})
	box, err := w.client(sdk.WithClock(hurried{}), sdk.WithRequestTimeout(time.Hour)).Attach(t.Context(), created.Name())
	if err != nil {
		t.Fatal(err)
	}
	_, err = box.Read(t.Context(), "f")
	if !errors.Is(err, sdk.ErrRetriesExhausted) || !errors.Is(err, sdk.ErrLost) || tries.Load() != 6 {
		t.Errorf("got %v after %d attempts", err, tries.Load())
	}
}

func TestRetryRepeatsWhatTheCallerSaysMayRunTwice(t *testing.T) {
	w := start(t)
	local := w.server.Exec
	var cuts, tries atomic.Int64
	w.server.Exec = func(ctx context.Context, p fakeserver.Process) error {
		tries.Add(1)
		if cuts.Add(-1) >= 0 {
			w.server.Cut()
			<-ctx.Done()
			return nil
		}
		return local(ctx, p)
	}
	create(t, w.client(), sdk.Spec{Name: "dev", Template: "t"})
	box, err := w.client(sdk.WithClock(hurried{}), sdk.WithRequestTimeout(time.Hour)).Attach(t.Context(), "dev")
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("failed")
	for name, test := range map[string]struct {
		cuts, tries int64
		do          func(ctx context.Context) error
		want        []error
	}{
		"a command that succeeds in the third attempt": {cuts: 2, tries: 3, do: func(ctx context.Context) error {
			_, err := box.Run(ctx, "sh", "-c", ":")
			return err
		}},
		"one that never does": {
			cuts: 100, tries: 6, want: []error{sdk.ErrRetriesExhausted, sdk.ErrLost},
			do: func(ctx context.Context) error { _, err := box.Run(ctx, "x"); return err },
		},
		"attempts are not multiplied": {
			cuts: 100, tries: 6, want: []error{sdk.ErrRetriesExhausted, sdk.ErrLost},
			do: func(ctx context.Context) error { _, err := box.Read(ctx, "f"); return err },
		},
		"an error of the caller": {
			tries: 1, want: []error{failed},
			do: func(ctx context.Context) error {
				_, err := box.Run(ctx, "sh", "-c", ":")
				return errors.Join(err, failed)
			},
		},
	} {
		cuts.Store(test.cuts)
		tries.Store(0)
		err := box.Retry(t.Context(), test.do)
		for _, want := range test.want {
			if !errors.Is(err, want) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if (err != nil) != (test.want != nil) || tries.Load() != test.tries {
			t.Errorf("%s: got %v after %d attempts", name, err, tries.Load())
		}
	}
}
