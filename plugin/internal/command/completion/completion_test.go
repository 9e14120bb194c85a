// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package completion_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/completion"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
)

func TestScriptsCompleteTheFile(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		var out bytes.Buffer
		cmd := completion.NewCommand(&fake.Factory{}, genericiooptions.IOStreams{Out: &out, ErrOut: io.Discard})
		cmd.SetArgs([]string{shell})
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "kubectl-sandbox") {
			t.Errorf("%s: the script does not contain the file name", shell)
		}
	}
}

func TestUnknownShellIsRefused(t *testing.T) {
	for _, args := range [][]string{{}, {"tcsh"}, {"bash", "zsh"}} {
		cmd := completion.NewCommand(&fake.Factory{}, genericiooptions.IOStreams{Out: io.Discard, ErrOut: io.Discard})
		cmd.SetArgs(args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.Execute(); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}

func TestFileName(t *testing.T) {
	for program, want := range map[string]string{
		"kubectl sandbox":       "kubectl-sandbox",
		"kubectl agent-sandbox": "kubectl-agent_sandbox",
		"my-sandbox":            "my-sandbox",
	} {
		if got := completion.FileName(program); got != want {
			t.Errorf("%q: got %q, want %q", program, got, want)
		}
	}
}
