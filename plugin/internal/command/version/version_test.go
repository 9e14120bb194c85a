// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package version

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"

	"github.com/agent-sandbox/kubectl-sandbox/apis/buildinfo"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
)

func TestClientAloneNeedsNoCluster(t *testing.T) {
	var out bytes.Buffer
	cmd := NewCommand(&fake.Factory{}, genericiooptions.IOStreams{Out: &out, ErrOut: &out})
	cmd.SetArgs([]string{"--client", "-o", "json"})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got Versions
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Client != buildinfo.Get() || got.Operator != nil {
		t.Errorf("got %s, %v", out.String(), err)
	}
}

func TestWithoutAClusterTheClientIsShownAllTheSame(t *testing.T) {
	var out bytes.Buffer
	cmd := NewCommand(&fake.Factory{}, genericiooptions.IOStreams{Out: &out, ErrOut: &out})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{})
	if err := cmd.ExecuteContext(t.Context()); err == nil {
		t.Error("no error")
	}
	if !strings.HasPrefix(out.String(), "Client:") {
		t.Errorf("got %q", out.String())
	}
}

func TestSkew(t *testing.T) {
	tests := map[string]struct {
		client   string
		operator *Operator
		warned   bool
	}{
		"the same version is no skew":               {"v1.2.3", &Operator{Version: "v1.2.3"}, false},
		"another version is":                        {"v1.3.0", &Operator{Version: "v1.2.3"}, true},
		"build metadata is as labels can spell it":  {"v1.2.3+7", &Operator{Version: "v1.2.3-7"}, false},
		"an operator that is not there has no skew": {"v1.2.3", &Operator{State: notInstalled}, false},
		"an operator nobody asked about has none":   {"v1.2.3", nil, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			v := Versions{Client: buildinfo.Info{Version: test.client}, Operator: test.operator}
			if got := v.skew("kubectl sandbox"); (got != "") != test.warned {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestRoutersAreShownWhereTheyAre(t *testing.T) {
	router := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team-a", Name: "sandbox-router-deployment", Labels: map[string]string{
			"app": "sandbox-router", "app.kubernetes.io/part-of": "agent-sandbox", "app.kubernetes.io/version": "v1.2.3",
		},
	}}
	router.Spec.Template.Spec.Containers = []corev1.Container{{Name: "sandbox-router", Image: "localhost/router:v1"}}
	client := kubernetesfake.NewClientset(router)
	f := &fake.Factory{KubernetesClient: client, DiscoveryClient: client.Discovery()}
	streams, _, out, _ := genericiooptions.NewTestIOStreams()
	if err := (&Options{}).Run(t.Context(), f, streams); err != nil {
		t.Fatal(err)
	}
	want := "Router:     v1.2.3 (image localhost/router:v1, namespace team-a)\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("no %q in %s", want, out)
	}
}
