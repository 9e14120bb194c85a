// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

// annotationLimit is the server's limit for all annotations of an object, in which kubectl apply keeps a copy of it.
const annotationLimit = 256 * 1024

// roomToGrow is the part of the limit that must stay free, so that a few more fields do not break kubectl apply.
const roomToGrow = 64 * 1024

func TestCRDsFitIntoTheAnnotationOfKubectlApply(t *testing.T) {
	for _, k := range kinds {
		text, err := json.Marshal(findCRD(t, k.crd))
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > annotationLimit-roomToGrow {
			t.Errorf("%s has %d bytes, over %d", k.crd, len(text), annotationLimit-roomToGrow)
		}
	}
}

func TestCRDsApply(t *testing.T) {
	dir := t.TempDir()
	names, err := fs.Glob(crds.Files, "*/*.yaml")
	if err != nil || len(names) != len(kinds) {
		t.Fatalf("embedded files: %v, %v", names, err)
	}
	for _, name := range names {
		text, err := crds.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, how := range [][]string{
		{"apply", "-f", dir},
		{"apply", "--server-side", "--force-conflicts", "-f", dir},
		{"apply", "--server-side", "--field-manager", "somebody-else", "-f", dir},
	} {
		if stdout, stderr, err := server.Kubectl(t, "", how...); err != nil {
			t.Errorf("kubectl %v: %v\n%s%s", how, err, stdout, stderr)
		}
	}
	for _, k := range kinds {
		checkEstablished(t, k)
	}
}

// checkEstablished fails the test unless the server accepted the CRD's names and stores only v1beta1.
func checkEstablished(t *testing.T, k kind) {
	t.Helper()
	client := apiextensions.NewForConfigOrDie(server.Config()).ApiextensionsV1().CustomResourceDefinitions()
	live, err := client.Get(t.Context(), k.crd, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []apiextensionsv1.CustomResourceDefinitionConditionType{
		apiextensionsv1.NamesAccepted, apiextensionsv1.Established,
	} {
		is := apiextensionsv1.ConditionFalse
		for _, c := range live.Status.Conditions {
			if c.Type == kind {
				is = c.Status
			}
		}
		if is != apiextensionsv1.ConditionTrue {
			t.Errorf("%s is not %s: %v", k.crd, kind, live.Status.Conditions)
		}
	}
	for _, c := range live.Status.Conditions {
		if c.Type == apiextensionsv1.NonStructuralSchema && c.Status == apiextensionsv1.ConditionTrue {
			t.Errorf("%s: %s", k.crd, c.Message)
		}
	}
	if stored := live.Status.StoredVersions; len(stored) != 1 || stored[0] != "v1beta1" {
		t.Errorf("%s stores %v", k.crd, stored)
	}
}
