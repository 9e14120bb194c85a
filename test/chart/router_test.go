// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"encoding/base64"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
)

// routerCases are values with routers.
func routerCases() map[string]sameObjects {
	all := install.Options{Routers: []install.Router{{}}}
	return map[string]sameObjects{
		"a router": {"controller: {extensions: true}\nrouter: {enabled: true}", all},
		"a router in another namespace, with one replica": {
			"controller: {extensions: true}\nnamespace: {name: elsewhere}\nrouter: {enabled: true, replicaCount: 1}",
			install.Options{Namespace: "elsewhere", Routers: []install.Router{{Replicas: new(int32(1))}}},
		},
		"routers of tenants alone": {
			"controller: {extensions: true}\nrouter: {namespaces: [team-b, team-a]}",
			install.Options{Routers: []install.Router{{Namespace: "team-a"}, {Namespace: "team-b"}}},
		},
		"routers that resume, of an operator of some namespaces": {
			`
controller: {extensions: true, watchNamespaces: [team-b, team-a], clusterDomain: example.local}
router: {enabled: true, namespaces: [team-a], resumeOnRequest: true, extraArgs: [--access-log=false]}
`,
			install.Options{
				Args: []string{"--cluster-domain=example.local"}, WatchNamespaces: []string{"team-a", "team-b"},
				Routers: []install.Router{
					{Args: []string{"--resume-on-request=true", "--access-log=false"}},
					{Namespace: "team-a", Args: []string{"--resume-on-request=true", "--access-log=false"}},
				},
			},
		},
	}
}

// withoutKeys removes the Secrets with the keys of routers, which no manifest has, and checks that each router has one.
func withoutKeys(t *testing.T, all []*unstructured.Unstructured, routers int) []*unstructured.Unstructured {
	t.Helper()
	var keys []string
	rest := slices.DeleteFunc(all, func(o *unstructured.Unstructured) bool {
		if o.GetKind() != "Secret" {
			return false
		}
		encoded, _, _ := unstructured.NestedString(o.Object, "data", install.SigningKeyEntry)
		key, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(key) < 32 || o.GetName() != install.SigningKeyName || slices.Contains(keys, string(key)) {
			t.Errorf("%s/%s has the key %q, %v", o.GetNamespace(), o.GetName(), key, err)
		}
		keys = append(keys, string(key))
		return true
	})
	if len(keys) != routers {
		t.Errorf("%d keys of %d routers", len(keys), routers)
	}
	return rest
}

func TestARoutersPodIsWhatTheValuesSay(t *testing.T) {
	all := render(t, `
imagePullSecrets: [{name: registry}]
rbac: {create: false}
serviceAccount: {create: false}
router:
  enabled: true
  image: {repository: registry.example/router, tag: v2}
  env: [{name: PROXY_TIMEOUT_SECONDS, value: "600"}]
  resources: {limits: {memory: 2Gi}}
  podSpec: {priorityClassName: high, nodeSelector: {disk: ssd}, tolerations: [{operator: Exists}]}
  signingKey: {create: false}
`)
	var d appsv1.Deployment
	for _, o := range all {
		switch {
		case install.IsRouter(o):
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, &d, true); err != nil {
				t.Fatal(err)
			}
		case o.GetKind() == "Secret", o.GetKind() == "ServiceAccount",
			o.GetKind() == "ClusterRole" && o.GetName() == "sandbox-router":
			t.Errorf("there is a %s %s", o.GetKind(), o.GetName())
		}
	}
	pod := d.Spec.Template.Spec
	container := pod.Containers[0]
	if container.Image != "registry.example/router:v2" || container.Resources.Limits.Memory().String() != "2Gi" ||
		len(container.Env) != 1 || container.Env[0].Value != "600" {
		t.Errorf("%+v", container)
	}
	if pod.PriorityClassName != "high" || pod.NodeSelector["disk"] != "ssd" ||
		pod.NodeSelector["kubernetes.io/os"] != "linux" || len(pod.Tolerations) != 1 ||
		pod.ImagePullSecrets[0].Name != "registry" || pod.ServiceAccountName != "sandbox-router" {
		t.Errorf("%+v", pod)
	}
}
