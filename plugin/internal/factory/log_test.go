// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package factory_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

// logged returns what is logged when Sandboxes are listed with a token and the given flags.
func logged(t *testing.T, args ...string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind": "SandboxList", "apiVersion": "agents.x-k8s.io/v1beta1", "items": []}`)
	}))
	defer server.Close()
	errOut := &lines{} // watches of other tests log, too, once this has set the level
	f := factory.New("kubectl sandbox", clock.RealClock{}, errOut)
	flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
	f.AddFlags(flags)
	args = append(args, "--server", server.URL, "--kubeconfig", "/dev/null", "--token", "very-secret")
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	client, err := f.Sandboxes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.AgentsV1beta1().Sandboxes("ns").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(errOut.snapshot(), "")
}

func TestRequestsAreLoggedOnRequest(t *testing.T) {
	if got := logged(t); got != "" {
		t.Errorf("without -v: %q", got)
	}
	if got := logged(t, "-v=6"); !strings.Contains(got, "GET") || !strings.Contains(got, "/namespaces/ns/sandboxes") {
		t.Errorf("-v=6: %q", got)
	}
	got := logged(t, "-v", "9")
	if !strings.Contains(got, "SandboxList") || strings.Contains(got, "very-secret") {
		t.Errorf("-v 9: %q", got)
	}
}

func TestANegativeVerbosityIsRefused(t *testing.T) {
	f := factory.New("kubectl sandbox", clock.RealClock{}, io.Discard)
	flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
	f.AddFlags(flags)
	if err := flags.Parse([]string{"-v=-1"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Validate(); err == nil || !strings.Contains(err.Error(), "use 0 or more") {
		t.Errorf("got %v", err)
	}
}
