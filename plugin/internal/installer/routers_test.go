// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

const routerMirror = "mirror.example/router:v1"

// installedRouters returns the Deployments of routers that a version installed.
func installedRouters(t *testing.T, version string, routers ...install.Router) []appsv1.Deployment {
	t.Helper()
	objects, err := install.Render(install.Options{Routers: routers})
	if err != nil {
		t.Fatal(err)
	}
	var all []appsv1.Deployment
	for _, o := range objects {
		if !install.IsRouter(o) {
			continue
		}
		var d appsv1.Deployment
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &d); err != nil {
			t.Fatal(err)
		}
		d.Labels[apis.LabelVersion] = version
		ownAll(t, &d)
		all = append(all, d)
	}
	return all
}

func TestWhichRoutersResult(t *testing.T) {
	chosen := install.Router{
		Namespace: apis.OperatorNamespace, Image: routerMirror, Replicas: new(int32(3)), Args: []string{"--access-log=false"},
		Env: []corev1.EnvVar{{Name: "A", Value: "1"}},
	}
	of := func(namespace string) install.Router {
		return install.Router{Namespace: namespace, Image: routerMirror}
	}
	both := []install.Router{chosen, of("team-a")}
	tests := map[string]struct {
		installed []install.Router
		choices   Choices
		want      []install.Router
	}{
		"none, if nobody asks for one": {},
		"one beside the operator": {
			choices: Choices{Router: new(true), RouterImage: routerMirror}, want: []install.Router{of(apis.OperatorNamespace)},
		},
		"those that there are stay as they are": {installed: both, want: both},
		"one of a tenant is added, with the image of the others": {
			installed: both[:1], choices: Choices{RouterNamespaces: []string{"team-a"}}, want: both,
		},
		"the tenants' go, the other one stays": {
			installed: both, choices: Choices{RouterNamespaces: []string{}}, want: both[:1],
		},
		"the one beside the operator goes, the tenants' stay": {
			installed: both, choices: Choices{Router: new(false)}, want: both[1:],
		},
		"an argument is for all": {
			installed: both, choices: Choices{RouterArgs: []string{"--access-log=true"}},
			want: []install.Router{
				{
					Namespace: apis.OperatorNamespace, Image: routerMirror, Replicas: new(int32(3)),
					Args: []string{"--access-log=true"}, Env: chosen.Env,
				},
				{Namespace: "team-a", Image: routerMirror, Args: []string{"--access-log=true"}},
			},
		},
		"a variable is for all, and a new one gets those of the operator": {
			installed: both[:1], choices: Choices{Env: []string{"B=2"}, RouterNamespaces: []string{"team-a"}},
			want: []install.Router{
				{
					Namespace: apis.OperatorNamespace, Image: routerMirror, Replicas: new(int32(3)),
					Args: []string{"--access-log=false"}, Env: []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}},
				},
				{
					Namespace: "team-a", Image: routerMirror, Env: []corev1.EnvVar{{Name: "OPERATORS"}, {Name: "B", Value: "2"}},
				},
			},
		},
		"the defaults take no router away": {
			installed: both, choices: Choices{Defaults: true},
			want: []install.Router{of(apis.OperatorNamespace), of("team-a")},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := install.Options{Namespace: apis.OperatorNamespace}
			if len(tt.choices.Env) > 0 {
				got.Env = []corev1.EnvVar{{Name: "OPERATORS"}}
			}
			_, err := tt.choices.mergeRouters(&got, installedRouters(t, development, tt.installed...), "kubectl sandbox",
				development)
			if err != nil {
				t.Fatal(err)
			}
			want := install.Options{Routers: tt.want}
			if diff := cmp.Diff(want.Complete().Routers, got.Complete().Routers); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARouterThatTheOperatorExpectsIsInstalledAgain(t *testing.T) {
	operator := installed(t, install.Options{Routers: []install.Router{{Namespace: "team-a"}}}, development, nil)
	o, err := (&Choices{RouterImage: routerMirror}).merge(operator, nil, apis.OperatorNamespace, "kubectl sandbox",
		func(string, ...any) {})
	if err != nil || len(o.Routers) != 1 || o.Routers[0].Namespace != "team-a" {
		t.Errorf("%+v, %v", o.Routers, err)
	}
}

func TestWhichImageARouterRuns(t *testing.T) {
	const released = install.RouterImageRepository + ":"
	for name, tt := range map[string]struct {
		image, version, ours, asked string
		want, says                  string
	}{
		"the published one follows the version": {released + "v1.1.0", "v1.1.0", "v1.2.0", "", released + development, ""},
		"another one has to be named": {
			routerMirror, "v1.1.0", "v1.2.0", "", "", "the router, of version v1.1.0, runs the image " + routerMirror,
		},
		"and is, with the flag": {routerMirror, "v1.1.0", "v1.2.0", "mirror/router:v2", "mirror/router:v2", ""},
		"the same version keeps it, and says so": {
			routerMirror, "v1.2.0", "v1.2.0", "", routerMirror,
			"The router keeps the image " + routerMirror + "; --router-image",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var o install.Options
			remarks, err := (&Choices{RouterImage: tt.asked}).mergeRouters(&o,
				installedRouters(t, tt.version, install.Router{Image: tt.image}), "kubectl sandbox", tt.ours)
			said := strings.Join(remarks, "|")
			if err != nil {
				said = err.Error()
			}
			if (err != nil) != (tt.want == "") || err == nil && o.Routers[0].Image != tt.want ||
				!strings.Contains(said, tt.says) {
				t.Errorf("%+v, %q", o.Routers, said)
			}
		})
	}
}

