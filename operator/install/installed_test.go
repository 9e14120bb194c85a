// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

func TestWhatWasInstalledIsReadBackFromItsDeployment(t *testing.T) {
	tests := map[string]Options{
		"the defaults":        {},
		"the core alone":      {CoreOnly: true},
		"a mirror, two of it": {Image: "mirror.example/operator:v1", Replicas: new(int32(2))},
		"none of it, for now": {Replicas: new(int32(0))},
		"another namespace":   {Namespace: "elsewhere"},
		"some namespaces":     {WatchNamespaces: []string{"a", "b"}},
		"further arguments":   {Args: []string{"--kube-api-qps=50", "--leader-elect=false"}},
		"variables": {Env: []corev1.EnvVar{
			{Name: "OTEL_TRACES_SAMPLER", Value: "always_on"}, {Name: "EMPTY"}, {Name: "SECRET", ValueFrom: &corev1.EnvVarSource{
				SecretKeyRef: &corev1.SecretKeySelector{Key: "key"},
			}},
		}},
	}
	for name, options := range tests {
		t.Run(name, func(t *testing.T) {
			was := render(t, options)
			got := InstalledOptions(find[appsv1.Deployment](t, was, "Deployment"))
			want := options.Complete()
			want.ServedVersions = nil // the definitions tell
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(was, render(t, got)); diff != "" {
				t.Errorf("rendered again: %s", diff)
			}
		})
	}
}

func TestAnOperatorOfSomeNamespacesIsGrantedNothingOutsideOfThem(t *testing.T) {
	all := render(t, Options{Namespace: "elsewhere", WatchNamespaces: []string{"b", "a", "b"}})
	want := []string{
		"Role/a/agent-sandbox-controller",
		"Role/b/agent-sandbox-controller",
		"RoleBinding/a/agent-sandbox-controller",
		"RoleBinding/b/agent-sandbox-controller",
		"Role/a/agent-sandbox-controller-extensions",
		"Role/b/agent-sandbox-controller-extensions",
		"RoleBinding/a/agent-sandbox-controller-extensions",
		"RoleBinding/b/agent-sandbox-controller-extensions",
		"Role/elsewhere/agent-sandbox-controller-leader-election",
		"RoleBinding/elsewhere/agent-sandbox-controller-leader-election",
		"ClusterRole//agent-sandbox-edit",
		"ClusterRole//agent-sandbox-view",
	}
	var got []string
	for _, name := range names(all) {
		if strings.Contains(name, "Role") {
			got = append(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	binding := find[rbacv1.RoleBinding](t, all, "RoleBinding")
	if binding.RoleRef.Kind != "Role" || binding.RoleRef.Name != apis.OperatorName ||
		binding.Subjects[0].Namespace != "elsewhere" {
		t.Errorf("%+v", binding)
	}
	everywhere, local := find[rbacv1.ClusterRole](t, render(t, Options{}), "ClusterRole"), find[rbacv1.Role](
		t, all, "Role",
	)
	ofNoNamespace := func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, "customresourcedefinitions") }
	if !slices.ContainsFunc(everywhere.Rules, ofNoNamespace) {
		t.Error("an operator of the whole cluster does not see the versions of the definitions")
	}
	if diff := cmp.Diff(slices.DeleteFunc(everywhere.Rules, ofNoNamespace), local.Rules); diff != "" {
		t.Errorf("the rules differ: %s", diff)
	}
	args := find[appsv1.Deployment](t, all, "Deployment").Spec.Template.Spec.Containers[0].Args
	if !slices.Contains(args, "--watch-namespaces=a,b") {
		t.Errorf("arguments %v", args)
	}
}

func TestWithoutExtensionsTheOperatorIsGrantedNoneOfTheirKinds(t *testing.T) {
	for _, object := range render(t, Options{CoreOnly: true}) {
		if name := object.GetName(); strings.HasPrefix(name, apis.OperatorName) {
			var role rbacv1.Role
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role); err != nil {
				t.Fatal(err)
			}
			granted := slices.ContainsFunc(
				role.Rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.APIGroups, apis.GroupExtensions) },
			)
			if granted || strings.HasSuffix(name, "-extensions") {
				t.Errorf("%s %s: %+v", object.GetKind(), name, role.Rules)
			}
		}
	}
}

func TestTheLastValueOfAFlagCounts(t *testing.T) {
	options := Options{Args: []string{"--leader-elect=true", "--metrics-secure", "-leader-elect=false"}}
	for name, want := range map[string]string{"leader-elect": "false", "metrics-secure": "true"} {
		if value, given := options.Flag(name); value != want || !given {
			t.Errorf("%s: %q, %v", name, value, given)
		}
	}
	if _, given := options.Flag("leader"); given {
		t.Error("the beginning of a name is not the name")
	}
}

func TestWhatAFlagNeedsIsGrantedWithIt(t *testing.T) {
	const (
		home      = "Role/agent-sandbox-system/agent-sandbox-controller-leader-election"
		elsewhere = "Role/leases/agent-sandbox-controller-leader-election"
	)
	tests := map[string]struct {
		options    Options
		has, lacks []string
	}{
		"no flags": {
			Options{}, []string{home},
			[]string{"ClusterRole//agent-sandbox-controller-metrics", "ClusterRole//agent-sandbox-metrics-reader"},
		},
		"secure metrics ask who reads them": {
			Options{Args: []string{"--metrics-secure"}},
			[]string{
				"ClusterRole//agent-sandbox-controller-metrics", "ClusterRoleBinding//agent-sandbox-controller-metrics",
				"ClusterRole//agent-sandbox-metrics-reader",
			}, nil,
		},
		"of no namespace, even when the rest is": {
			Options{Args: []string{"--metrics-secure=true"}, WatchNamespaces: []string{"a"}},
			[]string{"ClusterRole//agent-sandbox-controller-metrics", "Role/a/agent-sandbox-controller"},
			[]string{"ClusterRole//agent-sandbox-controller"},
		},
		"not when they are turned off": {
			Options{Args: []string{"--metrics-secure=false"}}, nil, []string{"ClusterRole//agent-sandbox-controller-metrics"},
		},
		"the lease goes where the flag says": {
			Options{
				Args: []string{"--leader-election-namespace=leases"},
			},
			[]string{elsewhere, "RoleBinding/leases/agent-sandbox-controller-leader-election"},
			[]string{home},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := names(render(t, test.options))
			for _, object := range test.has {
				if !slices.Contains(got, object) {
					t.Errorf("no %s in %v", object, got)
				}
			}
			for _, object := range test.lacks {
				if slices.Contains(got, object) {
					t.Errorf("%s is granted too", object)
				}
			}
		})
	}
}
