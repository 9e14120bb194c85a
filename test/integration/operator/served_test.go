// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	agentsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/agents/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
	extensionsv1beta1 "github.com/agent-sandbox/kubectl-sandbox/apis/extensions/v1beta1"
	"github.com/agent-sandbox/kubectl-sandbox/test/builders"
)

// serve changes which versions the API server serves, and waits until it does.
func (w *world) serve(versions ...string) {
	w.Helper()
	definitions := apiextensions.NewForConfigOrDie(server.Config()).ApiextensionsV1().CustomResourceDefinitions()
	for _, name := range []string{
		apis.CRDSandboxes, apis.CRDSandboxClaims, apis.CRDSandboxTemplates, apis.CRDSandboxWarmPools,
	} {
		var crd *apiextensionsv1.CustomResourceDefinition
		err := retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
			if crd, err = definitions.Get(w.Context(), name, metav1.GetOptions{}); err != nil {
				return err
			}
			crds.Serve(crd, versions)
			_, err = definitions.Update(w.Context(), crd, metav1.UpdateOptions{})
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		for _, version := range crd.Spec.Versions {
			resource := schema.GroupVersionResource{
				Group: crd.Spec.Group, Version: version.Name, Resource: crd.Spec.Names.Plural,
			}
			w.eventually(fmt.Sprintf("%s is served: %v", resource, version.Served), func() error {
				_, err := w.inVersion(resource).List(w.Context(), metav1.ListOptions{Limit: 1})
				if version.Served {
					return err
				}
				if !apierrors.IsNotFound(err) {
					return errors.Join(err, errors.New("it is not refused with 404"))
				}
				return nil
			})
		}
	}
}

// inVersion returns a client of a resource in the test's namespace.
func (w *world) inVersion(resource schema.GroupVersionResource) dynamic.ResourceInterface {
	return dynamic.NewForConfigOrDie(server.Config()).Resource(resource).Namespace(w.namespace)
}

func TestClaimsWorkWithoutV1alpha1AndItsClientsGet404(t *testing.T) {
	w := start(t, server, extensions)
	w.create(builders.Template("python"))
	w.create(builders.Pool("warm", "python", builders.WithReplicas(1)))
	w.waitForPool("warm", 1)
	claims := schema.GroupVersionResource{Group: apis.GroupExtensions, Version: "v1alpha1", Resource: "sandboxclaims"}
	older := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "extensions.agents.x-k8s.io/v1alpha1", "kind": "SandboxClaim",
		"metadata": map[string]any{"name": "older"},
		"spec":     map[string]any{"sandboxTemplateRef": map[string]any{"name": "python"}, "warmpool": "warm"},
	}}
	_, err := w.inVersion(claims).Create(t.Context(), older, metav1.CreateOptions{FieldManager: "old-tool"})
	if err != nil {
		t.Fatal(err)
	}
	w.waitForClaim("older", apis.ReasonDependenciesReady)

	w.serve("v1beta1")
	defer w.serve("v1beta1", "v1alpha1") // the other tests of the package share the server
	w.waitForPool("warm", 1)
	w.create(builders.Claim("newer", "python"))
	var adopted agentsv1beta1.Sandbox
	name := w.waitForClaim("newer", apis.ReasonDependenciesReady).Status.SandboxStatus.Name
	if err := w.get(name, &adopted); err != nil || adopted.Labels["agents.x-k8s.io/launch-type"] != "warm" {
		t.Errorf("the claim got no warm Sandbox: %v, %v", adopted.Labels, err)
	}
	older.SetName("late")
	if _, err := w.inVersion(claims).Create(t.Context(), older, metav1.CreateOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("creating a claim as v1alpha1: %v", err)
	}
	var claim extensionsv1beta1.SandboxClaim
	if err := w.get("older", &claim); err != nil {
		t.Fatal(err)
	}
	was := claim.DeepCopy()
	claim.Annotations["changed"] = "yes"
	if err := w.client.Patch(t.Context(), &claim, client.MergeFrom(was)); err != nil {
		t.Errorf("changing a claim that was written as v1alpha1: %v", err)
	}
	kept := false
	for _, entry := range claim.ManagedFields {
		kept = kept || entry.Manager == "old-tool" && entry.APIVersion == "extensions.agents.x-k8s.io/v1alpha1"
	}
	if !kept {
		t.Errorf("the fields of the older client have no manager any more: %v", claim.ManagedFields)
	}
	w.checkOwnership()
}
