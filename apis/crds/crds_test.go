// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package crds_test

import (
	"slices"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/apis"
	"github.com/agent-sandbox/kubectl-sandbox/apis/crds"
)

func TestAllFourKindsAreEmbedded(t *testing.T) {
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	var names, core []string
	for _, crd := range all {
		names = append(names, crd.Name)
		if crds.Core(crd) {
			core = append(core, crd.Name)
		}
	}
	want := []string{apis.CRDSandboxes, apis.CRDSandboxClaims, apis.CRDSandboxTemplates, apis.CRDSandboxWarmPools}
	if !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if !slices.Equal(core, want[:1]) {
		t.Errorf("the core is %v, want Sandbox alone", core)
	}
}
