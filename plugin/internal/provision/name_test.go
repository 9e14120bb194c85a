// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package provision

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

func TestAGeneratedNameBeginsWithTheSource(t *testing.T) {
	tests := map[string]struct {
		options Options
		prefix  string
		want    string
	}{
		"a template":               {options: Options{Template: "python", Pool: "warm"}, want: "python-"},
		"a pool":                   {options: Options{Pool: "python.warm"}, want: "python-warm-"},
		"an image":                 {options: Options{Image: "debian"}, want: "debian-"},
		"an image with a tag":      {options: Options{Image: "registry:5000/team/Py_3:v1"}, want: "py-3-"},
		"an image with a digest":   {options: Options{Image: "x.io/a/node:22@sha256:abc"}, want: "node-"},
		"what begins with a digit": {options: Options{Template: "3d"}, want: "sandbox-3d-"},
		"no source at all":         {want: "sandbox-"},
		"a prefix of the user":     {options: Options{Template: "python"}, prefix: "job-", want: "job-"},
		"a long one is cut": {
			options: Options{Template: strings.Repeat("a", 100)}, want: strings.Repeat("a", 57) + "-",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := tt.options.GenerateName(tt.prefix)
			if got[:len(got)-suffixLength] != tt.want || len(validation.IsDNS1035Label(got)) > 0 {
				t.Errorf("got %q, want %s...", got, tt.want)
			}
			if another := tt.options.GenerateName(tt.prefix); another == got {
				t.Errorf("%q twice", got)
			}
		})
	}
}
