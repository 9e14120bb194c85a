// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

func render(t *testing.T, options Options) []*unstructured.Unstructured {
	t.Helper()
	all, err := Render(options)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func names(all []*unstructured.Unstructured) []string {
	var list []string
	for _, object := range all {
		list = append(list, object.GetKind()+"/"+object.GetNamespace()+"/"+object.GetName())
	}
	return list
}

func find[T any](t *testing.T, all []*unstructured.Unstructured, kind string) *T {
	t.Helper()
	for _, object := range all {
		if object.GetKind() != kind {
			continue
		}
		typed := new(T)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(
			object.Object, typed, true,
		); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		return typed
	}
	t.Fatalf("no %s among %v", kind, names(all))
	return nil
}

func operatorObjects(namespace string, further ...string) []string {
	all := append([]string{
		"Namespace//" + namespace,
		"ServiceAccount/" + namespace + "/agent-sandbox-controller",
		"ClusterRole//agent-sandbox-controller",
		"ClusterRoleBinding//agent-sandbox-controller",
	}, further...)
	return append(all,
		"Role/"+namespace+"/agent-sandbox-controller-leader-election",
		"RoleBinding/"+namespace+"/agent-sandbox-controller-leader-election",
		"ClusterRole//agent-sandbox-edit",
		"ClusterRole//agent-sandbox-view",
		"Service/"+namespace+"/agent-sandbox-controller",
		"Deployment/"+namespace+"/agent-sandbox-controller",
	)
}

func TestRenderOrder(t *testing.T) {
	core := "CustomResourceDefinition//" + apis.CRDSandboxes
	extensions := []string{
		"CustomResourceDefinition//" + apis.CRDSandboxClaims,
		"CustomResourceDefinition//" + apis.CRDSandboxTemplates,
		"CustomResourceDefinition//" + apis.CRDSandboxWarmPools,
	}
	tests := map[string]struct {
		options Options
		want    []string
	}{
		"all four kinds come first, then the namespace and what is in it": {
			want: append(append([]string{core}, extensions...), operatorObjects(apis.OperatorNamespace,
				"ClusterRole//agent-sandbox-controller-extensions", "ClusterRoleBinding//agent-sandbox-controller-extensions")...),
		},
		"core only leaves out claims, templates and pools": {
			options: Options{CoreOnly: true},
			want:    append([]string{core}, operatorObjects(apis.OperatorNamespace)...),
		},
		"every namespaced object follows the namespace": {
			options: Options{CoreOnly: true, Namespace: "elsewhere"},
			want:    append([]string{core}, operatorObjects("elsewhere")...),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, names(render(t, test.options))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRenderNoReferenceToTheDefaultNamespaceRemains(t *testing.T) {
	all := render(t, Options{Namespace: "elsewhere"})
	want := []rbacv1.Subject{{Kind: "ServiceAccount", Name: apis.OperatorName, Namespace: "elsewhere"}}
	if diff := cmp.Diff(want, find[rbacv1.ClusterRoleBinding](t, all, "ClusterRoleBinding").Subjects); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, find[rbacv1.RoleBinding](t, all, "RoleBinding").Subjects); diff != "" {
		t.Error(diff)
	}
	for _, object := range all {
		raw, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), apis.OperatorNamespace) {
			t.Errorf("%s %s still mentions %s", object.GetKind(), object.GetName(), apis.OperatorNamespace)
		}
	}
}

func TestRenderDeployment(t *testing.T) {
	deployment := find[appsv1.Deployment](t, render(t, Options{
		Image: "localhost/operator:v1", Replicas: new(int32(2)), Args: []string{"--kube-api-qps=50"},
	}), "Deployment")

	if got := *deployment.Spec.Replicas; got != 2 {
		t.Errorf("replicas: got %d, want 2", got)
	}
	pod := deployment.Spec.Template
	app := map[string]string{apis.LabelApp: apis.OperatorName}
	if diff := cmp.Diff(app, deployment.Spec.Selector.MatchLabels); diff != "" {
		t.Errorf("the selector can never change again: %s", diff)
	}
	if diff := cmp.Diff(app, pod.Labels); diff != "" {
		t.Error(diff)
	}
	container := pod.Spec.Containers[0]
	if container.Name != apis.OperatorName || container.Image != "localhost/operator:v1" {
		t.Errorf("container %s has image %s", container.Name, container.Image)
	}
	if diff := cmp.Diff(
		[]string{"--leader-elect=true", "--extensions=true", "--kube-api-qps=50"}, container.Args,
	); diff != "" {
		t.Error(diff)
	}
	if env := container.Env; len(env) != 1 || env[0].Name != "POD_NAMESPACE" ||
		env[0].ValueFrom.FieldRef.FieldPath != "metadata.namespace" {
		t.Errorf("the operator does not know its namespace: %v", env)
	}
	if pod.Spec.ServiceAccountName != apis.OperatorName {
		t.Errorf("service account: %s", pod.Spec.ServiceAccountName)
	}
}

func TestRenderReplacesThePodsWhenTheDefinitionsChange(t *testing.T) {
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	want, err := crds.Hash(all)
	if err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string]Options{
		"all kinds": {}, "Sandboxes alone": {CoreOnly: true}, "some namespaces": {WatchNamespaces: []string{"a"}},
		"another image and namespace": {Image: "localhost/operator:v1", Namespace: "elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := find[appsv1.Deployment](t, render(t, options), "Deployment").Spec.Template
			annotations := map[string]string{
				"agents.x-k8s.io/crd-hash": want, "kubectl.kubernetes.io/default-container": apis.OperatorName,
			}
			if diff := cmp.Diff(annotations, pod.Annotations); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRenderExcludesVersionsAndKeepsThePods(t *testing.T) {
	both, one := render(t, Options{}), render(t, Options{ServedVersions: []string{"v1beta1"}})
	for i, object := range one {
		if object.GetKind() != "CustomResourceDefinition" {
			if diff := cmp.Diff(both[i], object); diff != "" {
				t.Errorf("%s %s: %s", object.GetKind(), object.GetName(), diff)
			}
			continue
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, crd); err != nil {
			t.Fatal(err)
		}
		for _, version := range crd.Spec.Versions {
			if version.Served != (version.Name == "v1beta1") {
				t.Errorf("%s: served is %v for %s", crd.Name, version.Served, version.Name)
			}
		}
	}
}

func TestRenderCoreOnlyRunsNoExtensions(t *testing.T) {
	deployment := find[appsv1.Deployment](t, render(t, Options{CoreOnly: true}), "Deployment")
	if diff := cmp.Diff([]string{"--leader-elect=true"}, deployment.Spec.Template.Spec.Containers[0].Args); diff != "" {
		t.Error(diff)
	}
}

func TestRenderDefaultsToThePublishedImage(t *testing.T) {
	deployment := find[appsv1.Deployment](t, render(t, Options{}), "Deployment")
	if got := deployment.Spec.Template.Spec.Containers[0].Image; got != DefaultImage() {
		t.Errorf("got %s, want %s", got, DefaultImage())
	}
	if *deployment.Spec.Replicas != 1 {
		t.Errorf("replicas: %d", *deployment.Spec.Replicas)
	}
}

func TestRenderMarksEverythingAsOurs(t *testing.T) {
	for _, object := range render(t, Options{}) {
		if !IsOurs(object) || Version(object) == "" {
			t.Errorf("%s %s has labels %v", object.GetKind(), object.GetName(), object.GetLabels())
		}
		if _, found := object.Object["status"]; found {
			t.Errorf("%s %s has a status", object.GetKind(), object.GetName())
		}
	}
}

func TestRenderTwiceGivesTheSame(t *testing.T) {
	options := Options{Args: make([]string, 0, 10)}
	options.Args = append(options.Args, "--one")
	first := render(t, options)
	if diff := cmp.Diff(first, render(t, options)); diff != "" {
		t.Error(diff)
	}
}

func TestValidate(t *testing.T) {
	tests := map[string]struct {
		options Options
		want    string // empty: valid
	}{
		"the zero value is valid":             {},
		"a namespace is a DNS label":          {Options{Namespace: "Upper.Case"}, `namespace "Upper.Case"`},
		"an image has no white space":         {Options{Image: "a b"}, `image "a b"`},
		"there is no negative number of Pods": {Options{Replicas: new(int32(-1))}, "replicas must not be negative"},
		"an image by digest is an image too":  {options: Options{Image: "r/i@sha256:0123"}},
		"the version that the operator uses is served": {
			Options{ServedVersions: []string{"v1alpha1"}}, "v1beta1 must be served",
		},
		"two mistakes are reported as both": {
			Options{Image: "a b", Replicas: new(int32(-1))}, "replicas must not be negative",
		},
		"any other namespace is as good a one": {options: Options{Namespace: "elsewhere"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Render(test.options)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestVersionLabel(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3":                 "v1.2.3",
		"v1.2.3+build.7":         "v1.2.3-build.7",
		"45bf033-dirty":          "45bf033-dirty",
		"v1+":                    "v1",
		strings.Repeat("x", 100): strings.Repeat("x", 63),
	} {
		if got := VersionLabel(version); got != want {
			t.Errorf("VersionLabel(%q) = %q, want %q", version, got, want)
		}
	}
}
