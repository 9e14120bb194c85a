// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package router

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestTheHealthIsTheRoutersOwn(t *testing.T) {
	w := newWorld(t, nil)
	for _, header := range [][]string{nil, {"X-Sandbox-ID", "box"}} {
		got := w.ask(http.MethodGet, "/healthz", "", header...)
		if got.status != 200 || got.body != `{"status":"ok"}`+"\n" || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("answer %+v", got)
		}
	}
}

func TestWhoReachesWhat(t *testing.T) {
	w := newWorld(t, nil)
	port := pod(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the Pod gets to see a token")
		}
		_, _ = io.WriteString(w, "here")
	})
	tests := map[string]struct {
		token, name, port string
		headers           []string
		status            int
		detail            string
		retry             bool
	}{
		"a Sandbox":                          {token: "ann", name: "box", status: 200},
		"a claim":                            {token: "ann", name: "warm", status: 200},
		"a claim, with nothing else allowed": {token: "bob", name: "warm", status: 200},
		"the Sandbox of that claim":          {token: "bob", name: "pool-1", status: 200},
		"the UID of that claim": {token: "bob", name: "warm", headers: []string{"X-Sandbox-UID", "c-warm"},
			status: 200},
		"an address that is not its": {token: "ann", name: "box", headers: []string{"X-Sandbox-Pod-IP", "192.0.2.1"},
			status: 200},
		"another Sandbox": {token: "bob", name: "box", status: 403,
			detail: "The caller may not reach this sandbox."},
		"one that does not exist, for whom it is forbidden": {token: "bob", name: "none", status: 403,
			detail: "The caller may not reach this sandbox."},
		"one that does not exist": {token: "ann", name: "none", status: 404,
			detail: "There is no such sandbox."},
		"one that was there before": {token: "ann", name: "box", headers: []string{"X-Sandbox-UID",
			"s-before"}, status: 404, detail: "There is no such sandbox."},
		"another namespace": {token: "ann", name: "box",
			headers: []string{"X-Sandbox-Namespace", "team-b"}, status: 403, detail: "The caller may not reach this sandbox."},
		"nothing is allowed": {token: "eve", name: "box", status: 403,
			detail: "The caller may not reach this sandbox."},
		"an unknown token": {token: "mallory", name: "box", status: 401,
			detail: "The bearer token is not valid, or it has expired."},
		"an unknown token for what does not exist": {token: "mallory", name: "none", status: 401,
			detail: "The bearer token is not valid, or it has expired."},
		"no token": {name: "box", headers: []string{"Authorization", ""}, status: 401,
			detail: "A bearer token is required."},
		"a wrong header": {token: "ann", name: "box", headers: []string{"X-Sandbox-Port", "70000"}, status: 400,
			detail: "X-Sandbox-Port header is not a port: a number from 1 to 65535."},
		"no header": {token: "ann", headers: []string{"X-Sandbox-ID", ""}, status: 400,
			detail: "X-Sandbox-ID header is required."},
		"a suspended one": {token: "ann", name: "asleep", status: 503, detail: "The sandbox is suspended.",
			retry: true},
		"one that starts": {token: "ann", name: "starting", status: 503,
			detail: "The sandbox has no running Pod.", retry: true},
		"an expired one": {token: "ann", name: "expired", status: 503, detail: "The sandbox has expired."},
		"one that has finished": {token: "ann", name: "finished", status: 503,
			detail: "The sandbox has finished its work."},
		"a claim that waits": {token: "ann", name: "new", status: 503, detail: "The claim has no sandbox yet.",
			retry: true},
		"a port where nobody listens": {token: "ann", name: "box", port: "1", status: 502,
			detail: "Could not connect to the backend sandbox, port 1."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.port == "" {
				tt.port = port
			}
			got := w.as(tt.token, tt.name, tt.port, tt.headers...)
			if got.status != tt.status || got.detail != tt.detail || (got.header.Get("Retry-After") != "") != tt.retry {
				t.Errorf("answer %+v", got)
			}
			if got.status == 200 && got.body != "here" {
				t.Errorf("body %q", got.body)
			}
			if (got.status == 401) != (got.header.Get("WWW-Authenticate") == "Bearer") {
				t.Errorf("header %v", got.header)
			}
		})
	}
}

func TestTheMethodsThatAProxyMustNotSendOn(t *testing.T) {
	w := newWorld(t, nil)
	if got := w.ask(http.MethodTrace, "/", "", "Authorization", "Bearer ann", "X-Sandbox-ID", "box"); got.status != 400 {
		t.Errorf("answer %+v", got)
	}
}

func TestAnOpenRouterSaysSo(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.AllowUnauthenticated = true })
	port := pod(t, func(http.ResponseWriter, *http.Request) {})
	if got := w.ask(http.MethodGet, "/", "", "X-Sandbox-ID", "box", "X-Sandbox-Port", port); got.status != 200 {
		t.Errorf("answer %+v", got)
	}
	if !strings.Contains(w.logged(), "WARNING: --allow-unauthenticated: EVERYBODY") {
		t.Error("the log does not say so")
	}
	if !strings.Contains(w.metrics(), "sandbox_router_unauthenticated 1") {
		t.Error("the metrics do not say so")
	}
	if closed := newWorld(t, nil); !strings.Contains(closed.metrics(), "sandbox_router_unauthenticated 0") {
		t.Error("the metrics of a closed one say so")
	}
}

