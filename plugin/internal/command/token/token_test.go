// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package token

import (
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

func TestWrongUsageNeedsNoCluster(t *testing.T) {
	tests := map[string]struct {
		args []string
		said string
	}{
		"a name is needed":                    {nil, "NAME is missing"},
		"one name is enough":                  {[]string{"dev", "other"}, "unexpected argument"},
		"a name must be one":                  {[]string{"a/b/c"}, "is not a name"},
		"a Pod is no sandbox":                 {[]string{"pod/dev"}, "neither a claim nor a Sandbox"},
		"a duration is a second or more":      {[]string{"dev", "--duration", "0s"}, "--duration"},
		"a duration is not negative":          {[]string{"dev", "--duration", "-1h"}, "--duration"},
		"-o knows json and yaml":              {[]string{"dev", "-o", "name"}, "use json or yaml"},
		"a URL has a scheme":                  {[]string{"dev", "--router", "//host"}, "--router"},
		"a URL is of HTTP":                    {[]string{"dev", "--router", "ftp://host"}, "--router"},
		"a URL has a host":                    {[]string{"dev", "--router", "https:///a"}, "--router"},
		"a URL has no password":               {[]string{"dev", "--router", "https://a:b@host"}, "--router"},
		"a URL has no query":                  {[]string{"dev", "--router", "https://host/?a=b"}, "--router"},
		"a namespace is a name":               {[]string{"dev", "--router", "no_namespace"}, "--router"},
		"a host without a scheme is no URL":   {[]string{"dev", "--router", "router.example.com"}, "--router"},
		"everything right needs a kubeconfig": {[]string{"dev", "--duration", "2h"}, fake.ErrNotGiven.Error()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := NewCommand(
				&fake.Factory{}, genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard},
			)
			cmd.SetArgs(append([]string{}, test.args...)) // nil would mean the arguments of the test program
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.said) {
				t.Errorf("got %v, want %q", err, test.said)
			}
			if code := cli.ExitCode(err); len(test.args) > 1 && strings.HasPrefix(test.said, "--") && code != cli.ExitUsage {
				t.Errorf("code %d", code)
			}
		})
	}
}

func TestTheTokenIsAloneOnStandardOutput(t *testing.T) {
	w := newWorld(t)
	for name, router := range map[string][]string{"over a tunnel": nil, "at a URL": {"--router", w.url}} {
		t.Run(name, func(t *testing.T) {
			w.requests = nil
			got := w.run(append([]string{"dev"}, router...)...)
			if got.err != nil || got.out != scoped+"\n" || got.errOut != "" {
				t.Errorf("printed %+v", got)
			}
			want := seen{"POST", "/token", "Bearer of-ann", `{"namespace":"default","name":"dev"}`}
			if last := w.requests[len(w.requests)-1]; last != want {
				t.Errorf("asked %+v", last)
			}
		})
	}
	got := w.run("dev", "-o", "json", "--router", w.url)
	var document struct{ Token, ExpirationTimestamp string }
	if err := json.Unmarshal([]byte(got.out), &document); err != nil || document.Token != scoped ||
		document.ExpirationTimestamp != "2026-05-01T13:00:00Z" {
		t.Errorf("printed %+v", got)
	}
}

