// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
)

// Reference returns the command tree that the generated reference describes. Its commands print nothing. The reference
// is the same whoever generates it, so defaults in the home directory do not name one.
func Reference() *cobra.Command {
	root := NewCommand(programInHelp, clock.RealClock{}, genericiooptions.NewTestIOStreamsDiscard())
	if cache := root.PersistentFlags().Lookup("cache-dir"); cache != nil {
		cache.DefValue = "$HOME/.kube/cache"
	}
	return root
}
