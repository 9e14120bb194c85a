// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package factory_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

// A tenant's admission webhook may write the API server's warnings. client-go drops those with control characters, but
// passes on those with characters that change the direction of text.
func TestAWarningOfTheServerSteersNoTerminal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Add("Warning", "299 - \"it is \u202edenwo\u2066 and owned\"")
		_, _ = w.Write(
			[]byte(`{"kind": "SandboxList", "apiVersion": "agents.x-k8s.io/v1beta1", "items": []}`),
		) // the client says so
	}))
	defer server.Close()
	errOut := &lines{} // watches of other tests still log
	f := factory.New("kubectl-sandbox", clock.RealClock{}, errOut)
	flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
	f.AddFlags(flags)
	if err := flags.Parse([]string{"--server", server.URL, "--kubeconfig", "/dev/null"}); err != nil {
		t.Fatal(err)
	}
	client, err := f.Sandboxes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.AgentsV1beta1().Sandboxes("ns").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	said := strings.Join(errOut.snapshot(), "")
	if !strings.Contains(said, "owned") || strings.ContainsAny(said, "\u202e\u2066") {
		t.Errorf("said %q", said)
	}
}
