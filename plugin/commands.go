// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/attach"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/completion"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/cp"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/create"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/delete"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/describe"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/doctor"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/exec"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/extend"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/install"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/list"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/logs"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/mcp"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/nodes"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/pool"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/portforward"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/resume"
	runcommand "github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/run"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/shell"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/sshconfig"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/status"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/suspend"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/sync"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/template"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/token"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/tree"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/ui"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/uninstall"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/upgrade"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/version"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/wait"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
)

// commandGroup is a group of commands in the help.
type commandGroup struct {
	id, title string
	commands  []*cobra.Command
}

// commandGroups returns all commands in the order of the help.
func commandGroups(f factory.Factory, streams genericiooptions.IOStreams) []commandGroup {
	return []commandGroup{
		{id: "lifecycle", title: "Create and delete sandboxes:", commands: []*cobra.Command{
			create.NewCommand(f, streams), runcommand.NewCommand(f, streams), suspend.NewCommand(f, streams),
			resume.NewCommand(f, streams),
			extend.NewCommand(f, streams), delete.NewCommand(f, streams),
		}},
		{id: "look", title: "Inspect sandboxes:", commands: []*cobra.Command{
			ui.NewCommand(f, streams), list.NewCommand(f, streams), describe.NewCommand(f, streams),
			status.NewCommand(f, streams), tree.NewCommand(f, streams),
			wait.NewCommand(f, streams),
		}},
		{id: "use", title: "Work in a sandbox:", commands: []*cobra.Command{
			exec.NewCommand(f, streams), shell.NewCommand(f, streams), attach.NewCommand(f, streams),
			logs.NewCommand(f, streams),
			cp.NewCommand(f, streams), sync.NewCommand(f, streams), portforward.NewCommand(f, streams),
			sshconfig.NewCommand(f, streams), token.NewCommand(f, streams), mcp.NewCommand(f, streams),
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
