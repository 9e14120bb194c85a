// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

func TestTheInstalledRouterLeadsToWarmAndColdSandboxesOfThoseWhoMayReachThem(t *testing.T) {
	t.Parallel()
	h, other := harness.New(t), harness.New(t)
	h.CreateAll(h.NewTemplate("web", harness.WebServer), h.NewPool("web", "web", 1))
	h.FullPool("web")
	h.CreateAll(h.NewClaim("warm", "web"), h.NewClaim("cold", "web", withoutWarmPool))
	if s := h.Claimed("warm"); !harness.Warm(s) {
		t.Errorf("%s is not warm", s.Name)
	}
	h.Claimed("cold")
	client := h.NewRouterClient(apis.OperatorNamespace)
	agent := h.Token("agent")
	for _, name := range []string{"warm", "cold"} {
		if got := client.Get(agent, name); got.Status != http.StatusOK || got.Body != "hello\n" {
			t.Errorf("%s: %+v", name, got)
		}
		if got := client.Get(other.Token("tenant-"+name), name); got.Status != http.StatusForbidden {
			t.Errorf("another tenant reaches %s: %+v", name, got)
		}
		if got := client.Get("", name); got.Status != http.StatusUnauthorized {
			t.Errorf("somebody without a token reaches %s: %+v", name, got)
		}
	}
	if got := client.Get(agent, "nothing"); got.Status != http.StatusNotFound && got.Status != http.StatusForbidden {
		t.Errorf("what does not exist: %+v", got)
	}

	got := client.Send(harness.Request{
		Headers: map[string]string{"Authorization": "Bearer " + agent}, Method: http.MethodPost, Path: "/token",
		Body: `{"namespace": "` + h.Namespace + `", "name": "warm"}`,
	})
	var scoped struct{ Token string }
	if err := json.Unmarshal([]byte(got.Body), &scoped); err != nil || got.Status != http.StatusOK {
		t.Fatalf("a token for one sandbox: %+v, %v", got, err)
	}
	// Both replicas have the key, and one of them answers each request.
	for range 6 {
		if got := client.Get(scoped.Token, "warm"); got.Status != http.StatusOK {
			t.Errorf("with the scoped token: %+v", got)
		}
	}
	if got := client.Get(scoped.Token, "cold"); got.Status != http.StatusForbidden {
		t.Errorf("the token of one sandbox opens another: %+v", got)
	}
}
