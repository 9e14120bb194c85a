// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
)

// read copies the logs that a server sends. With cut the server breaks the connection halfway.
func read(t *testing.T, cut bool, out io.Writer) error {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "one\n") // the test looks at what the client reads
		_ = http.NewResponseController(w).Flush()
		if cut {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "two\n")
	}))
	defer server.Close()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	from, err := client.CoreV1().Pods("default").GetLogs("dev", &corev1.PodLogOptions{}).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	return copyAll(t.Context(), out, from)
}

func TestALogThatWasCutIsIncompleteAndNoFaultOfTheContext(t *testing.T) {
	var out bytes.Buffer
	err := read(t, true, &out)
	said := strings.Join(printing.ErrorMessages(err, &fake.Factory{}), "|")
	if cli.ExitCode(err) != cli.ExitConnectionLost || out.String() != "one\n" ||
		!strings.HasPrefix(said, "the log is incomplete: the connection was lost after 4 bytes") ||
		strings.Contains(said, "context") {
		t.Errorf("code %d, %q, wrote %q", cli.ExitCode(err), said, out.String())
	}
}

func TestALogThatCameWholeIsDone(t *testing.T) {
	var out bytes.Buffer
	if err := read(t, false, &out); err != nil || out.String() != "one\ntwo\n" {
		t.Errorf("%v, wrote %q", err, out.String())
	}
}

func TestAnInterruptedLogIsNoLostConnection(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := copyAll(ctx, io.Discard, &failing{ctx.Err()}); cli.ExitCode(err) != cli.ExitInterrupted {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }
