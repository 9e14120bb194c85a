// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/test/e2e/harness"
)

// serveMetric serves one external metric to the cluster's autoscaler, as a metrics adapter does. Without the selector
// it has no values. It returns the value, which the test may change.
func serveMetric(h *harness.T, name, selector string) *atomic.Value {
	h.Helper()
	var value atomic.Value
	value.Store("0")
	const group = "/apis/external.metrics.k8s.io/v1beta1"
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, body map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body) // the client has disconnected
	}
	mux.HandleFunc(group, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "external.metrics.k8s.io/v1beta1",
			"resources": []any{
				map[string]any{"name": name, "namespaced": true, "kind": "ExternalMetricValueList", "verbs": []string{"get"}},
			},
		})
	})
	mux.HandleFunc(group+"/namespaces/"+h.Namespace+"/"+name, func(w http.ResponseWriter, r *http.Request) {
		items := []any{}
		if r.URL.Query().Get("labelSelector") == selector {
			items = append(items, map[string]any{
				"metricName": name, "metricLabels": map[string]string{}, "timestamp": time.Now().UTC().Format(time.RFC3339),
				"value": value.Load(),
			})
		}
		answer(w, map[string]any{
			"kind": "ExternalMetricValueList", "apiVersion": "external.metrics.k8s.io/v1beta1", "metadata": map[string]any{},
			"items": items,
		})
	})
	address := localAddress(h)
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		h.Fatal(err)
	}
	server := httptest.NewUnstartedServer(mux)
	_ = server.Listener.Close() // the listener below replaces it
	server.Listener = listener
	server.StartTLS()
	h.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	h.Apply(fmt.Sprintf(`
apiVersion: v1
kind: Service
metadata: {name: metrics}
spec: {ports: [{name: https, port: 443}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: metrics, labels: {kubernetes.io/service-name: metrics}}
addressType: IPv4
ports: [{name: https, port: %s}]
endpoints: [{addresses: [%s], conditions: {ready: true}}]
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.external.metrics.k8s.io}
spec:
  group: external.metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: metrics, namespace: %s}
`, port, address, h.Namespace))
	h.Cleanup(func() { // before the server ends: a namespace is not deleted while a group does not answer
		if r := h.KubectlWithoutNamespace("delete", "apiservice", "v1beta1.external.metrics.k8s.io"); r.Code != 0 {
			h.Errorf("%v", r)
		}
	})
	return &value
}

// localAddress returns the address at which the cluster can reach the test.
func localAddress(h *harness.T) string {
	h.Helper()
	server, err := url.Parse(h.MustKubectl("config", "view", "--minify", "-o", "jsonpath={.clusters[0].cluster.server}"))
	if err != nil {
		h.Fatal(err)
	}
	connection, err := net.Dial("tcp", server.Host)
	if err != nil {
		h.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	address, _, err := net.SplitHostPort(connection.LocalAddr().String())
	if err != nil {
		h.Fatal(err)
	}
	return address
}

func TestAnAutoscalerSizesAPoolByTheRateOfClaims(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	rate := serveMetric(h, "sandbox_claims_per_second", "sandbox_template=python")
	rate.Store("600m") // a second
	// pause exits on SIGTERM; sleep as the main process ignores it, so that each deletion takes 30 seconds.
	h.Apply(strings.Replace(example(h, "templates/python.yaml"), "command: [sleep, infinity]", "command: [/pause]", 1))
	h.Apply(example(h, "pools/warm.yaml"))
	h.FullPool("python-warm")
	checkClaimLoad(h)
	// Scale down at once instead of after the example's two minutes.
	h.Apply(strings.Replace(example(h, "pools/hpa-claim-rate.yaml"), "stabilizationWindowSeconds: 120",
		"stabilizationWindowSeconds: 0", 1))
	replicas := func() string { return h.MustKubectl("get", "swp/python-warm", "-o", "jsonpath={.spec.replicas}") }
	follows := func(want string) {
		t.Helper()
		h.Eventually("the autoscaler asks for "+want, func() error {
			if got := replicas(); got != want {
				return fmt.Errorf("the pool has %s; %s", got, h.Kubectl("get", "hpa", "-o", "jsonpath={.items[0].status}").Stdout)
			}
			return nil
		})
	}
	follows("6") // claims of ten seconds
	rate.Store("250m")
	h.FullPool("python-warm")
	follows("3")
	h.FullPool("python-warm")
}

// checkClaimLoad runs the example's load generator and checks that the operator serves and counts its claims.
func checkClaimLoad(h *harness.T) {
	h.Helper()
	h.Apply(example(h, "pools/claim-load.yaml"))
	const enough = 2
	h.Eventually("the load is served", func() error {
		out := h.MustKubectl("get", "sandboxclaims", "-o",
			`jsonpath={range .items[*]}{.metadata.name}={.status.conditions[?(@.type=="Ready")].status} {end}`)
		if served := strings.Count(out, "=True "); served < enough || served != strings.Count(out, "load-") {
			return fmt.Errorf("claims are %s", out)
		}
		return nil
	})
	h.MustKubectl("delete", "job/claim-load")
	h.Eventually("the claims are counted", func() error {
		text := h.MustKubectl("get", "--raw",
			"/api/v1/namespaces/"+apis.OperatorNamespace+"/services/"+apis.OperatorName+":metrics/proxy/metrics")
		var counted float64
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "agent_sandbox_claim_creation_total{") ||
				!strings.Contains(line, `namespace="`+h.Namespace+`"`) {
				continue
			}
			number, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 64)
			if err != nil {
				return err
			}
			counted += number
		}
		if counted < enough {
			return fmt.Errorf("%v claims were counted", counted)
		}
		return nil
	})
}
