// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package portforward

import (
	"errors"
	"io"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
)

func TestWrongUsageNeedsNoCluster(t *testing.T) {
	tests := map[string]struct {
		args []string
		said string
	}{
		"a sandbox and a port are needed":      {nil, "NAME and [LOCAL:]REMOTE are missing"},
		"a port is needed":                     {[]string{"dev"}, "[LOCAL:]REMOTE is missing"},
		"a port must be one":                   {[]string{"dev", "70000"}, "70000"},
		"an address must be an IP address":     {[]string{"dev", "80", "--address", "example.com"}, "example.com"},
		"a name must be one":                   {[]string{"a/b/c", "80"}, "is not a name"},
		"-o knows json only":                   {[]string{"dev", "80", "-o", "yaml"}, "use json"},
		"--stdio carries one port":             {[]string{"dev", "80", "81", "--stdio"}, "one REMOTE port"},
		"--stdio listens on no local port":     {[]string{"dev", "8080:80", "--stdio"}, "one REMOTE port"},
		"--stdio leaves standard output alone": {[]string{"dev", "80", "--stdio", "-o", "json"}, "leave out -o"},
		"everything right needs the cluster now": {
			[]string{"dev", "8080:80", ":443", "--address", "127.0.0.1"},
			fake.ErrNotGiven.Error(),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := NewCommand(
				&fake.Factory{}, genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: io.Discard},
			)
			cmd.SetArgs(append([]string{}, test.args...)) // nil would mean the arguments of the test program
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.said) {
				t.Errorf("got %v, want %q", err, test.said)
			}
			if code := cli.ExitCode(err); len(test.args) > 1 && !errors.Is(err, fake.ErrNotGiven) && code != cli.ExitUsage {
				t.Errorf("code %d", code)
			}
		})
	}
}
