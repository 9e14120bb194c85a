// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package target

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/printing"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/pool"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// AddQuietFlag adds --quiet to a command that may change what is in a sandbox.
func AddQuietFlag(cmd *cobra.Command, quiet *bool) {
	cmd.Flags().BoolVarP(quiet, "quiet", "q", false,
		"Do not warn if the sandbox is a member of a pool, which a claim may take next.")
}

// WarnOfMember prints a warning if the sandbox is a member of a pool: a claim may take it next, with what the command
// leaves in it.
func (c *Container) WarnOfMember(errOut io.Writer, quiet bool) {
	warning := pool.WarnOfMember(c.Sandbox.Sandbox)
	if warning == "" || quiet {
		return
	}
	_, _ = printable.Fprintf(errOut, "Warning: %s. For one of your own: %s; -q omits this warning.\n", // best effort
		warning, printing.SuggestedCommand("create --pool "+pool.Of(c.Sandbox.Sandbox), c.Factory))
}
