// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/operator/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

const (
	published   = "ghcr.io/agent-sandbox/agent-sandbox-controller:"
	mirror      = "mirror.example/operator:v1"
	development = "v0.0.0-dev" // the version of a test build, and the tag of its image
)

// installed returns the Deployment of an operator that a version installed with the options.
func installed(t *testing.T, options install.Options, version string, labels map[string]string) *appsv1.Deployment {
	t.Helper()
	objects, err := install.Render(options)
	if err != nil {
		t.Fatal(err)
	}
	d := &appsv1.Deployment{}
	at := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "Deployment" && !install.IsRouter(o)
	})
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(objects[at].Object, d); err != nil {
		t.Fatal(err)
	}
	d.Labels["app.kubernetes.io/version"] = version
	maps.Copy(d.Labels, labels)
	ownAll(t, d)
	return d
}

// ownAll records that the variables of a Deployment were set with the installation.
func ownAll(t *testing.T, d *appsv1.Deployment) {
	t.Helper()
	set := fieldpath.NewSet()
	for _, container := range d.Spec.Template.Spec.Containers {
		for _, variable := range container.Env {
			set.Insert(fieldpath.MakePathOrDie("spec", "template", "spec", "containers",
				fieldpath.KeyByFields("name", container.Name), "env", fieldpath.KeyByFields("name", variable.Name), "value"))
		}
	}
	fields, err := set.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	entry := metav1.ManagedFieldsEntry{Manager: "kubectl-sandbox", FieldsV1: metav1.NewFieldsV1(string(fields))}
	d.ManagedFields = []metav1.ManagedFieldsEntry{entry}
}

func TestWhichImageRuns(t *testing.T) {
	tests := map[string]struct {
		image, version string // of what is installed
		ours           string
		choices        Choices
		want           string // empty: refused
		says           string
	}{
		"the same version keeps its image": {
			image: published + "v1.2.0", version: "v1.2.0", ours: "v1.2.0", want: published + "v1.2.0",
		},
		"the same version keeps another's image, and says": {
			image: mirror, version: "v1.2.0", ours: "v1.2.0", want: mirror, says: "keeps the image " + mirror,
		},
		"a development build keeps what is there": {
			image: mirror, version: "45bf033-dirty", ours: "45bf033-dirty", want: mirror, says: "--image changes it",
		},
		"a published image becomes that of this version": {
			image: published + "v1.1.0", version: "v1.1.0", ours: "v1.2.0", want: published + development,
		},
		"one that is not published has to be named": {
			image: mirror, version: "v1.1.0", ours: "v1.2.0",
			says: "is not one that this project publishes: name the one to run with this program's v1.2.0",
		},
		"a development build publishes none": {
			image: published + "v1.1.0", version: "v1.1.0", ours: "v1.2.0-3-gabcdef", says: "not published",
		},
		"one that the user names is taken": {
			image: mirror, version: "v1.1.0", ours: "v1.2.0", choices: Choices{Image: "mirror.example/operator:v2"},
			want: "mirror.example/operator:v2",
		},
		"the default is asked for": {
			image: mirror, version: "v1.2.0", ours: "v1.2.0", choices: Choices{Defaults: true}, want: published + development,
		},
		"the default of a development build is no default": {
			image: mirror, version: "abc", ours: "abc", choices: Choices{Defaults: true}, want: mirror, says: "keeps the image",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, remarks, err := tt.choices.mergeInto(
				installed(t, install.Options{Image: tt.image}, tt.version, nil), "kubectl sandbox", tt.ours,
			)
			said := strings.Join(remarks, "|")
			if err != nil {
				said = err.Error()
			}
			if o = o.Complete(); (err == nil) != (tt.want != "") || err == nil && o.Image != tt.want ||
				err != nil && cli.ExitCode(err) != cli.ExitUsage {
				t.Errorf("image %s, %v", o.Image, err)
			}
			if (tt.says == "") != (said == "") || !strings.Contains(said, tt.says) {
				t.Errorf("it says %q", said)
			}
		})
	}
}

func TestWithoutAnInstallationADevelopmentBuildSaysThatItsImageIsNotPublished(t *testing.T) {
	for ours, says := range map[string]bool{
		"v1.2.0": false, "v1.2.0-rc.1": false, "v1.2.0-3-gabcdef": true, "v0.0.0-dev": true, "45bf033": true,
	} {
		if _, remarks, err := (&Choices{}).mergeInto(nil, "kubectl sandbox", ours); err != nil ||
			(len(remarks) == 1) != says {
			t.Errorf("%s: %q, %v", ours, remarks, err)
		}
	}
	if o, remarks, err := (&Choices{Image: mirror}).mergeInto(nil, "", "v0.0.0-dev"); err != nil || len(remarks) > 0 ||
		o.Image != mirror {
		t.Errorf("%+v, %q, %v", o, remarks, err)
	}
}

