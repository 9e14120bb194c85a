// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/operator/manager"
)

const (
	directory = "../../operator/chart/agent-sandbox"
	tag       = "image: {tag: v1}\n"
)

// render leaves out the definitions, which are large, unless the values contain crds.
func render(t *testing.T, values string) []*unstructured.Unstructured {
	t.Helper()
	if !strings.Contains(values, "crds:") {
		values = "crds: {install: false}\n" + values
	}
	all, err := Render(directory, "default", tag+values)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func find(all []*unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	for _, o := range all {
		if o.GetKind() == kind && (name == "" || o.GetName() == name) {
			return o
		}
	}
	return nil
}

func deployment(t *testing.T, values string) *appsv1.Deployment {
	t.Helper()
	typed := &appsv1.Deployment{}
	object := find(render(t, values), "Deployment", apis.OperatorName)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, typed, true); err != nil {
		t.Fatal(err)
	}
	return typed
}

// normalized returns an object without the metadata that depends on the tool that installed it.
func normalized(t *testing.T, o *unstructured.Unstructured) map[string]any {
	t.Helper()
	o = o.DeepCopy()
	labels := o.GetLabels()
	for key := range labels {
		if key == "app" || key == "helm.sh/chart" || strings.HasPrefix(key, "app.kubernetes.io/") {
			delete(labels, key)
		}
	}
	o.SetLabels(labels)
	annotations := o.GetAnnotations()
	delete(annotations, "helm.sh/resource-policy")
	o.SetAnnotations(annotations)
	if o.GetKind() == "Deployment" {
		unstructured.RemoveNestedField(o.Object, "spec", "template", "metadata", "labels")
		typed := &appsv1.Deployment{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, typed); err != nil {
			t.Fatal(err)
		}
		container := &typed.Spec.Template.Spec.Containers[0]
		container.Image = ""
		slices.Sort(container.Args)
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	return o.Object
}

// compareObjects compares objects by name. It compares them as text, so that the types of numbers do not matter.
func compareObjects(t *testing.T, want, got []*unstructured.Unstructured) {
	t.Helper()
	texts := func(all []*unstructured.Unstructured) map[string]string {
		named := map[string]string{}
		for _, o := range all {
			text, err := json.MarshalIndent(normalized(t, o), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			named[o.GetKind()+"/"+o.GetNamespace()+"/"+o.GetName()] = string(text)
		}
		return named
	}
	wanted, given := texts(want), texts(got)
	for name, text := range wanted {
		if given[name] != text {
			t.Errorf("%s: %s", name, cmp.Diff(text, given[name]))
		}
	}
	for name := range given {
		if wanted[name] == "" {
			t.Errorf("%s is unexpected", name)
		}
	}
}

// sameObjects are values that give the objects of options.
type sameObjects struct {
	values  string
	options install.Options
}

func TestTheChartIsTheManifests(t *testing.T) {
	tests := map[string]sameObjects{
		"all kinds": {"crds: {install: true}\ncontroller: {extensions: true}", install.Options{}},
		"one version is served": {
			"crds: {install: true, servedVersions: [v1beta1]}\ncontroller: {extensions: true}",
			install.Options{ServedVersions: []string{"v1beta1"}},
		},
		"another namespace, three replicas": {
			"controller: {extensions: true}\nnamespace: {name: elsewhere}\nreplicaCount: 3",
			install.Options{Namespace: "elsewhere", Replicas: new(int32(3))},
		},
		"some namespaces": {
			"controller: {extensions: true, watchNamespaces: [b, a]}", install.Options{WatchNamespaces: []string{"a", "b"}},
		},
		"secure metrics, the lease elsewhere": {
			"controller: {extensions: true, metricsSecure: true, leaderElectionNamespace: leases, watchNamespaces: [a]}",
			install.Options{
				WatchNamespaces: []string{"a"}, Args: []string{"--leader-election-namespace=leases", "--metrics-secure=true"},
			},
		},
		"further arguments": {
			"controller: {extensions: true, kubeApiQps: 50, extraArgs: [--zap-log-level=debug]}",
			install.Options{Args: []string{"--kube-api-qps=50", "--zap-log-level=debug"}},
		},
	}
	maps.Copy(tests, routerCases())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want, err := install.Render(test.options)
			if err != nil {
				t.Fatal(err)
			}
			got := withoutKeys(t, render(t, test.values), len(test.options.Routers))
			if !strings.Contains(test.values, "crds:") { // the definitions are the same for all
				want = slices.DeleteFunc(want, func(o *unstructured.Unstructured) bool {
					return o.GetKind() == "CustomResourceDefinition"
				})
			}
			compareObjects(t, want, got)
		})
	}
}

