// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package root

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/attach"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/completion"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/cp"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/create"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/delete"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/describe"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/doctor"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/exec"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/extend"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/list"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/logs"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/nodes"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/pool"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/portforward"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/resume"
	runcommand "github.com/agent-sandbox/kubectl-sandbox/plugin/run"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/shell"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/sshconfig"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/status"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/suspend"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/template"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/tree"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/ui"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/uninstall"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/upgrade"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/version"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/wait"
)

type commandGroup struct {
	id, title string
	commands  []*cobra.Command
}

// commandGroups are all commands, in the order in which help shows them.
func commandGroups(f factory.Factory, streams genericiooptions.IOStreams) []commandGroup {
	return []commandGroup{
		{id: "lifecycle", title: "Make and end sandboxes:", commands: []*cobra.Command{
			create.NewCommand(f, streams), runcommand.NewCommand(f, streams), suspend.NewCommand(f, streams), resume.NewCommand(f, streams),
			extend.NewCommand(f, streams), delete.NewCommand(f, streams),
		}},
		{id: "look", title: "Look at sandboxes:", commands: []*cobra.Command{
			ui.NewCommand(f, streams), list.NewCommand(f, streams), describe.NewCommand(f, streams), status.NewCommand(f, streams), tree.NewCommand(f, streams),
			wait.NewCommand(f, streams),
		}},
		{id: "use", title: "Work in a sandbox:", commands: []*cobra.Command{
			exec.NewCommand(f, streams), shell.NewCommand(f, streams), attach.NewCommand(f, streams), logs.NewCommand(f, streams),
			cp.NewCommand(f, streams), portforward.NewCommand(f, streams), sshconfig.NewCommand(f, streams),
		}},
		{id: "provide", title: "Provide sandboxes for claims:", commands: []*cobra.Command{
			pool.NewCommand(f, streams), template.NewCommand(f, streams), nodes.NewCommand(f, streams),
		}},
		{id: "operate", title: "Operate:", commands: []*cobra.Command{
			install.NewCommand(f, streams), upgrade.NewCommand(f, streams), uninstall.NewCommand(f, streams),
			doctor.NewCommand(f, streams), version.NewCommand(f, streams), completion.NewCommand(f, streams),
		}},
	}
}
