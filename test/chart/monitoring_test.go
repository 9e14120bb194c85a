// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
)

const monitoring = "../../operator/monitoring/"

// tools/rules checks the same file with the parsers of Prometheus.
func TestTheRulesAreThoseThatPrometheusReads(t *testing.T) {
	raw, err := os.ReadFile(monitoring + "prometheusrule.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var want monitoringv1.PrometheusRule
	if err := yaml.UnmarshalStrict(raw, &want); err != nil {
		t.Fatal(err)
	}
	got := typed[monitoringv1.PrometheusRule](t,
		render(t, "prometheusRule: {enabled: true, labels: {release: prometheus}}"), "PrometheusRule")
	if diff := cmp.Diff(want.Spec, got.Spec); diff != "" {
		t.Error(diff)
	}
	if len(want.Spec.Groups) == 0 || got.Labels["release"] != "prometheus" || got.Namespace != apis.OperatorNamespace {
		t.Errorf("%d groups, %+v", len(want.Spec.Groups), got.ObjectMeta)
	}
}

func TestTheDashboardIsTheOneThatGrafanaReads(t *testing.T) {
	raw, err := os.ReadFile(monitoring + "dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	got := typed[corev1.ConfigMap](t, render(t, "dashboard: {enabled: true}"), "ConfigMap")
	if diff := cmp.Diff(map[string]string{"dashboard.json": string(raw)}, got.Data); diff != "" ||
		got.Labels["grafana_dashboard"] != "1" {
		t.Errorf("labels %v: %s", got.Labels, diff)
	}
}

func TestTheServiceMonitorFindsTheService(t *testing.T) {
	for values, want := range map[string]string{
		"serviceMonitor: {enabled: true, interval: 5s, labels: {release: prometheus}}":     "",
		"controller: {metricsSecure: true}\nserviceMonitor: {enabled: true, interval: 5s}": "https",
	} {
		all := render(t, values)
		monitor := typed[monitoringv1.ServiceMonitor](t, all, "ServiceMonitor")
		service := typed[corev1.Service](t, all, "Service")
		for key, value := range monitor.Spec.Selector.MatchLabels {
			if service.Labels[key] != value {
				t.Errorf("the Service has the labels %v", service.Labels)
			}
		}
		endpoint := monitor.Spec.Endpoints[0]
		scheme := ""
		if endpoint.Scheme != nil {
			scheme = string(*endpoint.Scheme)
		}
		if endpoint.Port != service.Spec.Ports[0].Name || endpoint.Interval != "5s" || scheme != want ||
			monitor.Namespace != service.Namespace || !endpoint.HonorLabels {
			t.Errorf("%+v", endpoint)
		}
		if want == "" && monitor.Labels["release"] != "prometheus" {
			t.Errorf("labels %v", monitor.Labels)
		}
	}
}
