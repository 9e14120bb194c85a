// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// routerObjects returns the objects of routers that the options give.
func routerObjects(t *testing.T, options Options) []*unstructured.Unstructured {
	t.Helper()
	return slices.DeleteFunc(render(t, options), func(o *unstructured.Unstructured) bool {
		return o.GetLabels()[apis.LabelApp] != apis.AppRouter
	})
}

// decode returns the object of a kind and a namespace.
func decode[T any](t *testing.T, all []*unstructured.Unstructured, kind, namespace string) *T {
	t.Helper()
	return find[T](t, slices.DeleteFunc(slices.Clone(all), func(o *unstructured.Unstructured) bool {
		return o.GetNamespace() != namespace
	}), kind)
}

func TestWhichObjectsRoutersHave(t *testing.T) {
	shared := []string{"ClusterRole//sandbox-router-reviews", "ClusterRoleBinding//sandbox-router-reviews"}
	identity := []string{
		"ValidatingAdmissionPolicy//sandbox-router-identity", "ValidatingAdmissionPolicyBinding//sandbox-router-identity",
	}
	everywhere := []string{"ClusterRole//sandbox-router", "ClusterRoleBinding//sandbox-router"}
	in := func(namespace string) []string {
		return []string{
			"ServiceAccount/" + namespace + "/sandbox-router", "Service/" + namespace + "/sandbox-router-svc",
			"NetworkPolicy/" + namespace + "/sandbox-router", "PodDisruptionBudget/" + namespace + "/sandbox-router",
			"Deployment/" + namespace + "/sandbox-router-deployment",
		}
	}
	local := func(namespace, name string) []string {
		return []string{"Role/" + namespace + "/" + name, "RoleBinding/" + namespace + "/" + name}
	}
	tests := map[string]struct {
		options Options
		want    []string
	}{
		"none is installed": {},
		"one beside the operator reads everywhere": {
			Options{Namespace: "elsewhere", Routers: []Router{{}}}, slices.Concat(shared, everywhere, in("elsewhere")),
		},
		"one of a tenant reads its own namespace": {
			Options{Routers: []Router{{Namespace: "team-a"}}},
			slices.Concat(shared, identity, local("team-a", "sandbox-router-local"), in("team-a")),
		},
		"one beside an operator of some namespaces reads these": {
			Options{WatchNamespaces: []string{"team-a", "team-b"}, Routers: []Router{{Namespace: "team-a"}, {}}},
			slices.Concat(
				shared, identity,
				[]string{"Role/team-a/sandbox-router", "Role/team-b/sandbox-router"},
				[]string{"RoleBinding/team-a/sandbox-router", "RoleBinding/team-b/sandbox-router"},
				in(apis.OperatorNamespace), local("team-a", "sandbox-router-local"), in("team-a"),
			),
		},
		"each namespace has one": {
			Options{Routers: []Router{{}, {Namespace: apis.OperatorNamespace}}},
			slices.Concat(shared, everywhere, in(apis.OperatorNamespace)),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, names(routerObjects(t, tt.options))); diff != "" {
				t.Error(diff)
			}
			for _, o := range render(t, tt.options) {
				if o.GetKind() == "Secret" {
					t.Error("a manifest has the signing key")
				}
			}
		})
	}
}

func TestARouterMayDoWhatItDoesAndNoMore(t *testing.T) {
	resume := rbacv1.PolicyRule{
		APIGroups: []string{"agents.x-k8s.io"}, Resources: []string{"sandboxes"}, Verbs: []string{"patch"},
	}
	for args, resumes := range map[string]bool{
		"": false, "--resume-on-request": true, "--resume-on-request=true": true, "--resume-on-request=false": false,
	} {
		router := Router{Namespace: "team-a"}
		if args != "" {
			router.Args = []string{args}
		}
		rules := decode[rbacv1.Role](t, routerObjects(t, Options{Routers: []Router{router}}), "Role", "team-a").Rules
		if got := slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool { return cmp.Equal(r, resume) }); got != resumes {
			t.Errorf("%q: %v", args, rules)
		}
	}
	all := routerObjects(t, Options{Routers: []Router{{}, {Namespace: "team-a"}}})
	for _, o := range all {
		if o.GetName() != "sandbox-router-reviews" || o.GetKind() != "ClusterRoleBinding" {
			continue
		}
		var binding rbacv1.ClusterRoleBinding
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &binding); err != nil {
			t.Fatal(err)
		}
		want := []rbacv1.Subject{
			{Kind: "ServiceAccount", Name: "sandbox-router", Namespace: apis.OperatorNamespace},
			{Kind: "ServiceAccount", Name: "sandbox-router", Namespace: "team-a"},
		}
		if diff := cmp.Diff(want, binding.Subjects); diff != "" {
			t.Error(diff)
		}
	}
	subjects := decode[rbacv1.RoleBinding](t, all, "RoleBinding", "team-a").Subjects
	if len(subjects) != 1 || subjects[0].Namespace != "team-a" {
		t.Errorf("the tenant's router is bound as %v", subjects)
	}
}

