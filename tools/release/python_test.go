// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestVersionsOfPythonPackages(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3":             "1.2.3",
		"v1.2.3-rc.1":        "1.2.3rc1",
		"v1.2.3-alpha2":      "1.2.3a2",
		"v1.2.3-beta.10":     "1.2.3b10",
		"v1.2.3-4-gabc":      "1.2.3.dev0+4.gabc",
		"v0.0.0-dev.Trial-1": "0.0.0.dev0+dev.trial.1",
	} {
		if got := pythonVersion(version); got != want {
			t.Errorf("%s: got %s, want %s", version, got, want)
		}
	}
}

func TestThePythonClientIsBuiltTwiceToTheSameBytes(t *testing.T) {
	var built [2]map[string][]byte
	for i := range built {
		built[i] = map[string][]byte{}
		r := &release{root: "../..", out: t.TempDir(), version: "v1.2.3-rc.1", date: then.UTC(), sums: map[string]string{}}
		if err := r.python(); err != nil {
			t.Fatal(err)
		}
		for name := range r.sums {
			data, err := os.ReadFile(filepath.Join(r.out, name))
			if err != nil {
				t.Fatal(err)
			}
			built[i][name] = data
		}
	}
	for _, name := range []string{
		"agent_sandbox_client-1.2.3rc1-py3-none-any.whl", "agent_sandbox_client-1.2.3rc1.tar.gz",
		"k8s_agent_sandbox-1.2.3rc1-py3-none-any.whl", "k8s_agent_sandbox-1.2.3rc1.tar.gz",
	} {
		if len(built[0][name]) == 0 || !bytes.Equal(built[0][name], built[1][name]) {
			t.Errorf("%s is missing, or differs from one build to the next", name)
		}
	}
}
