// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/command/mcp"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/test/golden"
)

// run runs a command line without a cluster.
func run(t *testing.T, in string, args ...string) (out, errOut string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := mcp.NewCommand(&fake.Factory{}, genericiooptions.IOStreams{
		In: strings.NewReader(in), Out: &stdout, ErrOut: &stderr,
	})
	cmd.SetArgs(args)
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func TestConfig(t *testing.T) {
	var snapshot strings.Builder
	for _, client := range []string{
		"claude", "claude-desktop", "codex", "cursor", "gemini", "json", "opencode", "vscode", "windsurf",
	} {
		out, errOut, err := run(t, "", "config", client, "--template", "python,node", "--max", "3", "--keep")
		if err != nil || !strings.HasPrefix(errOut, "For ") {
			t.Errorf("%s: %v, %q", client, err, errOut)
		}
		if client != "claude" && client != "codex" && !json.Valid([]byte(out)) {
			t.Errorf("%s: this is not JSON: %s", client, out)
		}
		snapshot.WriteString("$ " + client + "\n" + errOut + out)
	}
	golden.Compare(t, "testdata/config.txt", []byte(snapshot.String()))
}

func TestConfigQuotesWhatShellsWouldChange(t *testing.T) {
	out, _, err := run(t, "", "config", "claude", "--image", "x y;$(reboot)", "--name", "my-box")
	if want := "claude mcp add my-box -- kubectl sandbox mcp --image 'x y;$(reboot)'\n"; err != nil || out != want {
		t.Errorf("got %q, %v", out, err)
	}
	out, _, err = run(t, "", "config", "codex", "--image", `a\b`)
	if !strings.Contains(out, `"a\\b"`) || err != nil {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestConfigNamesDirectoriesAsAnyProcessFindsThem(t *testing.T) {
	t.Chdir(t.TempDir())
	directory, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := run(t, "", "config", "claude", "--local-dir", ".")
	if err != nil || !strings.HasSuffix(out, "--local-dir "+cli.ShellQuote(directory)+"\n") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestWrongUsage(t *testing.T) {
	tests := map[string]struct {
		args string
		says string
	}{
		"an unknown client":                  {"config emacs", "is not a known client"},
		"no client":                          {"config", "CLIENT is missing: use claude, "},
		"a server whose name needs quotes":   {"config codex --name a.b", "use letters"},
		"no sandboxes at all":                {"--max 0", "at least one sandbox"},
		"a life that is too short":           {"--ttl 10s", "at least a minute"},
		"an unknown tool":                    {"--allow rm", "names no tool"},
		"a tool that needs a directory":      {"--allow upload_file", "needs --local-dir"},
		"a directory that there is not":      {"--local-dir /nonexistent", "--local-dir"},
		"a file as the directory":            {"--local-dir mcp_test.go", "is not a directory"},
		"reading nothing":                    {"--read-only", "give with --use"},
		"reading and changing":               {"--read-only --use a --allow run_command", "does not go together"},
		"two sandboxes of one name":          {"--use claim/a,sandbox/a", "names both"},
		"a Pod":                              {"--use pod/a", "of a claim or of a Sandbox"},
		"a pool that there cannot be":        {"--pool none", "names no pool"},
		"a template without a name":          {"--template a,,b", "empty value"},
		"an argument that is not a command":  {"serve", "unexpected argument"},
		"a configuration for wrong settings": {"config claude --max 0", "at least one sandbox"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out, _, err := run(t, "", strings.Fields(tt.args)...)
			if out != "" || err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %q, %v", out, err)
			}
		})
	}
}

func TestTheOutputHasOnlyTheProtocol(t *testing.T) {
	out, errOut, err := run(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
		`"capabilities":{},"clientInfo":{"name":"shell","version":"1"}}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n", "--template", "python")
	if err != nil || errOut != "" {
		t.Errorf("%v, %q", err, errOut)
	}
	ids := map[float64]bool{}
	for line := range strings.Lines(out) {
		var message struct {
			JSONRPC string  `json:"jsonrpc"`
			ID      float64 `json:"id"`
			Result  any     `json:"result"`
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil || message.JSONRPC != "2.0" || message.Result == nil {
			t.Errorf("%v: %s", err, line)
		}
		ids[message.ID] = true
	}
	if !ids[1] || !ids[2] || len(ids) != 2 {
		t.Errorf("answers to %v", ids)
	}
}
