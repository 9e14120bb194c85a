// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package run_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

// withRouter adds a router with one Pod, which answers as the function does.
func (w *world) withRouter(t *testing.T, namespace string, answer http.HandlerFunc) {
	t.Helper()
	w.withRouterServer(t, namespace, httptest.NewServer(withHealth(answer)))
}

// withHealth answers for the router itself.
func withHealth(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" {
			_, _ = io.WriteString(w, `{"status":"ok"}`)
			return
		}
		answer(w, r)
	}
}

// withRouterServer adds a router whose Pod is the server.
func (w *world) withRouterServer(t *testing.T, namespace string, router *httptest.Server) {
	t.Helper()
	t.Cleanup(func() { router.CloseClientConnections(); router.Close() })
	port, err := strconv.ParseInt(router.URL[strings.LastIndex(router.URL, ":")+1:], 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Name: "router", Namespace: namespace,
			Labels: map[string]string{"kubernetes.io/service-name": "sandbox-router-svc"},
		},
		Ports:     []discoveryv1.EndpointPort{{Port: new(int32(port))}},
		Endpoints: []discoveryv1.Endpoint{{TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: "router-1"}}},
	}
	if err := w.cluster.Kubernetes.Tracker().Add(slice); err != nil {
		t.Fatal(err)
	}
	w.server.Forward = func(ctx context.Context, port int32, connection io.ReadWriteCloser) error {
		to, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
		if err != nil {
			return err
		}
		defer to.Close()
		go func() {
			_, _ = io.Copy(to, connection)
			_ = to.Close() // as the kubelet does when a connection is closed
		}()
		_, err = io.Copy(connection, to)
		return err
	}
	w.factory.Config.BearerToken = "my-token"
}

// answering answers like the runtime of the sandbox dev, behind a router.
func answering(answer ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for header, want := range map[string]string{
			"Authorization": "Bearer my-token", "X-Sandbox-Id": "dev", "X-Sandbox-Namespace": "default",
			"X-Sandbox-Port": "8888", "X-Sandbox-Uid": "c",
		} {
			if got := r.Header.Get(header); got != want {
				http.Error(w, fmt.Sprintf(`{"detail": "%s is %s"}`, header, got), http.StatusBadRequest)
				return
			}
		}
		_, _ = io.Copy(io.Discard, r.Body)
		for _, line := range answer {
			_, _ = fmt.Fprintln(w, line)
		}
	}
}

func TestRunThroughTheRouter(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		out    string
		code   int
		said   string
	}{
		"the outputs are the command's": {
			answer: answering(`{"stream":"stdout","data":"aGVs"}`, `{"stream":"stdout","data":"bG8="}`, `{"exit_code":0}`),
			out:    "hello",
		},
		"so is the exit code":              {answer: answering(`{"exit_code":42}`), code: 42},
		"an answer that breaks off is 255": {answer: answering(), code: cli.ExitConnectionLost, said: "was lost"},
		"a router that did not reach it, too": {
			answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			code:   cli.ExitConnectionLost, said: "502 Bad Gateway",
		},
		"who may not is told by the router": {
			answer: func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, `{"detail": "The caller may not reach this sandbox."}`, http.StatusForbidden)
			},
			code: cli.ExitFailed, said: "may not reach",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, fails)
			w.withRouter(t, "agent-sandbox-system", test.answer)
			out, errOut, err := w.run(t.Context(), "input", "--template", "t", "--name", "dev", "--via=router", "--", "x")
			if out != test.out || cli.ExitCode(err) != test.code ||
				!strings.Contains(errOut+fmt.Sprint(err), test.said) || len(w.left(t)) != 0 {
				t.Errorf("got %q, %q, %v, %v left", out, errOut, err, w.left(t))
			}
		})
	}
}

func TestRunThroughARouterThatHasACertificate(t *testing.T) {
	w := newWorld(t, fails)
	router := httptest.NewUnstartedServer(withHealth(answering(
		`{"stream":"stdout","data":"aGVsbG8="}`, `{"exit_code":42}`)))
	router.Config.ErrorLog = log.New(io.Discard, "", 0) // the first request has no TLS
	router.StartTLS()
	w.withRouterServer(t, "agent-sandbox-system", router)
	out, errOut, err := w.run(t.Context(), "", "--template", "t", "--name", "dev", "--via=router", "--", "x")
	if out != "hello" || cli.ExitCode(err) != 42 || len(w.left(t)) != 0 {
		t.Errorf("got %q, %q, %v, %v left", out, errOut, err, w.left(t))
	}
}

func TestRunThroughARouterInTheNamespaceOfTheInstallation(t *testing.T) {
	w := newWorld(t, fails)
	w.withRouter(t, "elsewhere", answering(`{"exit_code":42}`))
	operator := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "elsewhere", Name: apis.OperatorName, Labels: map[string]string{apis.LabelApp: apis.OperatorName},
	}}
	if err := w.cluster.Kubernetes.Tracker().Add(operator); err != nil {
		t.Fatal(err)
	}
	_, errOut, err := w.run(t.Context(), "", "--template", "t", "--name", "dev", "--via=router", "--", "x")
	if cli.ExitCode(err) != 42 || len(w.left(t)) != 0 {
		t.Errorf("got %q, %v, %v left", errOut, err, w.left(t))
	}
}

func TestRunThroughARouterThatThereIsNot(t *testing.T) {
	w := newWorld(t, fails)
	_, _, err := w.run(t.Context(), "", "--template", "t", "--name", "dev", "--via", "router", "--", "x")
	if err == nil || !strings.Contains(err.Error(), "sandbox-router-svc") ||
		!strings.Contains(err.Error(), "install --router") || len(w.left(t)) != 0 {
		t.Errorf("got %v, %v left", err, w.left(t))
	}
	w.withRouter(t, "agent-sandbox-system", answering())
	w.factory.Config.BearerToken = ""
	_, _, err = w.run(t.Context(), "", "--template", "t", "--name", "dev", "--via", "router", "--", "x")
	if err == nil || !strings.Contains(err.Error(), "--token") || len(w.left(t)) != 0 {
		t.Errorf("got %v, %v left", err, w.left(t))
	}
	for _, args := range [][]string{{"--via", "nothing"}, {"--via=router", "-t"}, {"--via=router", "-c", "main"}} {
		_, _, err := w.run(t.Context(), "", append(append([]string{"--template", "t"}, args...), "--", "x")...)
		if cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("%v: got %v", args, err)
		}
	}
}
