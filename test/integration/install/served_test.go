// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"slices"
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

// checkServedVersions tests that a choice of versions is applied, warned of and kept, also where objects may be stored
// as the version that is not served.
func checkServedVersions(t *testing.T) {
	t.Helper()
	admin := server.Kubeconfig()
	definitions := apiextensions.NewForConfigOrDie(server.Config()).ApiextensionsV1().CustomResourceDefinitions()
	templates := schema.GroupVersionResource{
		Group: apis.GroupExtensions, Version: "v1alpha1", Resource: "sandboxtemplates",
	}
	template := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "extensions.agents.x-k8s.io/v1alpha1", "kind": "SandboxTemplate",
		"metadata": map[string]any{"name": "python"},
		"spec": map[string]any{"podTemplate": map[string]any{"spec": map[string]any{
			"containers": []any{map[string]any{"name": "main", "image": "localhost/x:v1"}},
		}}},
	}}
	client := dynamic.NewForConfigOrDie(server.Config())
	if _, err := client.Resource(templates).Namespace("default").Create(t.Context(), template,
		metav1.CreateOptions{FieldManager: "old-tool"}); err != nil {
		t.Fatal(err)
	}
	stored, err := definitions.Get(t.Context(), apis.CRDSandboxTemplates, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	stored.Status.StoredVersions = []string{"v1alpha1", "v1beta1"}
	if _, err := definitions.UpdateStatus(t.Context(), stored, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}

	steps := []struct {
		name       string
		command    []string
		configured int // definitions that the command changes
		serves     []string
		says       string
	}{
		{
			"a dry run", []string{"install", "--dry-run=server", "--served-versions=v1beta1"}, 0, crds.Versions(),
			"old-tool wrote",
		},
		{"v1alpha1 is excluded", []string{"install", "--served-versions=v1beta1"}, 4, []string{"v1beta1"}, "old-tool wrote"},
		{"install keeps that", []string{"install"}, 0, []string{"v1beta1"}, ""},
		{"upgrade keeps that", []string{"upgrade"}, 0, []string{"v1beta1"}, ""},
		{"v1alpha1 is served again", []string{"upgrade", "--served-versions=v1beta1,v1alpha1"}, 4, crds.Versions(), ""},
	}
	for _, step := range steps {
		out, errOut, err := runAs(t, admin, step.command[0], append(step.command[1:], "--wait=false")...)
		if err != nil || strings.Count(out, " configured\n") != step.configured {
			t.Fatalf("%s: %v\n%s", step.name, err, out)
		}
		warns := strings.Contains(errOut, "Warning: ")
		if warns != (step.says != "") || !strings.Contains(errOut, step.says) {
			t.Errorf("%s: it says %q", step.name, errOut)
		}
		for _, name := range []string{apis.CRDSandboxes, apis.CRDSandboxTemplates} {
			live, err := definitions.Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := crds.Served(live); !slices.Equal(got, step.serves) {
				t.Errorf("%s: %s serves %v", step.name, name, got)
			}
		}
	}
	templates.Version = "v1beta1" // the other one may not be served yet
	if err := client.Resource(templates).Namespace("default").Delete(t.Context(), "python",
		metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}
