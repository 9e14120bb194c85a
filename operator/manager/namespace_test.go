// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"testing"
)

func TestOwnNamespace(t *testing.T) {
	none := errors.New("no such file")
	tests := map[string]struct {
		variable, file string
		err            error
		want           string
	}{
		"the Deployment says it":                          {variable: "here", file: "there", want: "here"},
		"else the ServiceAccount does":                    {file: "there\n", want: "there"},
		"outside of a cluster it is where it would be":    {err: none, want: "agent-sandbox-system"},
		"an empty file says nothing":                      {want: "agent-sandbox-system"},
		"the variable is enough where no file is mounted": {variable: "here", err: none, want: "here"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := ownNamespace(
				func(name string) string { return map[string]string{"POD_NAMESPACE": tt.variable}[name] },
				func(string) ([]byte, error) { return []byte(tt.file), tt.err })
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
