// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// statusKinds are the kinds with a status. A template has none.
var statusKinds = map[*kind]struct{ spec, status, field, want string }{
	&sandbox: {`spec: {operatingMode: Suspended}`, `status: {nodeName: node-1}`, "status.nodeName", `"node-1"`},
	&claim:   {`spec: {warmpool: none}`, `status: {sandbox: {name: box-1}}`, "status.sandbox.name", `"box-1"`},
	&pool:    {`spec: {replicas: 5}`, `status: {readyReplicas: 5}`, "status.readyReplicas", `5`},
}

func TestAStatusWriteLeavesTheSpecAlone(t *testing.T) {
	for k, test := range statusKinds {
		client := k.client(t, server.Namespace(t))
		made, err := client.Create(t.Context(), k.object(t), strict())
		if err != nil {
			t.Fatal(err)
		}
		wanted := &unstructured.Unstructured{
			Object: mergePatch(mergePatch(made.Object, parseYAML(t, test.spec)), parseYAML(t, test.status)),
		}
		got, err := client.UpdateStatus(t.Context(), wanted, metav1.UpdateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if is, was := fieldJSON(t, got, "spec"), fieldJSON(t, made, "spec"); is != was {
			t.Errorf("%s: a write of the status changed the spec from %s to %s", k.name, was, is)
		}
		if is := fieldJSON(t, got, test.field); is != test.want {
			t.Errorf("%s: %s is %s", k.name, test.field, is)
		}
		if got.GetGeneration() != made.GetGeneration() {
			t.Errorf("%s: a write of the status changed the generation", k.name)
		}
	}
}

func TestASpecWriteLeavesTheStatusAlone(t *testing.T) {
	for k, test := range statusKinds {
		client := k.client(t, server.Namespace(t))
		made, err := client.Create(t.Context(), k.object(t, test.status), strict())
		if err != nil {
			t.Fatal(err)
		}
		if is := fieldJSON(t, made, "status"); is != "null" {
			t.Errorf("%s: created with the status %s, which only the operator writes", k.name, is)
		}
		wanted := &unstructured.Unstructured{
			Object: mergePatch(mergePatch(made.Object, parseYAML(t, test.spec)), parseYAML(t, test.status)),
		}
		got, err := client.Update(t.Context(), wanted, metav1.UpdateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if is := fieldJSON(t, got, "status"); is != "null" {
			t.Errorf("%s: a write of the spec set the status to %s", k.name, is)
		}
		if got.GetGeneration() != made.GetGeneration()+1 {
			t.Errorf("%s: a change of the spec changed the generation from %d to %d",
				k.name, made.GetGeneration(), got.GetGeneration())
		}
	}
}

func TestScaleReadsAndWritesReplicas(t *testing.T) {
	for k, selector := range map[*kind]string{
		&sandbox: "agents.x-k8s.io/sandbox-name-hash=811c9dc5", &pool: "agents.x-k8s.io/warm-pool-sandbox=811c9dc5",
	} {
		client := k.client(t, server.Namespace(t))
		made, err := client.Create(t.Context(), k.object(t), strict())
		if err != nil {
			t.Fatal(err)
		}
		if err := change(t, *k, made, "status: {replicas: 1, selector: '"+selector+"'}", "status"); err != nil {
			t.Fatal(err)
		}
		scale, err := client.Get(t.Context(), "box", metav1.GetOptions{}, "scale")
		if err != nil {
			t.Fatal(err)
		}
		for field, want := range map[string]string{
			"spec.replicas": `1`, "status.replicas": `1`, "status.selector": `"` + selector + `"`,
		} {
			if got := fieldJSON(t, scale, field); got != want {
				t.Errorf("%s: %s of the scale is %s, want %s", k.name, field, got, want)
			}
		}
		if err := change(t, *k, made, `spec: {replicas: 0}`, "scale"); err != nil {
			t.Errorf("%s: scale to zero: %v", k.name, err)
		}
		live, err := client.Get(t.Context(), "box", metav1.GetOptions{})
		if err != nil || fieldJSON(t, live, "spec.replicas") != "0" {
			t.Errorf("%s: replicas after scaling to zero: %s, %v", k.name, fieldJSON(t, live, "spec.replicas"), err)
		}
	}
}

func TestASandboxCannotBeScaledBeyondOne(t *testing.T) {
	made, err := sandbox.client(t, server.Namespace(t)).Create(t.Context(), sandbox.object(t), strict())
	if err != nil {
		t.Fatal(err)
	}
	err = change(t, sandbox, made, `spec: {replicas: 2}`, "scale")
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.replicas") ||
		!strings.Contains(err.Error(), "less than or equal to 1") {
		t.Errorf("got %v", err)
	}
}

func TestATemplateHasNoStatusAndNothingToScale(t *testing.T) {
	for _, k := range []kind{template, claim} {
		made, err := k.client(t, server.Namespace(t)).Create(t.Context(), k.object(t), strict())
		if err != nil {
			t.Fatal(err)
		}
		if err := change(t, k, made, `spec: {replicas: 0}`, "scale"); !apierrors.IsNotFound(err) {
			t.Errorf("%s: scaling gives %v", k.name, err)
		}
	}
}

func TestUnknownFieldsAreRefused(t *testing.T) {
	tests := map[string]struct {
		kind  kind
		patch string
		word  string
	}{
		"at the top":  {sandbox, `sepc: {}`, `unknown field "sepc"`},
		"in the spec": {sandbox, `spec: {replica: 1}`, `unknown field "spec.replica"`},
		"in the Pod's metadata": {
			sandbox, `spec: {podTemplate: {metadata: {name: x}}}`, `unknown field "spec.podTemplate.metadata.name"`,
		},
		"in the Pod's spec": {
			sandbox, `spec: {podTemplate: {spec: {container: []}}}`, `unknown field "spec.podTemplate.spec.container"`,
		},
		"in a volume's metadata": {
			sandbox, `spec: {volumeClaimTemplates: [{metadata: {name: a, namespace: b}, spec: {}}]}`,
			`unknown field "spec.volumeClaimTemplates[0].metadata.namespace"`,
		},
		"a claim's lifecycle in a Sandbox": {sandbox, `spec: {lifecycle: {}}`, `unknown field "spec.lifecycle"`},
		"a claim's pool, misspelled":       {claim, `spec: {warmPool: none}`, `unknown field "spec.warmPool"`},
		"a Sandbox's field in a claim": {
			claim, `spec: {shutdownTime: "2026-04-13T12:00:00Z"}`, `unknown field "spec.shutdownTime"`,
		},
		"a NetworkPolicy's selector": {
			template, `spec: {networkPolicy: {podSelector: {}}}`, `unknown field "spec.networkPolicy.podSelector"`,
		},
		"a claim's name for a template": {pool, `spec: {templateRef: {name: a}}`, `unknown field "spec.templateRef"`},
		"a namespace in a reference": {
			pool, `spec: {sandboxTemplateRef: {namespace: a}}`, `unknown field "spec.sandboxTemplateRef.namespace"`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := test.kind.client(t, server.Namespace(t)).Create(t.Context(), test.kind.object(t, test.patch), strict())
			if err == nil || !strings.Contains(err.Error(), test.word) {
				t.Errorf("got %v, want %q", err, test.word)
			}
		})
	}
}

func TestBothVersionsServeTheSameObject(t *testing.T) {
	for _, k := range kinds {
		namespace := server.Namespace(t)
		alpha, beta := k.clientOf(t, apis.VersionV1alpha1, namespace), k.client(t, namespace)
		object := k.object(t)
		object.SetAPIVersion(k.group + "/" + apis.VersionV1alpha1)
		made, err := alpha.Create(t.Context(), object, strict())
		if err != nil {
			t.Fatalf("create %s as v1alpha1: %v", k.name, err)
		}
		got, err := beta.Get(t.Context(), "box", metav1.GetOptions{})
		if err != nil {
			t.Fatalf("get %s as v1beta1: %v", k.name, err)
		}
		if got.GetUID() != made.GetUID() || fieldJSON(t, got, "spec") != fieldJSON(t, made, "spec") {
			t.Errorf("%s: created %v\nread %v", k.name, made, got)
		}
		if err := change(t, k, got, `metadata: {labels: {a: b}}`); err != nil {
			t.Fatal(err)
		}
		if again, err := alpha.Get(t.Context(), "box", metav1.GetOptions{}); err != nil || again.GetLabels()["a"] != "b" {
			t.Errorf("%s: a change as v1beta1 read as v1alpha1: %v, %v", k.name, again, err)
		}
	}
}
