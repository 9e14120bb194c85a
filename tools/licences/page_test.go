// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/tools/modules"
)

func TestThePageHasEveryModuleAndRefusesOtherLicences(t *testing.T) {
	known := map[string][]string{"example.com/a": {"MIT"}, "example.com/b": {"Apache-2.0", "BSD-3-Clause"}}
	tests := map[string]struct {
		modules []modules.Module
		want    []string
		refused string
	}{
		"those that are accepted": {
			modules: []modules.Module{{Path: "example.com/a"}, {Path: "example.com/b"}},
			want:    []string{"| `example.com/a` | MIT |", "| `example.com/b` | Apache-2.0, BSD-3-Clause |"},
		},
		"one that is not": {
			modules: []modules.Module{{Path: "example.com/gpl"}}, refused: "example.com/gpl is under GPL-3.0",
		},
		"documents under their own": {
			modules: []modules.Module{{Path: "example.com/documents"}},
			want:    []string{"| `example.com/documents` | Apache-2.0, CC-BY-4.0 |"},
		},
		"documents alone": {
			modules: []modules.Module{{Path: "example.com/text"}}, refused: "example.com/text is under CC-BY-4.0",
		},
		"one that has none": {modules: []modules.Module{{Path: "example.com/none"}}, refused: "no licence"},
	}
	known["example.com/gpl"], known["example.com/text"] = []string{"GPL-3.0"}, []string{"CC-BY-4.0"}
	known["example.com/documents"] = []string{"Apache-2.0", "CC-BY-4.0"}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			page, err := write(tt.modules, func(m modules.Module) ([]string, error) {
				if names := known[m.Path]; names != nil {
					return names, nil
				}
				return nil, errors.New(m.Path + " has no licence")
			})
			if (err != nil) != (tt.refused != "") || (err != nil && !strings.Contains(err.Error(), tt.refused)) {
				t.Fatalf("got %v", err)
			}
			for _, line := range tt.want {
				if !strings.Contains(string(page), line+"\n") {
					t.Errorf("the page has no %q:\n%s", line, page)
				}
			}
		})
	}
}
