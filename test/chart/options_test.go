// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

// typed returns the object of a kind, decoded strictly.
func typed[T any](t *testing.T, all []*unstructured.Unstructured, kind string) *T {
	t.Helper()
	object := find(all, kind, "")
	if object == nil {
		t.Fatalf("there is no %s", kind)
	}
	into := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, into, true); err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return into
}

func TestWhatIsNotAskedForIsNotMade(t *testing.T) {
	all := render(t, "")
	for _, kind := range []string{
		"PodDisruptionBudget", "NetworkPolicy", "ServiceMonitor", "PrometheusRule", "ConfigMap", "Secret",
	} {
		if find(all, kind, "") != nil {
			t.Errorf("there is a %s", kind)
		}
	}
	all = render(t,
		"namespace: {create: false}\nserviceAccount: {create: false}\nrbac: {create: false, aggregate: false}\ncrds: "+
			"{install: false}")
	var kinds []string
	for _, o := range all {
		kinds = append(kinds, o.GetKind())
	}
	if diff := cmp.Diff([]string{"Service", "Deployment"}, kinds); diff != "" {
		t.Error(diff)
	}
}

func TestTheReleasesOwnNamespaceIsNotMadeAgain(t *testing.T) {
	all, err := Render(directory, apis.OperatorNamespace, tag+"crds: {install: false}")
	if err != nil {
		t.Fatal(err)
	}
	if find(all, "Namespace", "") != nil {
		t.Error("Helm would refuse the namespace that holds the release")
	}
	all, err = Render(directory, "release", tag+"crds: {install: false}\nnamespace: {name: ''}")
	if err != nil {
		t.Fatal(err)
	}
	if got := find(all, "Deployment", "").GetNamespace(); got != "release" {
		t.Errorf("the operator runs in %s", got)
	}
}

func TestThePodIsWhatTheValuesSay(t *testing.T) {
	d := deployment(t, `
replicaCount: 0
imagePullSecrets: [{name: registry}]
priorityClassName: system-cluster-critical
podLabels: {app: hijacked, team: blue}
podAnnotations: {note: "1"}
tolerations: [{operator: Exists}]
topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule}]
env: [{name: OTEL_EXPORTER_OTLP_ENDPOINT, value: "http://x:4317"}]
volumes: [{name: certs, secret: {secretName: certs}}]
volumeMounts: [{name: certs, mountPath: /certs}]
resources: {limits: {memory: 2Gi}}
`)
	pod := d.Spec.Template
	if *d.Spec.Replicas != 0 || pod.Spec.ImagePullSecrets[0].Name != "registry" ||
		pod.Spec.PriorityClassName != "system-cluster-critical" {
		t.Errorf("%+v", d.Spec)
	}
	for key, want := range map[string]string{
		"app": apis.OperatorName, "team": "blue", "app.kubernetes.io/instance": Name,
	} {
		if pod.Labels[key] != want {
			t.Errorf("label %s is %q, want %q", key, pod.Labels[key], want)
		}
	}
	if diff := cmp.Diff(map[string]string{"app": apis.OperatorName}, d.Spec.Selector.MatchLabels); diff != "" {
		t.Errorf("the selector can never change: %s", diff)
	}
	spread := pod.Spec.TopologySpreadConstraints[0]
	if spread.LabelSelector.MatchLabels["app"] != apis.OperatorName || spread.WhenUnsatisfiable != corev1.DoNotSchedule {
		t.Errorf("%+v", spread)
	}
	container := pod.Spec.Containers[0]
	if len(container.Env) != 2 || container.VolumeMounts[0].MountPath != "/certs" ||
		container.Resources.Limits.Memory().String() != "2Gi" {
		t.Errorf("%+v", container)
	}
	if container.Image != "ghcr.io/agent-sandbox/agent-sandbox-controller:v1" || pod.Annotations["note"] != "1" {
		t.Errorf("image %s, annotations %v", container.Image, pod.Annotations)
	}
}

func TestDisruptionBudgets(t *testing.T) {
	for values, want := range map[string]string{
		"enabled: true":                      "max 1",
		"enabled: true, maxUnavailable: 0":   "max 0",
		"enabled: true, minAvailable: 0":     "min 0",
		"enabled: true, minAvailable: '50%'": "min 50%",
	} {
		spec := typed[policyv1.PodDisruptionBudget](t, render(t, "podDisruptionBudget: {"+values+"}"),
			"PodDisruptionBudget").Spec
		got := ""
		if spec.MinAvailable != nil {
			got = "min " + spec.MinAvailable.String()
		}
		if spec.MaxUnavailable != nil {
			got += "max " + spec.MaxUnavailable.String()
		}
		if got != want || spec.Selector.MatchLabels["app"] != apis.OperatorName {
			t.Errorf("%s: got %s, want %s", values, got, want)
		}
	}
}

func TestTheNetworkPolicyLetsInMetricsAndProbes(t *testing.T) {
	spec := typed[networkingv1.NetworkPolicy](t, render(t, `
networkPolicy:
  enabled: true
  metricsFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
`), "NetworkPolicy").Spec
	if len(spec.PolicyTypes) != 1 || len(spec.Ingress) != 2 || len(spec.Egress) != 0 {
		t.Fatalf("%+v", spec)
	}
	probes, metrics := spec.Ingress[0], spec.Ingress[1]
	if len(probes.From) != 0 || probes.Ports[0].Port.String() != "healthz" ||
		metrics.Ports[0].Port.String() != "metrics" ||
		metrics.From[0].NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] != "monitoring" {
		t.Errorf("%+v", spec.Ingress)
	}
	spec = typed[networkingv1.NetworkPolicy](t,
		render(t, "networkPolicy: {enabled: true, egress: [{ports: [{port: 6443}]}]}"), "NetworkPolicy").Spec
	if len(spec.PolicyTypes) != 2 || spec.Egress[0].Ports[0].Port.String() != "6443" {
		t.Errorf("%+v", spec)
	}
}

func TestSecureMetricsAreGrantedWhatTheyAsk(t *testing.T) {
	all := render(t, "controller: {metricsSecure: true}")
	for _, kind := range []string{"ClusterRole", "ClusterRoleBinding"} {
		if find(all, kind, apis.OperatorName+"-metrics") == nil {
			t.Errorf("there is no %s for the operator", kind)
		}
	}
	if find(all, "ClusterRole", "agent-sandbox-metrics-reader") == nil {
		t.Error("there is no role for scraping")
	}
	if all = render(t, "controller: {metricsSecure: false}"); find(all, "ClusterRole",
		apis.OperatorName+"-metrics") != nil {
		t.Error("metricsSecure false grants the permissions too")
	}
}

func TestDefinitionsAreKeptUnlessSomebodySaysOtherwise(t *testing.T) {
	const policy = "helm.sh/resource-policy"
	kept := find(render(t, "crds: {annotations: {note: '1'}}"), "CustomResourceDefinition",
		apis.CRDSandboxes).GetAnnotations()
	if kept[policy] != "keep" || kept["note"] != "1" || kept["controller-gen.kubebuilder.io/version"] == "" {
		t.Errorf("annotations %v", kept)
	}
	if lost := find(render(t, "crds: {keep: false}"), "CustomResourceDefinition",
		apis.CRDSandboxes).GetAnnotations(); lost[policy] != "" {
		t.Errorf("annotations %v", lost)
	}
}
