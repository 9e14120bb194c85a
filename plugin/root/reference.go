// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package root

import (
	"io"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
)

// Reference returns the command tree that the generated reference describes. Its commands write nowhere.
func Reference() *cobra.Command {
	return NewCommand(factory.New(written, clock.RealClock{}, io.Discard), genericiooptions.NewTestIOStreamsDiscard())
}