func TestTheStaticTokenOpensEverything(t *testing.T) {
	path := secret(t, "static-token-of-many-bytes\n")
	w := newWorld(t, func(c *Config) { c.TokenFile = path })
	port := pod(t, func(http.ResponseWriter, *http.Request) {})
	if got := w.as("static-token-of-many-bytes", "box", port, "X-Sandbox-Namespace", "team-b"); got.status != 200 {
		t.Errorf("answer %+v", got)
	}
	if got := w.as("static-token-of-many-byte", "box", port); got.status != 401 {
		t.Errorf("a part of it: %+v", got)
	}
}

func TestAScopedTokenIsGivenAfterTheSameReviewAndOpensOneSandbox(t *testing.T) {
	path := secret(t, "0123456789abcdef0123456789abcdef")
	w := newWorld(t, func(c *Config) { c.SigningKeyFile, c.MaxTokenTTL = path, 2*time.Hour })
	port := pod(t, func(http.ResponseWriter, *http.Request) {})
	request := func(token, body string) answer {
		return w.ask(http.MethodPost, "/token", body, "Authorization", "Bearer "+token)
	}
	got := request("bob", `{"name":"warm","expirationSeconds":999999999999}`)
	var given struct{ Token, ExpirationTimestamp string }
	if err := json.Unmarshal([]byte(got.body), &given); err != nil || got.status != 200 {
		t.Fatalf("answer %+v", got)
	}
	if end, err := time.Parse(time.RFC3339, given.ExpirationTimestamp); err != nil || time.Until(end) > 2*time.Hour {
		t.Errorf("valid until %s, %v", given.ExpirationTimestamp, err)
	}
	for name, tt := range map[string]struct {
		sandbox, namespace string
		status             int
	}{
		"its claim":         {"warm", "default", 200},
		"its Sandbox":       {"pool-1", "default", 200},
		"another one":       {"box", "default", 403},
		"another namespace": {"box", "team-b", 403},
		"an unknown one":    {"none", "default", 403},
	} {
		if got := w.as(given.Token, tt.sandbox, port, "X-Sandbox-Namespace", tt.namespace); got.status != tt.status {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for name, tt := range map[string]struct {
		token, body string
		status      int
	}{
		"with a scoped token":   {given.Token, `{"name":"warm"}`, 403},
		"for another sandbox":   {"bob", `{"name":"box"}`, 403},
		"for none":              {"ann", `{"name":"none"}`, 404},
		"without a token":       {"mallory", `{"name":"box"}`, 401},
		"for a negative time":   {"ann", `{"name":"box","expirationSeconds":-1}`, 400},
		"for no time":           {"ann", `{"name":"box","expirationSeconds":0}`, 400},
		"for another UID":       {"ann", `{"name":"box","uid":"s-before"}`, 404},
		"with a hostile name":   {"ann", `{"name":"../box"}`, 400},
		"without a name":        {"ann", `{}`, 400},
		"with an unknown field": {"ann", `{"name":"box","ttl":1}`, 400},
		"that is not JSON":      {"ann", `name=box`, 400},
		"that is huge":          {"ann", `{"name":"` + strings.Repeat("a", 1<<16) + `"}`, 400},
		"for a Sandbox":         {"ann", `{"name":"box","namespace":"default","expirationSeconds":60}`, 200},
	} {
		if got := request(tt.token, tt.body); got.status != tt.status {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if !strings.Contains(w.metrics(), "sandbox_router_tokens_issued_total 2") {
		t.Error("the metrics have another number of tokens")
	}
	if strings.Contains(w.logged(), given.Token) || strings.Contains(w.logged(), "0123456789abcdef") {
		t.Error("a secret is in the log")
	}
}

func TestWithoutAKeyThereAreNoScopedTokens(t *testing.T) {
	w := newWorld(t, nil)
	if got := w.ask(http.MethodPost, "/token", `{"name":"box"}`, "Authorization", "Bearer ann"); got.status != 404 {
		t.Errorf("answer %+v", got)
	}
	port := pod(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) })
	got := w.ask(http.MethodPost, "/token", "", "Authorization", "Bearer ann", "X-Sandbox-ID", "box", "X-Sandbox-Port",
		port)
	if got.body != "/token" {
		t.Errorf("the path of a sandbox: %+v", got)
	}
}

func TestWhatTheAccessLogAndTheMetricsSay(t *testing.T) {
	w := newWorld(t, nil)
	port := pod(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "12345") })
	w.ask(http.MethodGet, "/a%2Fb?password=secret", "", "Authorization", "Bearer ann", "X-Sandbox-ID", "box",
		"X-Sandbox-Port", port)
	w.as("mallory", "box", port)
	w.eventually("both are logged", func() bool { return strings.Count(w.logged(), `"msg":"request"`) == 2 })
	for _, want := range []string{
		`"path":"/a%2Fb","status":200,"bytes":5`, `"namespace":"default","sandbox":"box","uid":"s-box"`,
		`"way":"kubernetes","caller":"ann"`, `"status":401`,
	} {
		if !strings.Contains(w.logged(), want) {
			t.Errorf("the log has no %s:\n%s", want, w.logged())
		}
	}
	if strings.Contains(w.logged(), "secret") || strings.Contains(w.logged(), "mallory") {
		t.Error("the log has a query or a token")
	}
	metrics := w.metrics()
	for _, want := range []string{
		`sandbox_router_requests_total{code="200",way="kubernetes"} 1`, `sandbox_router_requests_total{code="401",way=""} 1`,
		`sandbox_router_dials_total{result="ok"} 1`, `sandbox_router_reviews_total{result="ok",review="token"} 2`,
		`sandbox_router_reviews_total{result="ok",review="access"} 1`, "sandbox_router_requests_in_flight 0",
		"sandbox_router_address_book_sandboxes 7", "sandbox_router_request_duration_seconds_count 2",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
}
