// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package sshconfig

import (
	"bytes"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
)

func TestEntryLeadsThroughPortForward(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
		code int
	}{
		"the namespace is always in it": {
			args: []string{"dev"},
			want: "Host sandbox-dev\n  HostKeyAlias sandbox-dev.default\n" +
				"  ProxyCommand kubectl sandbox port-forward dev 22 --stdio --namespace=default\n",
		},
		"flags change it": {
			args: []string{"claim/dev", "--host", "box", "--user", "root", "--port", "ssh", "--context", "it's 100%"},
			want: "Host box\n  User root\n  HostKeyAlias box.default\n" +
				"  ProxyCommand kubectl sandbox port-forward claim/dev ssh --stdio --namespace=default " +
				"'--context=it'\\''s 100%%'\n",
		},
		"a local port is wrong usage":                    {args: []string{"dev", "--port", "2222:22"}, code: cli.ExitUsage},
		"a name that ssh takes for a pattern is refused": {args: []string{"dev", "--host", "*"}, code: cli.ExitUsage},
		"a user that would be two lines is refused": {
			args: []string{"dev", "--user", "a\nProxyCommand x"},
			code: cli.ExitUsage,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			cmd := NewCommand(&fake.Factory{}, genericiooptions.IOStreams{Out: &out})
			cmd.Flags().String("context", "", "")
			cmd.SetArgs(tt.args)
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			if err := cmd.ExecuteContext(t.Context()); cli.ExitCode(err) != tt.code || out.String() != tt.want {
				t.Errorf("got %v and\n%s", err, strings.ReplaceAll(out.String(), "\n", "|\n"))
			}
		})
	}
}