func TestARoutersDeployment(t *testing.T) {
	all := routerObjects(t, Options{
		Args: []string{"--cluster-domain=example.local"}, WatchNamespaces: []string{"team-a"},
		Routers: []Router{{Image: "localhost/router:v1", Replicas: new(int32(3)), Args: []string{"--access-log=false"}}},
	})
	d := find[appsv1.Deployment](t, all, "Deployment")
	container := d.Spec.Template.Spec.Containers[0]
	if *d.Spec.Replicas != 3 || container.Image != "localhost/router:v1" ||
		d.Spec.Template.Spec.ServiceAccountName != find[corev1.ServiceAccount](t, all, "ServiceAccount").Name {
		t.Errorf("%+v", d.Spec)
	}
	want := []string{
		"--signing-key-file=/etc/sandbox-router/keys/signing-key", "--watch-namespaces=team-a", "--access-log=false",
	}
	if diff := cmp.Diff(want, container.Args); diff != "" {
		t.Error(diff)
	}
	if env := container.Env; len(env) != 1 || env[0].Name != "CLUSTER_DOMAIN" || env[0].Value != "example.local" {
		t.Errorf("the router does not know the domain of the operator: %v", env)
	}
	if container.Name != apis.AppRouter || d.Spec.Template.Labels[apis.LabelApp] != apis.AppRouter {
		t.Errorf("NetworkPolicies do not admit %s with the labels %v", container.Name, d.Spec.Template.Labels)
	}
	for _, spread := range d.Spec.Template.Spec.TopologySpreadConstraints {
		if spread.WhenUnsatisfiable != corev1.ScheduleAnyway {
			t.Errorf("two replicas do not fit on one node: %+v", spread)
		}
	}
	update := d.Spec.Strategy.RollingUpdate
	if update.MaxUnavailable.IntValue() != 0 || *d.Spec.Template.Spec.TerminationGracePeriodSeconds <= 35 {
		t.Errorf("a rollout fails requests: %+v, %d seconds", update, *d.Spec.Template.Spec.TerminationGracePeriodSeconds)
	}
	service := find[corev1.Service](t, all, "Service")
	if service.Name != "sandbox-router-svc" || service.Spec.Ports[0].Port != 8080 ||
		service.Spec.Ports[0].TargetPort.StrVal != container.Ports[0].Name {
		t.Errorf("%+v", service.Spec)
	}
	for what, selector := range map[string]map[string]string{
		"Service":    service.Spec.Selector,
		"budget":     find[policyv1.PodDisruptionBudget](t, all, "PodDisruptionBudget").Spec.Selector.MatchLabels,
		"Deployment": d.Spec.Selector.MatchLabels,
	} {
		if !cmp.Equal(selector, d.Spec.Template.Labels) {
			t.Errorf("the %s selects %v", what, selector)
		}
	}
	file := strings.TrimPrefix(want[0], "--signing-key-file=")
	if mount := container.VolumeMounts[0]; mount.MountPath+"/"+SigningKeyEntry != file ||
		d.Spec.Template.Spec.Volumes[0].Secret.SecretName != SigningKeyName {
		t.Errorf("the key is not where the flag says: %+v", mount)
	}
}

func TestTheOperatorKnowsTheRoutersOfTenants(t *testing.T) {
	options := Options{Routers: []Router{{}, {Namespace: "team-b"}, {Namespace: "team-a"}}}
	args := find[appsv1.Deployment](t, render(t, options), "Deployment").Spec.Template.Spec.Containers[0].Args
	if !slices.Contains(args, "--tenant-router-namespaces=team-a,team-b") {
		t.Errorf("arguments %v", args)
	}
	args = find[appsv1.Deployment](t, render(t, Options{Routers: []Router{{}}}), "Deployment").
		Spec.Template.Spec.Containers[0].Args
	if slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "router") }) {
		t.Errorf("arguments %v", args)
	}
}

// A null in a manifest is a field that whoever applies it owns, and a difference from what another tool renders.
func TestRenderWritesNoNulls(t *testing.T) {
	for _, object := range render(t, Options{Routers: []Router{{}}}) {
		encoded, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(encoded, []byte(":null")) {
			t.Errorf("%s %s has a null: %s", object.GetKind(), object.GetName(), encoded)
		}
	}
}

func TestRoutersAreReadBackFromTheirDeployments(t *testing.T) {
	was := Options{
		WatchNamespaces: []string{"team-a", "team-b"},
		Routers: []Router{
			{Image: "mirror.example/router:v1", Args: []string{"--resume-on-request"}},
			{Namespace: "team-a", Replicas: new(int32(0))},
			{Namespace: "team-b"},
		},
	}
	objects := render(t, was)
	var routers []appsv1.Deployment
	for _, o := range objects {
		if IsRouter(o) && o.GetNamespace() != "team-b" { // somebody deleted that one
			var d appsv1.Deployment
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &d); err != nil {
				t.Fatal(err)
			}
			routers = append(routers, d)
		}
	}
	got := InstalledOptions(find[appsv1.Deployment](t, objects, "Deployment"), routers...)
	if diff := cmp.Diff(objects, render(t, got)); diff != "" {
		t.Error(diff)
	}
}

func TestWrongRoutersAreRefused(t *testing.T) {
	for want, options := range map[string]Options{
		"white space":                       {Routers: []Router{{Image: "a b"}}},
		"must not be negative":              {Routers: []Router{{Replicas: new(int32(-1))}}},
		`namespace "A_b" of a router`:       {Routers: []Router{{Namespace: "A_b"}}},
		`does not watch namespace "team-b"`: {WatchNamespaces: []string{"team-a"}, Routers: []Router{{Namespace: "team-b"}}},
	} {
		if _, err := Render(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	if _, err := Render(Options{WatchNamespaces: []string{"team-a"}, Routers: []Router{{}}}); err != nil {
		t.Error(err)
	}
}
