// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package router runs the router and `kubectl sandbox token` against a real API server: its tokens, its reviews, its
// definitions. The Pod of a Sandbox is a server on loopback.
package router

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

var server *apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s }, apiserver.WithoutCRDs()))
}

func TestARouterWaitsForTheDefinitionsAndLetsInWhoMay(t *testing.T) {
	w := newWorld(t)
	if status, body := w.get(w.admin+"/readyz", "", ""); status != 503 || !strings.Contains(body, "not filled") {
		t.Errorf("without definitions: %d %s", status, body)
	}
	w.define(apis.CRDSandboxes)
	w.eventually("it is ready", func() bool { status, _ := w.get(w.admin+"/readyz", "", ""); return status == 200 })
	w.run("box", "fox")
	w.account("agent", apis.GroupAgents, "sandboxes/proxy", "box")
	w.account("stranger", "", "pods", "box")

	t.Run("a token of Kubernetes opens what its user may reach", func(t *testing.T) {
		w.expect(t, w.accountToken("agent"), map[string]int{"box": 200, "fox": 403, "none": 403})
		w.expect(t, w.accountToken("stranger"), map[string]int{"box": 403})
		w.expect(t, "made-up", map[string]int{"box": 401})
	})
	t.Run("a scoped token opens one sandbox until the sandbox is gone", func(t *testing.T) {
		scoped, err := w.plugin("token", "box", "--duration", "10m", "--as-service-account", "agent", "--router", w.url)
		if err != nil {
			t.Fatal(err)
		}
		w.expect(t, strings.TrimSpace(scoped), map[string]int{"box": 200, "fox": 403, "none": 403})
		w.remove("box")
		w.run("box")
		w.expect(t, strings.TrimSpace(scoped), map[string]int{"box": 403})
		w.expect(t, w.accountToken("agent"), map[string]int{"box": 200})
	})
	t.Run("who may not reach a sandbox, or has no token, gets none for it", func(t *testing.T) {
		for args, said := range map[string]string{
			"token fox --as-service-account agent":    "status 403",
			"token box --as-service-account stranger": `"create"`,
			"token box":                 "--as-service-account", // the administrator has a client certificate
			"token box --token made-up": "status 401",
		} {
			out, err := w.plugin(append(strings.Fields(args), "--router", w.url)...)
			if err == nil || !strings.Contains(err.Error(), said) || out != "" {
				t.Errorf("%s: %v, printed %q", args, err, out)
			}
		}
	})
	t.Run("claims that are served later are found", func(t *testing.T) {
		w.define(apis.CRDSandboxClaims)
		w.claim("mine", "fox")
		w.account("owner", apis.GroupExtensions, "sandboxclaims/proxy", "mine")
		token := w.accountToken("owner")
		w.eventually("the claim is found", func() bool { status, _ := w.get(w.url, token, "mine"); return status == 200 })
		w.expect(t, token, map[string]int{"fox": 200, "box": 403})
	})
}
