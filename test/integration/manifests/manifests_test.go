// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manifests applies the static manifests to a real API server, as users without the plugin do.
package manifests

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

const (
	directory   = "../../../operator/deploy/"
	definitions = "../../../apis/crds/"
)

var server *apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s }, apiserver.WithoutCRDs()))
}

func byName(all []*unstructured.Unstructured) map[string]any {
	objects := map[string]any{}
	for _, o := range all {
		text, err := yaml.Marshal(o.Object) // as text, so that the type of a number does not matter
		if err != nil {
			panic(err)
		}
		objects[o.GetKind()+"/"+o.GetNamespace()+"/"+o.GetName()] = string(text)
	}
	return objects
}

func parse(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(text), len(text))
	for {
		var content runtime.RawExtension
		switch err := decoder.Decode(&content); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		case len(content.Raw) == 0 || string(content.Raw) == "null":
			continue // a comment
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(content.Raw); err != nil {
			t.Fatal(err)
		}
		all = append(all, object)
	}
}

// read returns what `kubectl apply -f` reads: files, and the YAML files of directories.
func read(t *testing.T, paths ...string) string {
	t.Helper()
	text := ""
	for _, path := range paths {
		files, err := filepath.Glob(filepath.Join(path, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			files = []string{path}
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text += "---\n" + string(content)
		}
	}
	return text
}

// overlay returns a user's kustomize directory with these bases and components.
func overlay(t *testing.T, bases, components []string) string {
	t.Helper()
	mine := t.TempDir()
	deploy, err := filepath.Abs(directory)
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(mine, deploy)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for kind, names := range map[string][]string{"resources": bases, "components": components} {
		text += kind + ":\n"
		for _, name := range names {
			text += "- " + relative + "/" + name + "\n"
		}
	}
	if err := os.WriteFile(filepath.Join(mine, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return mine
}

func TestManifestsAndKustomizeAreWhatThePluginInstalls(t *testing.T) {
	kustomized := func(base string) string {
		out, stderr, err := server.Kubectl(t, "", "kustomize", base)
		if err != nil {
			t.Fatal(stderr)
		}
		return out
	}
	for name, test := range map[string]struct {
		text    string
		options install.Options
	}{
		"static, Sandboxes alone": {
			read(t, definitions+"agents", directory+"core/core.yaml"), install.Options{CoreOnly: true},
		},
		"static, all kinds": {
			read(t, definitions+"agents", directory+"core/core.yaml", definitions+"extensions",
				directory+"extensions/extensions.yaml", directory+"extensions/deployment.yaml"),
			install.Options{},
		},
		"kustomize, Sandboxes alone": {kustomized(directory + "core"), install.Options{CoreOnly: true}},
		"kustomize, all kinds":       {kustomized(directory + "extensions"), install.Options{}},
		"kustomize, secure metrics": {
			kustomized(overlay(t, []string{"extensions"}, []string{"secure-metrics"})),
			install.Options{Args: []string{"--metrics-secure=true"}},
		},
		"kustomize, a router": {
			kustomized(overlay(t, []string{"extensions", "router"}, nil)),
			install.Options{Routers: []install.Router{{}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := install.Render(test.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(byName(want), byName(parse(t, test.text))); diff != "" {
				t.Errorf("run make generate: %s", diff)
			}
		})
	}
}

func TestTheAPIServerTakesThemAndAdmitsTheOperatorUnderRestrictedPodSecurity(t *testing.T) {
	for _, args := range [][]string{
		{"-f", definitions + "agents", "-f", directory + "core/core.yaml"},
		{
			"-f", definitions + "extensions",
			"-f", directory + "extensions/extensions.yaml", "-f", directory + "extensions/deployment.yaml",
		},
		{"-k", directory + "extensions"},
	} {
		out, stderr, err := server.Kubectl(t, "", append([]string{"apply", "--server-side"}, args...)...)
		if err != nil || strings.Contains(stderr, "Warning") {
			t.Fatalf("%v: %v: %s%s", args, err, out, stderr)
		}
	}
	client := kubernetes.NewForConfigOrDie(server.Config())
	objects, err := install.Render(install.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var d appsv1.Deployment
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(objects[len(objects)-1].Object, &d); err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "operator-", Labels: d.Spec.Template.Labels}, Spec: d.Spec.Template.Spec,
	}
	dryRun := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	if _, err := client.CoreV1().Pods(apis.OperatorNamespace).Create(t.Context(), pod, dryRun); err != nil {
		t.Errorf("the operator: %v", err)
	}
	pod.Spec.SecurityContext.RunAsNonRoot = nil
	if _, err := client.CoreV1().Pods(apis.OperatorNamespace).Create(t.Context(), pod,
		dryRun); !apierrors.IsForbidden(err) ||
		!strings.Contains(err.Error(), "PodSecurity") {
		t.Errorf("a Pod that may run as root is admitted there: %v", err)
	}
}
