// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
)

// Reference returns the command tree that the generated reference describes. Its commands print nothing.
func Reference() *cobra.Command {
	return NewCommand(programInHelp, clock.RealClock{}, genericiooptions.NewTestIOStreamsDiscard())
}
