// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exit"
)

// installed is the Deployment of an operator.
func installed(t *testing.T, options install.Options, labels map[string]string) *appsv1.Deployment {
	t.Helper()
	objects, err := install.Render(options)
	if err != nil {
		t.Fatal(err)
	}
	d := &appsv1.Deployment{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(objects[len(objects)-1].Object, d); err != nil {
		t.Fatal(err)
	}
	maps.Copy(d.Labels, labels)
	return d
}

func TestWhatAnUpgradeRefuses(t *testing.T) {
	mirrored := install.Options{Image: "mirror.example/operator:v1"}
	tests := map[string]struct {
		options install.Options
		labels  map[string]string
		flags   Options
		want    string // empty: it goes ahead
		code    int
	}{
		"what the plugin installed is upgraded":   {},
		"another image is named by the user":      {options: mirrored, want: "name the new one", code: exit.WrongUsage},
		"an image that the user names is taken":   {options: mirrored, flags: Options{Image: "mirror.example/operator:v2"}},
		"what Helm installed is left to Helm":     {labels: map[string]string{install.LabelManagedBy: "Helm"}, want: "upgrade it with Helm", code: exit.Failed},
		"a newer operator is kept":                {labels: map[string]string{install.LabelVersion: "v99.0.0"}, want: "newer than this program's", code: exit.Failed},
		"a newer operator goes if the user likes": {labels: map[string]string{install.LabelVersion: "v99.0.0"}, flags: Options{AllowDowngrade: true}},
		"a commit is no version":                  {labels: map[string]string{install.LabelVersion: "45bf033-dirty"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := test.flags.manifests(installed(t, test.options, test.labels), "kubectl sandbox")
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || exit.Code(err) != test.code):
				t.Errorf("got %v with code %d, want %q in it and %d", err, exit.Code(err), test.want, test.code)
			}
		})
	}
}

func TestAnUpgradeKeepsChoicesAndChangesTheImage(t *testing.T) {
	was := install.Options{
		Namespace: "elsewhere", Image: install.ImageRepository + ":v0.0.0-alpha", Replicas: 3, CoreOnly: true,
		WatchNamespaces: []string{"a"}, Args: []string{"--kube-api-qps=5"},
	}
	got, err := (&Options{}).manifests(installed(t, was, nil), "kubectl sandbox")
	if err != nil {
		t.Fatal(err)
	}
	if got.Image != install.DefaultImage() {
		t.Errorf("image %s", got.Image)
	}
	if got.Namespace != was.Namespace || got.Replicas != was.Replicas || !got.CoreOnly || !slices.Equal(got.WatchNamespaces, was.WatchNamespaces) ||
		!slices.Equal(got.Args, was.Args) {
		t.Errorf("from %+v to %+v", was, got)
	}
}

func TestNewer(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"v1.2.3", "v1.2.2", true},
		{"v1.2.3", "v1.2.3", false},
		{"v1.2.3", "v1.2.3-rc.1", true},
		{"v1.2.2", "v1.2.3", false},
		{"45bf033", "v1.2.3", false},
		{"v1.2.3", "45bf033", false},
		{"", "v1.2.3", false},
	} {
		if got := Newer(test.a, test.b); got != test.want {
			t.Errorf("Newer(%q, %q) = %v", test.a, test.b, got)
		}
	}
}
