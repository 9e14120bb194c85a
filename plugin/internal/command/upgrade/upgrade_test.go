// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	factory "github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
)

func run(t *testing.T, args ...string) error {
	t.Helper()
	f := &factory.Factory{KubernetesClient: fake.NewClientset()}
	cmd := NewCommand(f, genericiooptions.NewTestIOStreamsDiscard())
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd.ExecuteContext(t.Context())
}

func TestWhereThereIsNoOperatorThereIsNothingToUpgrade(t *testing.T) {
	if err := run(t); err == nil || !strings.Contains(err.Error(), "kubectl sandbox install installs one") {
		t.Errorf("got %v", err)
	}
}

func TestTheFlagsAreCheckedFirst(t *testing.T) {
	for _, args := range [][]string{{"--image", "a b"}, {"--dry-run=maybe"}, {"--timeout", "0s"}} {
		if err := run(t, args...); cli.ExitCode(err) != cli.ExitUsage {
			t.Errorf("%v: got %v", args, err)
		}
	}
}