func TestWhatIsAskedFor(t *testing.T) {
	claimed := builders.Claim("dev", "t", builders.WithUID("c-dev"), builders.BoundTo("dev", "10.0.0.1"))
	tests := map[string]struct {
		args []string
		body string
	}{
		"a name, which the router resolves": {[]string{"other"}, `{"namespace":"default","name":"other"}`},
		"a duration": {[]string{"other", "--duration", "90m"},
			`{"namespace":"default","name":"other","expirationSeconds":5400}`},
		"a claim":                        {[]string{"claim/dev"}, `{"namespace":"default","name":"dev","uid":"c-dev"}`},
		"a Sandbox of the claim's name":  {[]string{"sandbox/dev"}, `{"namespace":"default","name":"dev","uid":"s-dev"}`},
		"a path of a gateway before its": {[]string{"other"}, `{"namespace":"default","name":"other"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.objects = append(routerObjects(operatorNamespace), claimed, builders.Sandbox("dev", builders.WithUID("s-dev")))
			got := w.run(append(tt.args, "--router", w.url+"/gateway/")...)
			if got.err != nil || len(w.requests) != 1 || w.requests[0].body != tt.body ||
				w.requests[0].path != "/gateway/token" {
				t.Errorf("asked %+v, %v", w.requests, got.err)
			}
		})
	}
}

func TestATokenThatEndsEarlierThanAskedForIsWarnedAbout(t *testing.T) {
	w := newWorld(t)
	if got := w.run("dev", "--duration", "1h", "--router", w.url); got.errOut != "" || got.out != scoped+"\n" {
		t.Errorf("as asked for: %+v", got)
	}
	got := w.run("dev", "--duration", "72h", "--router", w.url)
	if !strings.Contains(got.errOut, "Warning: the router limits the token: it expires at 2026-05-01T13:00:00Z") ||
		got.out != scoped+"\n" {
		t.Errorf("earlier: %+v", got)
	}
}

func TestRefusalsNameTheCure(t *testing.T) {
	tests := map[string]struct {
		status int
		answer string
		said   []string
	}{
		"a token that is not accepted": {401, `{"detail":"It is not valid."}`, []string{"status 401: It is not valid.",
			"audience", "--token"}},
		"a permission that is missing": {403, `{"detail":"No."}`, []string{"status 403: No.", `"create"`, "namespace default",
			"sandboxclaims/proxy", "sandboxes/proxy"}},
		"a router without a key": {404, `{"detail":"This router has no key for scoped tokens."}`,
			[]string{"has no key"}},
		"something that is no router":        {502, `<html>`, []string{"status 502", "is it a router?"}},
		"something that answers a token":     {200, `{}`, []string{"is it a router?"}},
		"a token that would steer terminals": {200, `{"token":"a.b.\u001b[2J"}`, []string{"is it a router?"}},
		"a redirect, which is not followed":  {302, ``, []string{"status 302"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.status, w.answer = tt.status, tt.answer
			got := w.run("dev")
			for _, said := range tt.said {
				if got.err == nil || !strings.Contains(got.err.Error(), said) {
					t.Errorf("said %v, want %q", got.err, said)
				}
			}
			if got.out != "" || cli.ExitCode(got.err) != cli.ExitFailed {
				t.Errorf("printed %+v", got)
			}
			if slices.ContainsFunc(w.requests, func(r seen) bool { return r.path == "/elsewhere" }) {
				t.Error("the redirect was followed")
			}
		})
	}
}

func TestOnlyAReadyPodOfTheRouterGetsToSeeCredentials(t *testing.T) {
	w := newWorld(t)
	if got := w.run("dev"); got.err != nil {
		t.Fatal(got.err)
	}
	if len(w.pods) == 0 || slices.ContainsFunc(w.pods, func(pod string) bool { return pod != "router-2" }) {
		t.Errorf("connected to %q", w.pods)
	}
	first := w.requests[0]
	if first.path != "/healthz" || first.authorization != "" {
		t.Errorf("asked first %+v", first)
	}
	w.health, w.requests = "hello", nil
	got := w.run("dev")
	if got.err == nil || !strings.Contains(got.err.Error(), "is not a router") || len(w.requests) != 1 {
		t.Errorf("something else: %+v, asked %+v", got, w.requests)
	}
}

func TestARouterWithTLSIsReachedOverATunnel(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewUnstartedServer(w)
	server.StartTLS()
	defer server.Close()
	w.forwardTo(server.Listener.Addr().String())
	if got := w.run("dev"); got.err != nil || got.out != scoped+"\n" {
		t.Errorf("printed %+v", got)
	}
}

func TestTheRouterOfAnotherNamespaceIsUsedOnlyIfItIsNamed(t *testing.T) {
	w := newWorld(t)
	w.objects = routerObjects(builders.Namespace)
	if got := w.run("dev"); got.err == nil || !strings.Contains(got.err.Error(),
		"in namespace agent-sandbox-system has no ready Pod") || len(w.pods) > 0 {
		t.Errorf("not named: %+v, connected to %q", got, w.pods)
	}
	if got := w.run("dev", "--router", builders.Namespace); got.err != nil || got.out != scoped+"\n" {
		t.Errorf("named: %+v", got)
	}
}

func TestWhenThereIsNoWayToTheRouter(t *testing.T) {
	slice := func(change func(*discoveryv1.EndpointSlice)) func(*world) {
		return func(w *world) { change(w.objects[0].(*discoveryv1.EndpointSlice)) }
	}
	tests := map[string]struct {
		change func(*world)
		said   string
	}{
		"no Pod is ready": {slice(func(s *discoveryv1.EndpointSlice) { s.Endpoints = s.Endpoints[:1] }),
			"has no ready Pod: install one"},
		"nobody listens": {slice(func(s *discoveryv1.EndpointSlice) { s.Ports[0].Port = new(int32(81)) }),
			"connection refused"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tt.change(w)
			if got := w.run("dev"); got.err == nil || !strings.Contains(got.err.Error(), tt.said) || len(w.requests) > 0 {
				t.Errorf("printed %+v, asked %+v", got, w.requests)
			}
		})
	}
}

func TestCredentialsInClearTextAreWarnedAbout(t *testing.T) {
	for router, warned := range map[string]bool{
		"http://router.invalid:1": true, "https://router.invalid:1": false, "http://127.0.0.1:1": false,
		"http://localhost:1": false, "http://[::1]:1": false,
	} {
		w := newWorld(t)
		got := w.run("dev", "--router", router)
		if strings.Contains(got.errOut, "clear text") != warned || got.err == nil ||
			!strings.HasPrefix(got.err.Error(), "cannot reach the router at ") {
			t.Errorf("%s: %+v", router, got)
		}
	}
}

func TestARouterThatIsSilentIsNotWaitedForWithoutEnd(t *testing.T) {
	w := newWorld(t)
	w.config.Timeout = 1 // as --request-timeout says it
	got := w.run("dev", "--router", w.url)
	if cli.ExitCode(got.err) != cli.ExitTimeout || !strings.Contains(got.err.Error(), "did not answer within") {
		t.Errorf("said %v", got.err)
	}
}

// The errors of the API server are told as such, and those of the router are not taken for them.
func TestWhoMayNotForwardIsTold(t *testing.T) {
	w := newWorld(t)
	w.api.Refuse = refuse
	got := w.run("dev")
	if got.err == nil || !strings.Contains(got.err.Error(), "pods/portforward") {
		t.Errorf("said %v", got.err)
	}
	if _, ok := errors.AsType[*dialError](got.err); ok {
		t.Error("it is wrapped")
	}
}
