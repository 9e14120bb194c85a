// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package token

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
)

// refuse answers as RBAC does to somebody who may not port-forward.
func refuse(w http.ResponseWriter, _ *http.Request) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: 403,
		Reason:  metav1.StatusReasonForbidden,
		Message: `User "ann" cannot create resource "pods/portforward" in API group "" in the namespace "x"`,
	})
	return true
}

// plugin returns a credential plugin that prints the status of an ExecCredential.
func plugin(t *testing.T, status string) *api.ExecConfig {
	t.Helper()
	path := filepath.Join(t.TempDir(), "credentials")
	script := "#!/bin/sh\necho '" +
		`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":` + status + `}'` + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return &api.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", Command: path, InteractiveMode: api.NeverExecInteractiveMode,
	}
}

func TestTheTokenOfAKubeconfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("of-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	as := func(other rest.ImpersonationConfig) rest.Config {
		return rest.Config{BearerToken: "of-ann", Impersonate: other}
	}
	tests := map[string]struct {
		config rest.Config
		want   string
		said   string
	}{
		"a token": {config: rest.Config{BearerToken: "of-ann"}, want: "of-ann"},
		"a file":  {config: rest.Config{BearerTokenFile: file}, want: "of-a-file"},
		"a credential plugin": {config: rest.Config{ExecProvider: plugin(t, `{"token":"of-a-plugin"}`)},
			want: "of-a-plugin"},
		"a credential plugin that fails": {config: rest.Config{ExecProvider: plugin(t, `{`)}, said: "credentials"},
		"a credential plugin that is missing": {config: rest.Config{ExecProvider: &api.ExecConfig{
			APIVersion: "client.authentication.k8s.io/v1", Command: "/none", InteractiveMode: api.NeverExecInteractiveMode,
		}}, said: "/none"},
		"a client certificate": {config: rest.Config{TLSClientConfig: rest.TLSClientConfig{
			CertData: []byte("c"), KeyData: []byte("k"),
		}}, said: "--as-service-account NAME"},
		"a password":      {config: rest.Config{Username: "ann", Password: "secret"}, said: "--as-service-account NAME"},
		"nothing":         {said: "--as-service-account NAME"},
		"another user":    {config: as(rest.ImpersonationConfig{UserName: "bob"}), said: "--as"},
		"another group":   {config: as(rest.ImpersonationConfig{Groups: []string{"g"}}), said: "--as"},
		"another UID":     {config: as(rest.ImpersonationConfig{UID: "u"}), said: "--as"},
		"other attribute": {config: as(rest.ImpersonationConfig{Extra: map[string][]string{"a": nil}}), said: "--as"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.config.Host = "https://127.0.0.1:1" // nobody is asked
			got, err := bearerToken(t.Context(), &tt.config)
			if got != tt.want || (err == nil) != (tt.said == "") || err != nil && !strings.Contains(err.Error(), tt.said) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestAServiceAccountStandsInForAUser(t *testing.T) {
	w := newWorld(t)
	w.config.BearerToken, w.config.Impersonate.UserName = "", "bob" // the API server knows whom he may stand in for
	got := w.run("dev", "--as-service-account", "agent", "--router", w.url)
	if got.err != nil || w.requests[0].authorization != "Bearer of-agent" {
		t.Errorf("printed %+v, asked %+v", got, w.requests)
	}
	if got := w.run("dev", "--as-service-account", "none", "--router", w.url); got.err == nil || len(w.requests) != 1 {
		t.Errorf("a missing one: %+v", got)
	}
	if got := w.run("dev", "--router", w.url); got.err == nil || len(w.requests) != 1 {
		t.Errorf("without one: %+v", got)
	}
}
