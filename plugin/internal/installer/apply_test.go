// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package installer

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestUnserved(t *testing.T) {
	condition := func(kind, status, message string) any {
		return map[string]any{"type": kind, "status": status, "message": message}
	}
	for name, c := range map[string]struct {
		status any
		want   string
	}{
		"just created":     {map[string]any{"conditions": nil}, "not serve it yet"},
		"no status at all": {nil, "not serve it yet"},
		"not yet": {
			map[string]any{"conditions": []any{condition("Established", "False", "installing")}}, "not serve it yet",
		},
		"its name is taken": {
			map[string]any{"conditions": []any{condition("NamesAccepted", "False", "sandboxes is taken")}}, "sandboxes is taken",
		},
		"served": {
			map[string]any{"conditions": []any{
				condition("NamesAccepted", "True", ""), condition("Established", "True", ""),
			}}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := definitionObstacle(&unstructured.Unstructured{Object: map[string]any{"status": c.status}})
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("unserved = %q, want %q in it", got, c.want)
			}
		})
	}
}
