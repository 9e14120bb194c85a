// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package portforward

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/naming"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
	streamfake "github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func sandbox() *agentsv1beta1.Sandbox {
	return &agentsv1beta1.Sandbox{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "dev", UID: "1"}}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, UID: types.UID(name),
			Labels: map[string]string{apis.LabelSandboxNameHash: naming.Hash("dev")},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(sandbox(), agentsv1beta1.SchemeGroupVersion.WithKind(apis.KindSandbox)),
			},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
}

// world is a cluster with one sandbox, whose Pod answers with its name and what it received.
type world struct {
	*testing.T
	*fakecluster.Cluster
	server  *streamfake.Server
	factory *fake.Factory
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, Cluster: fakecluster.New(sandbox(), pod("first")), server: streamfake.New()}
	t.Cleanup(w.server.Close)
	w.server.Forward = func(ctx context.Context, port int32, connection io.ReadWriteCloser) error {
		if port == 81 {
			return errors.New("connect: connection refused")
		}
		if _, err := fmt.Fprintf(connection, "%s %d: ", streamfake.PodOf(ctx), port); err != nil {
			return err
		}
		_, err := io.Copy(connection, connection)
		return err
	}
	w.factory = &fake.Factory{Config: w.server.Config(), SandboxesClient: w.Sandboxes, KubernetesClient: w.Kubernetes}
	return w
}

// suspended suspends or resumes the sandbox.
func (w *world) suspended(yes bool) {
	w.Helper()
	s := sandbox()
	if yes {
		s.Spec.Replicas = new(int32(0))
	}
	sandboxes := w.Sandboxes.AgentsV1beta1().Sandboxes("default")
	if _, err := sandboxes.Update(w.Context(), s, metav1.UpdateOptions{}); err != nil {
		w.Fatal(err)
	}
}

// replace deletes the old Pod and creates one of the new name. An empty name skips the step.
func (w *world) replace(old, name string) {
	w.Helper()
	pods := w.Kubernetes.CoreV1().Pods("default")
	if old != "" {
		if err := pods.Delete(w.Context(), old, metav1.DeleteOptions{}); err != nil {
			w.Fatal(err)
		}
	}
	if name != "" {
		if _, err := pods.Create(w.Context(), pod(name), metav1.CreateOptions{}); err != nil {
			w.Fatal(err)
		}
	}
}

// running is a running port-forward.
type running struct {
	*world
	events chan Event
	over   chan error
	end    context.CancelFunc
}

