// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package root

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
)

type commandGroup struct {
	id, title string
	commands  []*cobra.Command
}

// commandGroups are all commands, in the order in which help shows them.
func commandGroups(f factory.Factory, streams genericiooptions.IOStreams) []commandGroup {
	return []commandGroup{
		{id: "lifecycle", title: "Make and end sandboxes:", commands: []*cobra.Command{}},
		{id: "look", title: "Look at sandboxes:", commands: []*cobra.Command{}},
		{id: "use", title: "Work in a sandbox:", commands: []*cobra.Command{}},
		{id: "operate", title: "Operate:", commands: []*cobra.Command{}},
	}
}