func TestWhatWasChosenStaysUnlessAFlagAsks(t *testing.T) {
	was := install.Options{
		Namespace: "elsewhere", Image: mirror, Replicas: new(int32(3)), CoreOnly: true, WatchNamespaces: []string{"a"},
		Args: []string{"--kube-api-qps=5", "--metrics-secure"}, Env: []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B"}},
	}
	tests := map[string]struct {
		choices Choices
		change  func(*install.Options)
	}{
		"nothing is asked for": {change: func(*install.Options) {}},
		"replicas":             {Choices{Replicas: new(int32(1))}, func(o *install.Options) { o.Replicas = new(int32(1)) }},
		"all kinds":            {Choices{CoreOnly: new(false)}, func(o *install.Options) { o.CoreOnly = false }},
		"all namespaces":       {Choices{WatchNamespaces: []string{}}, func(o *install.Options) { o.WatchNamespaces = nil }},
		"one version is served": {
			Choices{ServedVersions: []string{"v1beta1"}},
			func(o *install.Options) { o.ServedVersions = []string{"v1beta1"} },
		},
		"an argument in place of its other value": {
			Choices{Args: []string{"--kube-api-qps=9"}},
			func(o *install.Options) { o.Args = []string{"--metrics-secure", "--kube-api-qps=9"} },
		},
		"an argument in addition to the others": {
			Choices{Args: []string{"--v=2"}}, func(o *install.Options) { o.Args = append(slices.Clone(o.Args), "--v=2") },
		},
		"another value of one that is always there": {
			Choices{Args: []string{"--leader-elect=false"}},
			func(o *install.Options) { o.Args = append(slices.Clone(o.Args), "--leader-elect=false") },
		},
		"variables in place of their other values, and in addition": {
			Choices{Env: []string{"A=0", "A=x=y", "C="}},
			func(o *install.Options) { o.Env = []corev1.EnvVar{{Name: "B"}, {Name: "A", Value: "x=y"}, {Name: "C"}} },
		},
		"the defaults, with what is asked for beside": {
			Choices{Defaults: true, Image: "x", Args: []string{"--v=2"}},
			func(o *install.Options) {
				*o = install.Options{Namespace: "elsewhere", Image: "x", Args: []string{"--v=2"}}
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			want := was
			tt.change(&want)
			got, _, err := tt.choices.mergeInto(installed(t, was, development, nil), "kubectl sandbox", development)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Complete(), got.Complete()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnOperatorThatWasScaledToZeroStaysSoAndSaysSo(t *testing.T) {
	d := installed(t, install.Options{Replicas: new(int32(0))}, development, nil)
	o, remarks, err := (&Choices{}).mergeInto(d, "kubectl sandbox", development)
	if err != nil || *o.Replicas != 0 || !strings.Contains(strings.Join(remarks, "|"), "stays scaled to zero") {
		t.Errorf("%+v, %q, %v", o, remarks, err)
	}
}

func TestWhatIsNotTouched(t *testing.T) {
	tests := map[string]struct {
		labels  map[string]string
		choices Choices
		want    string // empty: it goes ahead
	}{
		"what the plugin installed is upgraded": {},
		"what Helm installed is left to Helm": {
			labels: map[string]string{apis.LabelManagedBy: "Helm"}, want: "upgrade it with Helm",
		},
		"a newer operator is kept": {
			labels: map[string]string{apis.LabelVersion: "v99.0.0"}, want: "newer than this program's",
		},
		"a newer operator goes if the user likes": {
			labels: map[string]string{apis.LabelVersion: "v99.0.0"}, choices: Choices{AllowDowngrade: true},
		},
		"a commit is no version": {labels: map[string]string{apis.LabelVersion: "45bf033-dirty"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, _, err := test.choices.mergeInto(
				installed(t, install.Options{}, "v1.0.0", test.labels), "kubectl sandbox", "v1.2.0",
			)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) ||
				cli.ExitCode(err) != cli.ExitFailed):
				t.Errorf("got %v with code %d, want %q in it", err, cli.ExitCode(err), test.want)
			}
		})
	}
}

func TestTheImageOfAnUpgradeIsAskedForOnlyWhereNobodyKnowsIt(t *testing.T) {
	for name, tt := range map[string]struct {
		image, version string
		asked          bool
	}{
		"of this version":    {mirror, development, false},
		"of another version": {mirror, "v0.0.0-former", true},
	} {
		if got := ImageRequired(installed(t, install.Options{Image: tt.image}, tt.version, nil)); got != tt.asked {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestNewer(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"v1.2.3", "v1.2.2", true},
		{"v1.2.3", "v1.2.3", false},
		{"v1.2.3", "v1.2.3-rc.1", true},
		{"v1.2.2", "v1.2.3", false},
		{"45bf033", "v1.2.3", false},
		{"v1.2.3", "45bf033", false},
		{"", "v1.2.3", false},
	} {
		if got := IsNewer(test.a, test.b); got != test.want {
			t.Errorf("Newer(%q, %q) = %v", test.a, test.b, got)
		}
	}
}
