// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const chart = repository + "/operator/chart/agent-sandbox/"

// schema is the part of a JSON schema that names the values of the chart.
type schema struct {
	Properties map[string]schema `json:"properties"`
}

// valuesOf returns the defaults of all values that a schema has, by their paths. Values without a default have an empty
// one.
func valuesOf(s schema, defaults any, path string) map[string]string {
	all := map[string]string{}
	if len(s.Properties) == 0 {
		all[path] = ""
		if text, err := json.Marshal(defaults); err == nil && defaults != nil {
			all[path] = "`" + string(text) + "`"
		}
		return all
	}
	given, _ := defaults.(map[string]any)
	for name, property := range s.Properties {
		maps.Copy(all, valuesOf(property, given[name], strings.TrimPrefix(path+"."+name, ".")))
	}
	return all
}

func TestTheReadmeOfTheChartHasEveryValueWithItsDefault(t *testing.T) {
	read := func(name string, into any) string {
		text, err := os.ReadFile(filepath.FromSlash(chart + name))
		if err != nil {
			t.Fatal(err)
		}
		if into != nil {
			if err := yaml.Unmarshal(text, into); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		return string(text)
	}
	var values schema
	var defaults map[string]any
	read("values.schema.json", &values)
	read("values.yaml", &defaults)
	want := valuesOf(values, defaults, "")
	delete(want, "global") // Helm's own

	documented := map[string]string{}
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.*?) ?\\| .+ \\|$")
	for _, match := range row.FindAllStringSubmatch(read("README.md", nil), -1) {
		documented[match[1]] = match[2]
	}
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("operator/chart/agent-sandbox/README.md (-values +documented):\n%s", diff)
	}
}
