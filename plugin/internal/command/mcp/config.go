// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/mcpserver"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// serverName is what clients call the server unless --name says otherwise.
const serverName = "sandbox"

// agent is a client whose configuration is known.
type agent struct {
	name, product string
	// place says where the configuration belongs.
	place string
	write func(name string, command []string) (string, error)
}

// agents returns the known clients, sorted by name.
func agents() []agent {
	servers := func(key string, entry func(command []string) any) func(string, []string) (string, error) {
		return func(name string, command []string) (string, error) {
			return document(map[string]any{key: map[string]any{name: entry(command)}})
		}
	}
	plain := func(command []string) any { return stdioServer{Command: command[0], Args: command[1:]} }
	typed := func(command []string) any { return stdioServer{Type: "stdio", Command: command[0], Args: command[1:]} }
	return []agent{
		{"claude", "Claude Code", "run this command, or with -s project in the directory of a project", claudeCommand},
		{
			"claude-desktop", "Claude Desktop", "claude_desktop_config.json (Settings > Developer > Edit Config)",
			servers("mcpServers", plain),
		},
		{"codex", "Codex", "~/.codex/config.toml", codexTable},
		{"cursor", "Cursor", "~/.cursor/mcp.json, or .cursor/mcp.json of a project", servers("mcpServers", plain)},
		{
			"gemini", "Gemini CLI", "~/.gemini/settings.json, or .gemini/settings.json of a project",
			servers("mcpServers", plain),
		},
		{"json", "any other client", "where the client keeps its servers", servers("mcpServers", plain)},
		{"opencode", "opencode", "opencode.json of a project, or ~/.config/opencode/opencode.json", servers("mcp",
			func(command []string) any {
				return map[string]any{"type": "local", "command": command, "enabled": true}
			})},
		{"vscode", "VS Code", ".vscode/mcp.json of a project, or 'MCP: Open User Configuration'", servers("servers", typed)},
		{"windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json", servers("mcpServers", plain)},
	}
}

// stdioServer is a server that a client starts, as most clients write it.
type stdioServer struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func document(content any) (string, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(content)
	return b.String(), err
}

func claudeCommand(name string, command []string) (string, error) {
	var quoted []string
	for _, word := range command {
		quoted = append(quoted, cli.ShellQuote(word))
	}
	return fmt.Sprintf("claude mcp add %s -- %s\n", cli.ShellQuote(name), strings.Join(quoted, " ")), nil
}

// codexTable returns a table of TOML, whose basic strings are those of JSON without its escaped slash.
func codexTable(name string, command []string) (string, error) {
	var quoted []string
	for _, word := range command {
		text, err := document(word)
		if err != nil {
			return "", err
		}
		quoted = append(quoted, strings.TrimSpace(text))
	}
	return fmt.Sprintf(
		"[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", name, quoted[0], strings.Join(quoted[1:], ", "),
	), nil
}

func newConfigCommand(f factory.Factory, streams genericiooptions.IOStreams) *cobra.Command {
	o := &mcpserver.Options{}
	name := serverName
	var list strings.Builder
	var names []string
	for _, a := range agents() {
		names = append(names, a.name)
		fmt.Fprintf(&list, "\n  %-16s%s", a.name, a.product)
	}
	cmd := &cobra.Command{
		Use:   "config CLIENT",
		Short: "Print the configuration with which a coding agent starts the server",
		Long: "config prints what to paste into the configuration of a client, and to standard error where it belongs.\n" +
			"The flags become those of the server; the global ones, such as --namespace and --context, too. The clients are:\n" +
			list.String(),
		Example: "  kubectl sandbox mcp config claude --template python\n\n" +
			"  # For an editor, in one namespace of one cluster\n" +
			"  kubectl sandbox mcp config vscode --context dev -n agents --pool python-warm > .vscode/mcp.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("CLIENT is missing: use %s", strings.Join(names, ", "))
			}
			return cli.ExactArgs("CLIENT")(cmd, args)
		},
		ValidArgsFunction: cli.CompleteFirstArg(cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := slices.IndexFunc(agents(), func(a agent) bool { return a.name == args[0] })
			if at < 0 {
				return cli.UsageError(fmt.Errorf("%q is not a known client: use %s", args[0], strings.Join(names, ", ")))
			}
			if err := o.Validate(); err != nil {
				return cli.UsageError(err)
			}
			if !isServerName(name) {
				return cli.UsageError(fmt.Errorf("--name %q: use letters, digits, '-' and '_'", name))
			}
			return printConfig(streams, agents()[at], name, append(strings.Fields(f.Program()), arguments(cmd.Flags())...))
		},
	}
	addFlags(cmd, f, o)
	cmd.Flags().StringVar(&name, "name", serverName, "What the client calls the server.")
	return cmd
}

func printConfig(streams genericiooptions.IOStreams, a agent, name string, command []string) error {
	text, err := a.write(name, command)
	if err != nil {
		return err
	}
	if _, err := printable.Fprintf(streams.ErrOut, "For %s: %s\n", a.product, a.place); err != nil {
		return err
	}
	_, err = io.WriteString(streams.Out, text)
	return err
}

// arguments returns the arguments of the server: those of the flags that were given.
func arguments(flags *pflag.FlagSet) []string {
	all := []string{"mcp"}
	flags.Visit(func(flag *pflag.Flag) {
		value := flag.Value.String()
		if several, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(several.GetSlice(), ",")
		}
		switch flag.Name {
		case "name":
			return
		case "local-dir", "kubeconfig": // clients start the server in any directory
			if path, err := filepath.Abs(value); err == nil {
				value = path
			}
		default:
		}
		if flag.Value.Type() == "bool" {
			all = append(all, "--"+flag.Name+"="+value)
			return
		}
		all = append(all, "--"+flag.Name, value)
	})
	return all
}

// isServerName reports whether a text is a key in the configuration of every client, without quotes.
func isServerName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r) && (r < '0' || '9' < r) && r != '-' && r != '_'
	})
}