func TestWithoutARouterItsFlagsAreAMistake(t *testing.T) {
	for _, choices := range []Choices{{RouterImage: "x"}, {RouterArgs: []string{"--resume-on-request"}}} {
		if _, err := choices.mergeRouters(&install.Options{}, nil, "", development); cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("got %v", err)
		}
	}
}

// keyApplier returns an applier of a cluster with these Secrets.
func keyApplier(secrets ...runtime.Object) (*applier, *dynamicfake.FakeDynamicClient) {
	scheme := runtime.NewScheme()
	_ = corev1.AddToScheme(scheme) // it has no error
	client := dynamicfake.NewSimpleDynamicClient(scheme, secrets...)
	return &applier{dynamic: client, streams: genericiooptions.NewTestIOStreamsDiscard()}, client
}

func keyOf(t *testing.T, a *applier) string {
	t.Helper()
	secret, err := a.get(t.Context(), install.SigningKey("system"))
	if err != nil || secret == nil {
		t.Fatalf("%v, %v", secret, err)
	}
	key, _, _ := unstructured.NestedString(secret.Object, "stringData", install.SigningKeyEntry)
	return key
}

func TestASigningKeyIsMadeOnceAndNeverReplaced(t *testing.T) {
	a, _ := keyApplier()
	want := install.SigningKey("system")
	apply := func(have *unstructured.Unstructured) {
		t.Helper()
		if _, err := a.applyObject(t.Context(), step{want: want, have: have}, false); err != nil {
			t.Fatal(err)
		}
	}
	apply(nil)
	key := keyOf(t, a)
	if len(key) < 32 || strings.TrimSpace(key) != key {
		t.Errorf("the key has %d characters", len(key))
	}
	have, err := a.get(t.Context(), want)
	if err != nil {
		t.Fatal(err)
	}
	apply(have)
	apply(nil) // somebody else has just made it
	if keyOf(t, a) != key {
		t.Error("the key was replaced")
	}
	other, _ := keyApplier()
	if _, err := other.applyObject(t.Context(), step{want: want}, false); err != nil || keyOf(t, other) == key {
		t.Errorf("two installations have the same key, %v", err)
	}
}

func TestAKeyIsAppliedBeforeItsRouter(t *testing.T) {
	objects, err := install.Render(install.Options{Routers: []install.Router{{}, {Namespace: "team-a"}}})
	if err != nil {
		t.Fatal(err)
	}
	all := withKeys(objects)
	if len(all) != len(objects)+2 {
		t.Errorf("%d objects of %d", len(all), len(objects))
	}
	for i, o := range all {
		if install.IsRouter(o) && (!isSigningKey(all[i-1]) || all[i-1].GetNamespace() != o.GetNamespace()) {
			t.Errorf("before the router in %s: %s %s", o.GetNamespace(), all[i-1].GetKind(), all[i-1].GetName())
		}
	}
}

func TestANamespaceThatDoesNotExistIsNamedFirst(t *testing.T) {
	objects, err := install.Render(install.Options{Routers: []install.Router{{Namespace: "team-a"}}})
	if err != nil {
		t.Fatal(err)
	}
	tenant := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}} // install creates that of the operator
	for want, client := range map[string]*fake.Clientset{
		"namespace team-a does not exist": fake.NewClientset(), "": fake.NewClientset(tenant),
	} {
		err := (&applier{kubernetes: client}).checkNamespaces(t.Context(), objects)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestRoutersThatMayNotBeListedAreLeftAlone(t *testing.T) {
	labels := install.SigningKey("").GetLabels()
	router := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "sandbox-router-svc", Labels: labels},
	}
	kinds := map[schema.GroupVersionResource]string{}
	for _, resource := range append(grantResources(), routerResources()...) {
		kinds[resource] = "List"
	}
	scheme := runtime.NewScheme()
	_ = corev1.AddToScheme(scheme) // it has no error
	delete(kinds, corev1.SchemeGroupVersion.WithResource("services"))
	delete(kinds, corev1.SchemeGroupVersion.WithResource("secrets"))
	delete(kinds, corev1.SchemeGroupVersion.WithResource("serviceaccounts"))
	client := fake.NewClientset()
	refuse := false
	client.PrependReactor("list", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
		return refuse, nil, apierrors.NewForbidden(appsv1.Resource("deployments"), "", nil)
	})
	dynamic := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(scheme, kinds, router)
	a := &applier{dynamic: dynamic, kubernetes: client}
	for _, refuse = range []bool{true, false} {
		_, known, err := a.readRouters(t.Context())
		if err != nil || known == refuse {
			t.Errorf("refused %v: known %v, %v", refuse, known, err)
		}
		a.routersKnown = known
		obsolete, err := a.obsolete(t.Context(), nil)
		if err != nil || (len(obsolete) == 1) == refuse {
			t.Errorf("refused %v: %d objects are obsolete, %v", refuse, len(obsolete), err)
		}
	}
}
