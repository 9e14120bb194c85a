// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package pool_test

import (
	"fmt"
	"slices"
	"testing"

	clienttesting "k8s.io/client-go/testing"

	"github.com/agent-sandbox/kubectl-sandbox/test/fakecluster"
)

func TestADryRunOfAPoolIsTheServersOrSendsNothing(t *testing.T) {
	for _, line := range []string{"set-template warm node", "scale warm --replicas 9"} {
		for mode, want := range map[string][]string{
			"": {"[]"}, " --dry-run=none": {"[]"}, " --dry-run": nil, " --dry-run=server": {"[All]"},
		} {
			cluster := fakecluster.New(objects()...)
			if _, _, err := run(t, cluster, line+mode); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, action := range cluster.Sandboxes.Actions() {
				if patch, ok := action.(clienttesting.PatchActionImpl); ok {
					got = append(got, fmt.Sprint(patch.PatchOptions.DryRun))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s%s: sent %q", line, mode, got)
			}
		}
	}
}
