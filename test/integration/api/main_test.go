// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package api_test tests with a real API server what the four kinds accept, refuse, default and show.
package api_test

import (
	"maps"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/integration/apiserver"
)

var server *apiserver.Server

func TestMain(m *testing.M) {
	os.Exit(apiserver.Run(m, func(s *apiserver.Server) { server = s }))
}

// kind is one of the project's kinds, with the smallest valid spec.
type kind struct {
	name, resource, group, crd, spec string
}

var (
	sandbox = kind{
		apis.KindSandbox, apis.ResourceSandboxes, apis.GroupAgents, apis.CRDSandboxes,
		`spec: {podTemplate: {spec: {containers: [{name: main, image: python}]}}}`,
	}
	claim = kind{
		apis.KindSandboxClaim, apis.ResourceClaims, apis.GroupExtensions, apis.CRDSandboxClaims,
		`spec: {sandboxTemplateRef: {name: python}}`,
	}
	template = kind{
		apis.KindSandboxTemplate, apis.ResourceTemplates, apis.GroupExtensions, apis.CRDSandboxTemplates,
		`spec: {podTemplate: {spec: {containers: [{name: main, image: python}]}}}`,
	}
	pool = kind{
		apis.KindSandboxWarmPool, apis.ResourceWarmPools, apis.GroupExtensions, apis.CRDSandboxWarmPools,
		`spec: {sandboxTemplateRef: {name: python}}`,
	}
	kinds = []kind{sandbox, claim, template, pool}
)

// object returns the smallest valid object of the kind with the patches applied. Patches are YAML; null removes a
// field. The object is named box unless a patch sets the name.
func (k kind) object(t *testing.T, patches ...string) *unstructured.Unstructured {
	t.Helper()
	content := map[string]any{
		"apiVersion": schema.GroupVersion{Group: k.group, Version: apis.VersionV1beta1}.String(), "kind": k.name,
		"metadata": map[string]any{"name": "box"},
	}
	for _, patch := range append([]string{k.spec}, patches...) {
		content = mergePatch(content, parseYAML(t, patch))
	}
	return &unstructured.Unstructured{Object: content}
}

// client returns a client for the kind in a namespace, in the stored version.
func (k kind) client(t *testing.T, namespace string) dynamic.ResourceInterface {
	return k.clientOf(t, apis.VersionV1beta1, namespace)
}

func (k kind) clientOf(t *testing.T, version, namespace string) dynamic.ResourceInterface {
	t.Helper()
	all, err := dynamic.NewForConfig(server.Config())
	if err != nil {
		t.Fatal(err)
	}
	return all.Resource(schema.GroupVersionResource{
		Group: k.group, Version: version, Resource: k.resource,
	}).Namespace(namespace)
}

func parseYAML(t *testing.T, text string) map[string]any {
	t.Helper()
	raw, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	content := map[string]any{}
	if err := json.Unmarshal(raw, &content); err != nil { // whole numbers become int64, as on the server
		t.Fatalf("parse %s: %v", text, err)
	}
	return content
}

// mergePatch applies a JSON merge patch, as the API server does.
func mergePatch(onto, patch map[string]any) map[string]any {
	result := map[string]any{}
	maps.Copy(result, onto)
	for key, value := range patch {
		inner, isMap := value.(map[string]any)
		below, _ := result[key].(map[string]any)
		switch {
		case value == nil:
			delete(result, key)
		case isMap:
			result[key] = mergePatch(below, inner)
		default:
			result[key] = value
		}
	}
	return result
}
