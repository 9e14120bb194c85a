// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package places

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestClusterNames(t *testing.T) {
	t.Setenv(stateVariable, "/clusters")
	tests := map[string]bool{
		"dev": true, "a": true, "e2e-1": true, strings.Repeat("a", 30): true,
		"": false, "..": false, "a/b": false, "Dev": false, "-a": false, "a-": false, strings.Repeat("a", 31): false,
	}
	for name, valid := range tests {
		dir, err := Cluster(name)
		if (err == nil) != valid {
			t.Errorf("%q: %v", name, err)
		}
		if valid && dir != filepath.Join("/clusters", name) {
			t.Errorf("%q is in %s", name, dir)
		}
	}
}

func TestTheCacheCanBeElsewhere(t *testing.T) {
	t.Setenv(cacheVariable, "/elsewhere")
	if dir, err := Cache(); err != nil || dir != "/elsewhere" {
		t.Errorf("got %s, %v", dir, err)
	}
	t.Setenv(cacheVariable, "")
	t.Setenv("XDG_CACHE_HOME", "/xdg")
	if dir, err := Cache(); err != nil || dir != "/xdg/kubectl-sandbox" {
		t.Errorf("got %s, %v", dir, err)
	}
}
