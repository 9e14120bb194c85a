// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

// Objects may be older than the rules for names. Users must still be able to change an object whose name is refused
// today, and the operator must be able to remove its finalizer.
func TestAnObjectWithANameThatIsRefusedTodayCanStillBeChanged(t *testing.T) {
	tests := map[string]struct {
		kind         kind
		old, changed string
	}{
		"a Sandbox with a Service and a dot in its name": {
			sandbox, `{metadata: {name: my.box}, spec: {service: true}}`, `{metadata: {labels: {a: b}}, spec: {replicas: 0}}`,
		},
		"a Sandbox with a volume and a name too long for it": {
			sandbox,
			fmt.Sprintf(`{metadata: {name: %s}, spec: {volumeClaimTemplates: [{metadata: {name: data}, spec: {}}]}}`,
				longName(250)),
			`spec: {replicas: 0}`,
		},
		"a template with a name too long for its NetworkPolicy": {
			template, fmt.Sprintf(`metadata: {name: %s}`, longName(240)), `spec: {networkPolicyManagement: Unmanaged}`,
		},
		"a pool with a name too long for its members": {
			pool, fmt.Sprintf(`metadata: {name: %s}`, longName(60)), `spec: {replicas: 0}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A separate group, so that the other tests keep their rules.
			group := fmt.Sprintf("g%d.example.com", time.Now().UnixNano())
			k := test.kind
			k.group = group
			crd := createWithoutNameRules(t, k)
			namespace := server.Namespace(t)
			object := k.object(t, test.old)
			made, err := k.client(t, namespace).Create(t.Context(), object, strict())
			if err != nil {
				t.Fatalf("create before the rule exists: %v", err)
			}
			addNameRules(t, k, crd, namespace, test.old)
			if err := change(t, k, made, test.changed); err != nil {
				t.Errorf("change it now: %v", err)
			}
			if err := change(t, k, made, `metadata: {finalizers: [example.com/hold]}`); err != nil {
				t.Errorf("add a finalizer: %v", err)
			}
		})
	}
}

// reducedCRD returns the kind's CRD in another group, with one version and without the large schema of a Pod's spec,
// which these rules do not use.
func reducedCRD(t *testing.T, k kind) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := findCRD(t, k.crd).DeepCopy()
	crd.Name, crd.Spec.Group, crd.Spec.Versions = k.resource+"."+k.group, k.group, crd.Spec.Versions[:1]
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	if pod, ok := spec.Properties["podTemplate"]; ok {
		pod.Properties["spec"] = apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}
	}
	return crd
}

// createWithoutNameRules creates a kind's CRD without the rules on its root, which are the rules for names.
func createWithoutNameRules(t *testing.T, k kind) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := reducedCRD(t, k)
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.XValidations = nil
	client := apiextensions.NewForConfigOrDie(server.Config()).ApiextensionsV1().CustomResourceDefinitions()
	made, err := client.Create(t.Context(), crd, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Delete(context.Background(), crd.Name, metav1.DeleteOptions{}) })
	poll(t, "the kind being served", func(ctx context.Context) bool {
		_, err := k.client(t, "default").List(ctx, metav1.ListOptions{})
		return err == nil
	})
	return made
}

// addNameRules adds the rules and waits until the server enforces them.
func addNameRules(t *testing.T, k kind, crd *apiextensionsv1.CustomResourceDefinition, namespace, refused string) {
	t.Helper()
	client := apiextensions.NewForConfigOrDie(server.Config()).ApiextensionsV1().CustomResourceDefinitions()
	poll(t, "the CRD being updated", func(ctx context.Context) bool {
		live, err := client.Get(ctx, crd.Name, metav1.GetOptions{})
		if err != nil {
			return false
		}
		live.Spec.Versions = reducedCRD(t, k).Spec.Versions
		_, err = client.Update(ctx, live, metav1.UpdateOptions{})
		return err == nil
	})
	poll(t, "the rule being in force", func(ctx context.Context) bool {
		options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
		object := k.object(t, refused)
		object.SetName(object.GetName() + "x")
		_, err := k.client(t, namespace).Create(ctx, object, options)
		return apierrors.IsInvalid(err)
	})
}

// findCRD returns a CRD of the repository.
func findCRD(t *testing.T, name string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range all {
		if crd.Name == name {
			return crd
		}
	}
	t.Fatalf("there is no CRD %s", name)
	return nil
}

func poll(t *testing.T, what string, done func(context.Context) bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true,
		func(ctx context.Context) (bool, error) {
			return done(ctx), nil
		})
	if err != nil {
		t.Fatalf("waiting for %s: %v", what, err)
	}
}