// The chart without extensions has all definitions, so that enabling the extensions later needs no new ones.
func TestTheChartOfTheCoreGrantsTheOperatorNothingMore(t *testing.T) {
	want, err := install.Render(install.Options{CoreOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	all := render(t, "crds: {install: true}\ncontroller: {extensions: null}")
	for _, definition := range []string{apis.CRDSandboxClaims, apis.CRDSandboxTemplates, apis.CRDSandboxWarmPools} {
		if find(all, "CustomResourceDefinition", definition) == nil {
			t.Errorf("there is no %s", definition)
		}
		all = slices.DeleteFunc(all, func(o *unstructured.Unstructured) bool { return o.GetName() == definition })
	}
	compareObjects(t, want, all)
}

func camelCase(name string) string {
	words := strings.Split(name, "-")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}

// valuesOf maps values for a flag in YAML to the expected arguments of the operator.
func valuesOf(f *flag.Flag) map[string]string {
	boolean, _ := f.Value.(interface{ IsBoolFlag() bool }) // as package flag detects boolean flags
	switch {
	case slices.Contains([]string{"watch-namespaces", "router-namespace", "tenant-router-namespaces"}, f.Name):
		return map[string]string{"[b, a]": "a,b"}
	case boolean != nil && boolean.IsBoolFlag():
		return map[string]string{"true": "true", "false": "false"}
	case f.DefValue == "":
		return map[string]string{`""`: ""}
	}
	return map[string]string{f.DefValue: f.DefValue}
}

func TestEachFlagOfTheOperatorHasAValue(t *testing.T) {
	config := manager.Defaults()
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	config.AddFlags(flags)
	flags.VisitAll(func(f *flag.Flag) {
		if strings.HasSuffix(f.Name, "-bind-address") {
			return // the manifests' ports
		}
		for value, want := range valuesOf(f) {
			text := fmt.Sprintf("controller: {%s: %s}", camelCase(f.Name), value)
			args := deployment(t, text).Spec.Template.Spec.Containers[0].Args
			if arg := "--" + f.Name + "=" + want; !slices.Contains(args, arg) {
				t.Errorf("%s=%s gives %v, and not %s", camelCase(f.Name), value, args, arg)
			}
		}
	})
}

func TestWhatIsSetIsGivenAndWhatIsNotIsLeftToTheOperator(t *testing.T) {
	tests := map[string]struct {
		values string
		want   []string
	}{
		"the defaults":     {"", []string{"--leader-elect=true", "--extensions=false"}},
		"false is a value": {"controller: {leaderElect: false}", []string{"--leader-elect=false", "--extensions=false"}},
		"0 is a value": {
			"controller: {kubeApiQps: 0, kubeApiBurst: 0}",
			[]string{"--leader-elect=true", "--extensions=false", "--kube-api-qps=0", "--kube-api-burst=0"},
		},
		"a fraction stays one": {
			"controller: {kubeApiQps: 0.5}", []string{"--leader-elect=true", "--extensions=false", "--kube-api-qps=0.5"},
		},
		"a million has digits": {
			"controller: {pprofBlockProfileRate: 1000000}",
			[]string{"--leader-elect=true", "--extensions=false", "--pprof-block-profile-rate=1000000"},
		},
		"null takes a default away": {"controller: {leaderElect: null, extensions: null}", nil},
		"other arguments go verbatim": {
			`controller: {leaderElect: null, extensions: null, extraArgs: ['--zap-log-level="x y"']}`,
			[]string{`--zap-log-level="x y"`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, deployment(t, test.values).Spec.Template.Spec.Containers[0].Args); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWrongValuesAreRefused(t *testing.T) {
	for values, want := range map[string]string{
		"image: {tag: ''}":                                                    "image.tag is required",
		tag + "replicaCount: -1":                                              "replicaCount",
		tag + "replicaCont: 1":                                                "replicaCont",
		tag + "controller: {leaderElect: 'yes'}":                              "leaderElect",
		tag + "controller: {sandboxConcurrentWorkers: 0}":                     "sandboxConcurrentWorkers",
		tag + "controller: {unknown: 1}":                                      "unknown",
		tag + "controller: {watchNamespaces: [A_b]}":                          "watchNamespaces",
		tag + "controller: {extraArgs: [verbose]}":                            "extraArgs",
		tag + "crds: {servedVersions: [v1alpha1]}":                            "servedVersions",
		tag + "crds: {servedVersions: [v1beta1, v1]}":                         "servedVersions",
		tag + "image: {pullPolicy: Sometimes}":                                "pullPolicy",
		tag + "router: {replicas: 1}":                                         "replicas",
		tag + "router: {namespaces: [A_b]}":                                   "namespaces",
		tag + "router: {namespaces: [b]}\ncontroller: {watchNamespaces: [a]}": "does not watch namespace b",
	} {
		if strings.Count(values, "image:") == 2 {
			values = strings.Replace(values, tag, "", 1)
		}
		if _, err := Render(directory, "default", values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q in it", values, err, want)
		}
	}
}

func TestHelmFindsNoFault(t *testing.T) {
	result := action.NewLint().Run([]string{directory}, map[string]any{"image": map[string]any{"tag": "v1"}})
	for _, err := range result.Errors {
		t.Error(err)
	}
	for _, message := range result.Messages {
		if !strings.Contains(message.Error(), "icon is recommended") {
			t.Error(message)
		}
	}
}
