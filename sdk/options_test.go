// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sdk_test

import (
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/connect"
)

func TestAClientIsNotMadeWithSettingsThatCannotWork(t *testing.T) {
	w := start(t)
	all := sdk.Clients{Sandboxes: w.Sandboxes, Kubernetes: w.Kubernetes, Network: w.network}
	for want, option := range map[string]sdk.Option{
		"WithReadyTimeout": sdk.WithReadyTimeout(0), "WithRequestTimeout": sdk.WithRequestTimeout(-1),
		"WithCleanupTimeout": sdk.WithCleanupTimeout(0), "WithMaxOutput": sdk.WithMaxOutput(-1),
		"WithMaxFile": sdk.WithMaxFile(0), "WithRuntimePort": sdk.WithRuntimePort(65536), "WithClock": sdk.WithClock(nil),
		`the namespace "a.b"`: sdk.WithNamespace("a.b"), `the namespace ""`: sdk.WithNamespace(""),
		"the URL of the router": sdk.WithConnection(connect.URL("router")),
		"no name":               sdk.WithConnection(connect.Gateway{}),
		`the scheme "ftp"`:      sdk.WithConnection(connect.Tunnel{Scheme: "ftp"}),
	} {
		if _, err := sdk.NewWith(all, option); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
		if _, err := sdk.New(&rest.Config{Host: "https://localhost"}, option); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
	for _, clients := range []sdk.Clients{
		{Kubernetes: all.Kubernetes, Network: all.Network}, {Sandboxes: all.Sandboxes, Network: all.Network},
		{Sandboxes: all.Sandboxes, Kubernetes: all.Kubernetes},
	} {
		if _, err := sdk.NewWith(clients); err == nil {
			t.Errorf("a Client with %+v", clients)
		}
	}
}

func TestAnOptionWithoutAValueIsTheDefault(t *testing.T) {
	client := start(t).client(
		sdk.WithProgress(nil), sdk.WithTraceServiceName(""), sdk.WithTracerProvider(nil), sdk.WithHTTPTransport(nil),
		sdk.WithConnection(connect.URL("http://router")))
	box := create(t, client, sdk.Spec{Template: "t"})
	if err := box.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
