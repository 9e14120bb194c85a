// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

const root = "../.."

func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// groups are the rules as Prometheus reads them.
func groups(t *testing.T) *rulefmt.RuleGroups {
	t.Helper()
	var object struct{ Spec any }
	if err := yaml.Unmarshal(read(t, "operator/monitoring/prometheusrule.yaml"), &object); err != nil {
		t.Fatal(err)
	}
	spec, err := yaml.Marshal(object.Spec)
	if err != nil {
		t.Fatal(err)
	}
	parsed, errs := rulefmt.Parse(
		spec, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler),
	)
	for _, err := range errs {
		t.Error(err)
	}
	return parsed
}

func TestPrometheusTakesTheAlertRules(t *testing.T) {
	rules := 0
	for _, group := range groups(t).Groups {
		rules += len(group.Rules)
	}
	if rules == 0 {
		t.Error("there are none")
	}
}

func TestEachAlertSaysHowBadItIsAndWhatToDo(t *testing.T) {
	var pages []string
	lists := map[string]string{"docs/runbooks/README.md": "(", "docs/guides/operating.md": "(../runbooks/"}
	for _, group := range groups(t).Groups {
		for _, rule := range group.Rules {
			if !slices.Contains([]string{"critical", "warning", "info"}, rule.Labels["severity"]) {
				t.Errorf("%s: severity %q", rule.Alert, rule.Labels["severity"])
			}
			for _, key := range []string{"summary", "description"} {
				if rule.Annotations[key] == "" {
					t.Errorf("%s: no %s", rule.Alert, key)
				}
			}
			page := "docs/runbooks/" + rule.Alert + ".md"
			if !strings.HasSuffix(rule.Annotations["runbook_url"], "/blob/main/"+page) {
				t.Errorf("%s: runbook %q", rule.Alert, rule.Annotations["runbook_url"])
			}
			if !strings.HasPrefix(string(read(t, page)), "# "+rule.Alert+"\n") {
				t.Errorf("%s is about something else", page)
			}
			for list, before := range lists {
				if !strings.Contains(string(read(t, list)), before+rule.Alert+".md)") {
					t.Errorf("%s is missing in %s", rule.Alert, list)
				}
			}
			pages = append(pages, rule.Alert+".md")
		}
	}
	there, err := filepath.Glob(filepath.Join(root, "docs/runbooks/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range there {
		if name := filepath.Base(page); name != "README.md" && !slices.Contains(pages, name) {
			t.Errorf("%s is about no alert", name)
		}
	}
}

// variables of Grafana, with what it may put there.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$namespace", "default", "$job", "operator")

// queries are all questions that the rules and the dashboard ask, by where they stand.
func queries(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, group := range groups(t).Groups {
		for _, rule := range group.Rules {
			all["alert "+rule.Alert] = rule.Expr
		}
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ RefID, Expr string }
		}
	}
	if err := json.Unmarshal(read(t, "operator/monitoring/dashboard.json"), &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			all["panel "+panel.Title+" "+target.RefID] = variables.Replace(target.Expr)
		}
	}
	return all
}

// described is a row of the reference: name, type, labels. Tests of operator/internal/metrics and test/integration see
// that it is right.
var described = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| (.*?) \\|")

// series are the labels of all series, by name, as docs/reference/metrics.md lists them.
func series(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, row := range described.FindAllStringSubmatch(string(read(t, "docs/reference/metrics.md")), -1) {
		names := regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[3], -1)
		var has []string
		for _, name := range names {
			has = append(has, name[1])
		}
		if row[2] == "histogram" {
			all[row[1]+"_bucket"] = append(has, "le")
			all[row[1]+"_sum"], all[row[1]+"_count"] = has, has
			continue
		}
		all[row[1]] = has
	}
	return all
}

func TestQueriesNameSeriesAndLabelsThatExist(t *testing.T) {
	known := series(t)
	if len(known) == 0 {
		t.Fatal("docs/reference/metrics.md describes nothing")
	}
	asked := queries(t)
	for where, query := range asked {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			selector, ok := node.(*parser.VectorSelector)
			if !ok {
				return nil
			}
			has, described := known[selector.Name]
			if !described {
				t.Errorf("%s: there is no %s", where, selector.Name)
			}
			for _, matcher := range selector.LabelMatchers {
				if described && matcher.Name != model.MetricNameLabel && matcher.Name != "job" &&
					!slices.Contains(has, matcher.Name) {
					t.Errorf("%s: %s has no label %s", where, selector.Name, matcher.Name)
				}
			}
			return nil
		})
	}
	if len(asked) < 20 {
		t.Errorf("only %d queries were found", len(asked))
	}
}
