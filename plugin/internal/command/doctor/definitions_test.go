// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"

	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

func TestWhichVersionsAreServedIsTheAdministratorsChoice(t *testing.T) {
	stored := []string{"v1beta1"}
	everywhere := func(versions ...string) func(*apiextensionsv1.CustomResourceDefinition) {
		return func(crd *apiextensionsv1.CustomResourceDefinition) { crds.Serve(crd, versions) }
	}
	const excluded = "; v1alpha1 is not served: requests for it get 404 (NotFound)"
	tests := map[string]struct {
		edit   func(*apiextensionsv1.CustomResourceDefinition)
		status Status
		ends   string
	}{
		"both":               {everywhere("v1beta1", "v1alpha1"), OK, "in this program's version"},
		"v1alpha1 is not":    {everywhere(stored...), OK, excluded},
		"the stored one not": {everywhere("v1alpha1"), Failed, "this program's is v0.0.0-dev"},
		"one definition excludes v1alpha1": {func(crd *apiextensionsv1.CustomResourceDefinition) {
			if crd.Name == "sandboxes.agents.x-k8s.io" {
				crds.Serve(crd, stored)
			}
		}, OK, excluded},
		"v1alpha1 is not served and lacks a field": {func(crd *apiextensionsv1.CustomResourceDefinition) {
			crds.Serve(crd, stored)
			delete(crd.Spec.Versions[1].Schema.OpenAPIV3Schema.Properties, "spec")
		}, Failed, "this program's is v0.0.0-dev"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			all, err := crds.All()
			if err != nil {
				t.Fatal(err)
			}
			client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())
			for _, crd := range all {
				tt.edit(crd)
				crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
					{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue},
				}
				resource := apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")
				content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
				if err != nil {
					t.Fatal(err)
				}
				if err := client.Tracker().Create(resource, &unstructured.Unstructured{Object: content}, ""); err != nil {
					t.Fatal(err)
				}
			}
			for _, got := range definitions(t.Context(), &cluster{dynamic: client, program: "kubectl sandbox"}) {
				if got.Status != tt.status || !strings.HasSuffix(got.Message, tt.ends) {
					t.Errorf("got %+v", got)
				}
			}
		})
	}
}
