// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

// definitionsServing returns the definitions of an installation that serves the versions.
func definitionsServing(t *testing.T, versions ...string) []*unstructured.Unstructured {
	t.Helper()
	all, err := install.Render(install.Options{ServedVersions: versions})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(o *unstructured.Unstructured) bool {
		return o.GetKind() != "CustomResourceDefinition"
	})
}

// applierFor returns an applier for a cluster with the objects, and what it prints on stderr.
func applierFor(objects ...runtime.Object) (a *applier, client *dynamicfake.FakeDynamicClient, printed func() string) {
	kinds := map[schema.GroupVersionResource]string{
		{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}: "CustomResourceDefinitionList",
		{Version: "v1", Resource: "pods"}:                                                       "PodList",
		{Group: "agents.x-k8s.io", Version: "v1beta1", Resource: "sandboxes"}:                   "SandboxList",
		{Group: "extensions.agents.x-k8s.io", Version: "v1beta1", Resource: "sandboxtemplates"}: "SandboxTemplateList",
		{Group: "extensions.agents.x-k8s.io", Version: "v1beta1", Resource: "sandboxclaims"}:    "SandboxClaimList",
		{Group: "extensions.agents.x-k8s.io", Version: "v1beta1", Resource: "sandboxwarmpools"}: "SandboxWarmPoolList",
	}
	client = dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, objects...)
	streams, _, _, errOut := genericiooptions.NewTestIOStreams()
	return &applier{dynamic: client, streams: streams}, client, errOut.String
}

func asObjects(all []*unstructured.Unstructured) (objects []runtime.Object) {
	for _, o := range all {
		objects = append(objects, o)
	}
	return objects
}

func TestWhatTheClusterServesIsKept(t *testing.T) {
	for name, tt := range map[string]struct {
		installed []*unstructured.Unstructured
		want      []string
	}{
		"without an installation, both": {nil, []string{"v1beta1", "v1alpha1"}},
		"both":                          {definitionsServing(t), []string{"v1beta1", "v1alpha1"}},
		"v1alpha1 is not served":        {definitionsServing(t, "v1beta1"), []string{"v1beta1"}},
		"of Sandboxes alone":            {definitionsServing(t, "v1beta1")[:1], []string{"v1beta1"}},
		"of Sandboxes alone, but not all": {
			append(definitionsServing(t, "v1beta1")[:1], definitionsServing(t)[1:]...), []string{"v1beta1", "v1alpha1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := applierFor(asObjects(tt.installed)...)
			if got, err := a.servedVersions(t.Context()); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestWhoMayNotReadTheDefinitionsLearnsItFromTheCheck(t *testing.T) {
	a, client, _ := applierFor()
	client.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, fakecluster.Forbidden("get", "customresourcedefinitions", "apiextensions.k8s.io")
	})
	if got, err := a.servedVersions(t.Context()); err != nil || len(got) != 2 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestSignsOfAVersionThatWillNotBeServed(t *testing.T) {
	const written = `
apiVersion: agents.x-k8s.io/v1beta1
kind: Sandbox
metadata:
  namespace: team
  name: box
  managedFields:
  - {manager: new-tool, operation: Update, apiVersion: agents.x-k8s.io/v1beta1, time: "2026-11-03T00:00:00Z"}
  - {manager: old-tool, operation: Update, apiVersion: agents.x-k8s.io/v1alpha1, time: "2026-11-02T00:00:00Z"}
  - {manager: older-tool, operation: Update, apiVersion: agents.x-k8s.io/v1alpha1, time: "2026-11-01T00:00:00Z"}
`
	const owned = `
apiVersion: v1
kind: Pod
metadata:
  namespace: team
  name: box
  labels: {agents.x-k8s.io/sandbox-name-hash: abc}
  ownerReferences: [{apiVersion: agents.x-k8s.io/v1alpha1, kind: Sandbox, name: box, uid: u}]
`
	clean := strings.ReplaceAll(strings.ReplaceAll(written, "v1alpha1", "v1beta1"), "name: box", "name: clean")
	foreign := strings.ReplaceAll(owned, "agents.x-k8s.io/v1alpha1", "kro.run/v1alpha1")
	const writtenSays = "Warning: old-tool wrote Sandbox team/box as v1alpha1 on 2026-11-02, and now gets 404 " +
		"(NotFound) for v1alpha1. --served-versions=v1beta1,v1alpha1 serves it again.\n"
	const ownedSays = "Warning: Pod team/box names its owner as v1alpha1, and is not deleted with it while " +
		"v1alpha1 is not served. --served-versions=v1beta1,v1alpha1 serves it again.\n"
	tests := map[string]struct {
		had, has []string // versions that are served before and after
		objects  []string
		want     string
	}{
		"a write":  {has: []string{"v1beta1"}, objects: []string{clean, written}, want: writtenSays},
		"an owner": {has: []string{"v1beta1"}, objects: []string{owned}, want: ownedSays},
		"both": {
			has: []string{"v1beta1"}, objects: []string{owned, written}, want: ownedSays + writtenSays,
		},
		"nobody uses it":         {has: []string{"v1beta1"}, objects: []string{clean, foreign}},
		"it is served as before": {objects: []string{owned, written}},
		"it was not served before": {
			had: []string{"v1beta1"}, has: []string{"v1beta1"}, objects: []string{owned, written},
		},
		"it is served again and in use then": {had: []string{"v1beta1"}, objects: []string{written}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a, client, printed := applierFor()
			for _, text := range tt.objects {
				o := object(t, text)
				resource := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
				if o.GetKind() == "Sandbox" {
					resource = schema.GroupVersionResource{Group: "agents.x-k8s.io", Version: "v1beta1", Resource: "sandboxes"}
				}
				if err := client.Tracker().Create(resource, o, o.GetNamespace()); err != nil {
					t.Fatal(err)
				}
			}
			var plan []step
			had := definitionsServing(t, tt.had...)
			for i, want := range definitionsServing(t, tt.has...) {
				plan = append(plan, step{want: want, have: had[i]})
			}
			if err := a.warnOfUse(t.Context(), plan); err != nil {
				t.Fatal(err)
			}
			if got := printed(); got != tt.want {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
		})
	}
}

func TestANewInstallationWarnsOfNothing(t *testing.T) {
	a, client, printed := applierFor()
	var plan []step
	for _, want := range definitionsServing(t, "v1beta1") {
		plan = append(plan, step{want: want})
	}
	if err := a.warnOfUse(t.Context(), plan); err != nil || printed() != "" || len(client.Actions()) > 0 {
		t.Errorf("%v, %q, %v", err, printed(), client.Actions())
	}
}
