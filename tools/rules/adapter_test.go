// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

// adapterRule has the fields of a rule of prometheus-adapter that the example uses.
type adapterRule struct {
	SeriesQuery, MetricsQuery string
	Resources                 struct {
		Overrides map[string]struct{ Resource string }
	}
	Name struct{ As string }
}

// autoscaler has the part of a HorizontalPodAutoscaler about an external metric.
type autoscaler struct {
	Spec struct {
		Metrics []struct {
			External struct {
				Metric struct {
					Name     string
					Selector struct{ MatchLabels map[string]string }
				}
			}
		}
	}
}

// query returns what prometheus-adapter asks Prometheus for an external metric.
func (r *adapterRule) query(t *testing.T, namespace string, selector map[string]string) string {
	t.Helper()
	matchers := []string{`namespace="` + namespace + `"`}
	for label, value := range selector {
		matchers = append(matchers, label+`="`+value+`"`)
	}
	parsed, err := template.New("").Delims("<<", ">>").Option("missingkey=error").Parse(r.MetricsQuery)
	if err != nil {
		t.Fatal(err)
	}
	out := &strings.Builder{}
	if err := parsed.Execute(out, map[string]string{
		"Series": r.SeriesQuery, "LabelMatchers": strings.Join(matchers, ","),
	}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTheRuleOfTheAdapterServesTheRateThatTheAutoscalerAsksFor(t *testing.T) {
	var values struct {
		Rules struct{ External []adapterRule }
	}
	if err := yaml.UnmarshalStrict(read(t, "examples/pools/prometheus-adapter.yaml"), &values); err != nil {
		t.Fatal(err)
	}
	var hpa autoscaler
	if err := yaml.Unmarshal(read(t, "examples/pools/hpa-claim-rate.yaml"), &hpa); err != nil {
		t.Fatal(err)
	}
	rule, metric := values.Rules.External[0], hpa.Spec.Metrics[0].External.Metric
	if rule.Name.As != metric.Name || rule.Resources.Overrides["namespace"].Resource != "namespace" {
		t.Errorf("the rule %+v does not serve %s in a namespace", rule, metric.Name)
	}
	if len(metric.Selector.MatchLabels) == 0 {
		t.Error("the autoscaler counts the claims for all pools")
	}
	asked, err := parser.NewParser(parser.Options{}).ParseExpr(rule.query(t, "team-a", metric.Selector.MatchLabels))
	if err != nil {
		t.Fatal(err)
	}
	want := `sum(rate(agent_sandbox_claim_creation_total{namespace="team-a",sandbox_template="python"}[2m]))`
	if asked.String() != want {
		t.Errorf("got %s\nwant %s", asked, want)
	}
	row := regexp.MustCompile(`(?m)^\| .agent_sandbox_claim_creation_total. \| counter \| (.*?) \|`).FindSubmatch(
		read(t, "docs/reference/metrics.md"))
	if row == nil {
		t.Fatal("the reference of metrics does not have the counter")
	}
	for _, label := range append([]string{"namespace"}, slices.Sorted(maps.Keys(metric.Selector.MatchLabels))...) {
		if !strings.Contains(string(row[1]), "`"+label+"`") {
			t.Errorf("the counter has no label %s, only %s", label, row[1])
		}
	}
}