func (w *world) start(args ...string) *running {
	w.Helper()
	reader, writer := io.Pipe()
	ctx, cancel := context.WithCancel(w.Context())
	w.Cleanup(cancel)
	r := &running{world: w, events: make(chan Event, 1000), over: make(chan error, 1), end: cancel}
	go func() { // the command must not block on the test
		defer close(r.events)
		for decoder := json.NewDecoder(reader); ; {
			var e Event
			if decoder.Decode(&e) != nil {
				return
			}
			r.events <- e
		}
	}()
	cmd := NewCommand(w.factory, genericiooptions.IOStreams{In: strings.NewReader(""), Out: writer, ErrOut: io.Discard})
	cmd.SetArgs(append([]string{"dev", "-o", "json", "--address", "127.0.0.1"}, args...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = writer.CloseWithError(errors.Join(io.EOF, err))
		r.over <- err
	}()
	return r
}

// await reads events until one with the name arrives.
func (r *running) await(name string) Event {
	r.Helper()
	for e := range r.events {
		if e.Event == name {
			return e
		}
	}
	r.Fatalf("it ended without the event %q: %v", name, <-r.over)
	return Event{}
}

// ask sends a text through a local port and returns the answer.
func ask(port int, text string) string {
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	go func() {
		_, _ = io.WriteString(conn, text)
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	answer, _ := io.ReadAll(conn) // a reset is an empty answer
	return string(answer)
}

func TestLocalPortStaysThroughSuspensionAndReplacement(t *testing.T) {
	r := newWorld(t).start(":http")
	listening := r.await(eventListening)
	if listening.Remote != 8080 || listening.Port == 0 {
		t.Fatalf("got %+v", listening)
	}
	if got := ask(listening.Port, "one"); got != "first 8080: one" {
		t.Errorf("got %q", got)
	}

	r.suspended(true)
	r.replace("first", "")
	if e := r.await(eventWaiting); !strings.Contains(e.Error, "suspended") {
		t.Errorf("got %+v", e)
	}
	held := make(chan string)
	go func() { held <- ask(listening.Port, "two") }()
	r.await(eventConnected)
	r.suspended(false)
	r.replace("", "second")
	if e := r.await(eventReady); e.Pod != "second" {
		t.Errorf("got %+v", e)
	}
	if got := <-held; got != "second 8080: two" {
		t.Errorf("a connection made while it was suspended got %q", got)
	}

	r.replace("second", "third")
	for e := r.await(eventReady); e.Pod != "third"; {
		e = r.await(eventReady)
	}
	r.server.Cut() // like a restart of the API server
	if got := ask(listening.Port, "three"); got != "third 8080: three" {
		t.Errorf("got %q", got)
	}
	r.end()
	if err := <-r.over; err != nil {
		t.Errorf("an end that was asked for is no error: %v", err)
	}
}

func TestDeletionEndsItWithAnErrorAlthoughNobodyConnects(t *testing.T) {
	r := newWorld(t).start(":80")
	r.await(eventListening)
	sandboxes := r.Sandboxes.AgentsV1beta1().Sandboxes("default")
	if err := sandboxes.Delete(t.Context(), "dev", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-r.over:
		if cli.ExitCode(err) != cli.ExitFailed || !strings.Contains(err.Error(), "deleted") {
			t.Errorf("got %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it goes on")
	}
}

func TestARefusedConnectionIsAnEventAndNoEnd(t *testing.T) {
	r := newWorld(t).start(":81", ":82")
	refused, other := r.await(eventListening), r.await(eventListening)
	if got := ask(refused.Port, "x"); got != "" {
		t.Errorf("got %q", got)
	}
	if e := r.await(eventFailed); e.Remote != 81 || !strings.Contains(e.Error, "connection refused") {
		t.Errorf("got %+v", e)
	}
	if got := ask(other.Port, "x"); got != "first 82: x" {
		t.Errorf("got %q", got)
	}
}

func TestStdioCarriesOneConnection(t *testing.T) {
	w := newWorld(t)
	var out bytes.Buffer
	cmd := NewCommand(w.factory, genericiooptions.IOStreams{In: strings.NewReader("hello"), Out: &out, ErrOut: io.Discard})
	cmd.SetArgs([]string{"dev", "22", "--stdio"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.ExecuteContext(t.Context()); err != nil || out.String() != "first 22: hello" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	cmd.SetArgs([]string{"dev", "81", "--stdio"})
	if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
}

func TestOpenShowsTheFirstPortInTheBrowser(t *testing.T) {
	dir := t.TempDir()
	browser, shown := filepath.Join(dir, "browser"), filepath.Join(dir, "shown")
	script := "#!/bin/sh\nprintf %s \"$1\" >" + shown + ".new && mv " + shown + ".new " + shown + "\n"
	if err := os.WriteFile(browser, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BROWSER", browser)
	r := newWorld(t).start(":8443", ":80", "--open")
	listening := r.await(eventListening)
	r.await(eventListening)
	want := fmt.Sprintf("https://localhost:%d/", listening.Port)
	limit, tick := time.After(20*time.Second), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for {
		if got, err := os.ReadFile(shown); err == nil {
			if string(got) != want {
				t.Errorf("got %q, want %q", got, want)
			}
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("no browser was started")
		}
	}
}

func TestOpenerOfEachSystem(t *testing.T) {
	for system, want := range map[string]string{"linux": "xdg-open", "darwin": "open", "windows": "rundll32"} {
		if program, args := opener(system, "", "http://x/"); program != want || args[len(args)-1] != "http://x/" {
			t.Errorf("%s: got %s %v", system, program, args)
		}
	}
}
