// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package permissions

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// checkMetricsAccess reads secure metrics without a token, without permission and with permission, which must return
// the metrics of the reference.
func checkMetricsAccess(w *world) {
	w.Helper()
	stranger, prometheus := token(w, "stranger"), token(w, "prometheus")
	server.Grant(w.T, "system:serviceaccount:"+w.namespace+":prometheus", "", rbacv1.PolicyRule{
		NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"},
	})
	for who, test := range map[string]struct {
		token string
		want  int
	}{"nobody": {"", http.StatusUnauthorized}, "a stranger": {stranger, http.StatusForbidden}} {
		if code, _ := scrape(w, test.token); code != test.want {
			w.Errorf("%s reads the metrics with %d", who, code)
		}
	}
	var families map[string]*dto.MetricFamily
	w.eventually("metrics for a user with permission", func() error {
		code, all := scrape(w, prometheus)
		if families = all; code != http.StatusOK {
			return fmt.Errorf("code %d", code)
		}
		if families[delayedMetric] == nil {
			return fmt.Errorf("no %s yet", delayedMetric)
		}
		return nil
	})
	checkDocumented(w, families)
}

func token(w *world, name string) string {
	w.Helper()
	accounts := kubernetes.NewForConfigOrDie(server.Config()).CoreV1().ServiceAccounts(w.namespace)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := accounts.Create(w.Context(), account, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
	request, err := accounts.CreateToken(w.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
	return request.Status.Token
}

func scrape(w *world, token string) (int, map[string]*dto.MetricFamily) {
	w.Helper()
	req, err := http.NewRequestWithContext(w.Context(), http.MethodGet, "https://"+w.metrics+"/metrics", nil)
	if err != nil {
		w.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	//nolint:gosec // the certificate is self-signed
	anyCertificate := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer anyCertificate.CloseIdleConnections()
	res, err := (&http.Client{Transport: anyCertificate}).Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return res.StatusCode, nil
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(res.Body)
	if err != nil {
		w.Fatal(err)
	}
	return res.StatusCode, families
}

var (
	row  = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| (.*?) \\|")
	word = regexp.MustCompile(`\w+`)
)

// conditionalMetric is a metric that an operator of some namespaces does not serve, because it does not read
// definitions.
const conditionalMetric = "agent_sandbox_version_skew"

// delayedMetric is a metric that the operator serves some seconds after a pool has got a member that cannot start.
const delayedMetric = "agent_sandbox_warm_pool_blocked_replicas"

// checkDocumented fails the test unless the operator serves the metrics of docs/reference/metrics.md with their labels.
func checkDocumented(w *world, families map[string]*dto.MetricFamily) {
	w.Helper()
	text, err := os.ReadFile("../../../docs/reference/metrics.md")
	if err != nil {
		w.Fatal(err)
	}
	rows := row.FindAllStringSubmatch(string(text), -1)
	if len(rows) < 20 {
		w.Errorf("the reference has %d rows", len(rows))
	}
	for _, r := range rows {
		name, kind, labels := r[1], r[2], word.FindAllString(r[3], -1)
		family := families[name]
		if family == nil {
			if name != conditionalMetric {
				w.Errorf("the operator serves no %s", name)
			}
			continue
		}
		if got := strings.ToLower(family.GetType().String()); got != kind {
			w.Errorf("%s is a %s, not a %s", name, got, kind)
		}
		has := map[string]bool{}
		for _, pair := range family.GetMetric()[0].GetLabel() {
			has[pair.GetName()] = true
		}
		for _, label := range labels {
			if !has[label] {
				w.Errorf("%s has no label %s, but %v", name, label, has)
			}
		}
	}
}
