// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/mcpserver"
	"github.com/agent-sandbox/kubectl-sandbox/test/golden"
)

// document returns a value as JSON.
func document(t *testing.T, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// has waits until there is a file in the container.
func (w *world) has(t *testing.T, name string) {
	t.Helper()
	w.eventually(t, name, func() bool {
		_, err := os.Stat(filepath.Join(w.dir, name))
		return err == nil
	})
}

// write creates a file in the container.
func (w *world) write(t *testing.T, name string, content ...string) {
	t.Helper()
	file := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Join(content, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestHostileArgumentsAreRefused(t *testing.T) {
	w := newWorld(t, running("victim")...)
	s := w.start(t, mcpserver.Options{LocalDir: t.TempDir()})
	s.newBox()
	long := strings.Repeat("x", 200_000)
	tests := map[string]struct {
		tool      string
		arguments map[string]any
		says      string
	}{
		"a sandbox of somebody else": {
			"run_command", map[string]any{"sandbox": "victim", "command": "true"}, "this session has no sandbox",
		},
		"one with its kind": {
			"delete_sandbox", map[string]any{"sandbox": "sandbox/victim"}, "this session has no sandbox",
		},
		"one of another namespace": {
			"read_file", map[string]any{"sandbox": "kube-system/x", "path": "/etc/passwd"}, "this session has no sandbox",
		},
		"a name that steers the terminal": {
			"sandbox_status", map[string]any{"sandbox": "\x1b[2J"}, `"^[[2J"`,
		},
		"a huge name":           {"sandbox_status", map[string]any{"sandbox": long}, `xxx..."`},
		"a NUL in a path":       {"read_file", map[string]any{"path": "/etc/pass\x00wd"}, "NUL"},
		"a NUL in a command":    {"run_command", map[string]any{"command": "echo a\x00b"}, "NUL"},
		"a NUL in a directory":  {"run_command", map[string]any{"command": "true", "directory": "/\x00"}, "NUL"},
		"a huge path":           {"write_file", map[string]any{"path": long, "content": ""}, "at most 4096"},
		"a huge command":        {"run_command", map[string]any{"command": long}, "at most 100000"},
		"no command":            {"run_command", map[string]any{"command": ""}, "is empty"},
		"a missing argument":    {"run_command", map[string]any{}, "command"},
		"a wrong type":          {"run_command", map[string]any{"command": []string{"rm", "-rf"}}, "command"},
		"an unknown argument":   {"run_command", map[string]any{"command": "true", "namespace": "kube-system"}, "namespace"},
		"an unknown language":   {"run_code", map[string]any{"language": "sh -c evil", "code": "1"}, "language"},
		"a negative number":     {"read_file", map[string]any{"path": "/x", "offset": -1}, "offset"},
		"a part that is huge":   {"read_file", map[string]any{"path": "/x", "limit": 1 << 40}, "limit"},
		"a port that is none":   {"forward_port", map[string]any{"port": 70000}, "port"},
		"what is no base64":     {"write_file", map[string]any{"path": "/x", "content": "?", "encoding": "base64"}, "base64"},
		"an image":              {"create_sandbox", map[string]any{"image": "evil:latest"}, "image"},
		"a template and a pool": {"create_sandbox", map[string]any{"template": "a", "pool": "b"}, "only one"},
		"nothing to create from": {
			"create_sandbox", map[string]any{}, "list_templates",
		},
		"a name that is a path": {
			"create_sandbox", map[string]any{"template": "python", "name": "../victim"}, "cannot be the name",
		},
		"an output that there is not": {"read_output", map[string]any{"output": "../../etc/passwd"}, "no such output"},
		"a search for nothing":        {"search_files", map[string]any{"path": "/"}, "give a name"},
		"a search for what is no regular expression": {
			"search_files", map[string]any{"path": "/tmp", "text": "(", "regex": true}, "Unmatched (",
		},
		"a local file outside": {
			"upload_file", map[string]any{"local_path": "/etc/passwd", "path": "/x"}, "outside of the directory",
		},
		"a local file above": {
			"upload_file", map[string]any{"local_path": "a/../../etc/passwd", "path": "/x"}, "outside of the directory",
		},
		"a local file with a NUL": {
			"download_file", map[string]any{"local_path": "a\x00b", "path": "/x"}, "NUL",
		},
		"a device": {
			"download_file", map[string]any{"local_path": "a", "path": "/dev/zero"}, "neither a file nor a directory",
		},
		"a tool that there is not": {"exec", map[string]any{}, "exec"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := *s
			s.t = t
			s.refused(tt.tool, tt.arguments, tt.says)
		})
	}
}

func TestFilesOfTheNameOfOptionsAreFiles(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	s.newBox()
	w.write(t, "-n", "odd name")
	w.write(t, "(/text", "odd directory")
	if read := s.must("read_file", map[string]any{"path": "-n"}); read["content"] != "odd name" {
		t.Errorf("got %v", read)
	}
	found := s.must("search_files", map[string]any{"path": "(", "text": "odd"})
	if all := found["matches"].([]any); len(all) != 1 {
		t.Errorf("got %v", found)
	}
}

func TestNamesAndOutputsAreShownWithoutControlCharacters(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	s.newBox()
	w.write(t, "d/a\nb\x1b[2J", "needle \u202e \U000e0041\n")
	listed, matched := s.must("list_files", map[string]any{"path": w.dir + "/d"}),
		s.must("search_files", map[string]any{"path": w.dir + "/d", "text": "needle"})
	ran := s.must("run_command", map[string]any{"command": "cat d/*; printf '\\033]0;x\\007'"})
	for what, got := range map[string]any{"list": listed, "search": matched, "run": ran} {
		text := fmt.Sprint(got)
		if strings.ContainsAny(text, "\x1b\x07\u202e\U000e0041") || strings.Contains(text, "a\nb") {
			t.Errorf("%s: %q", what, text)
		}
	}
	if one := matched["matches"].([]any)[0].(map[string]any); one["line"] != 1.0 ||
		!strings.HasSuffix(fmt.Sprint(one["path"]), "/d/a b^[[2J") {
		t.Errorf("got %v", one)
	}
}

func TestWhatIsNotOfferedCannotBeCalled(t *testing.T) {
	w := newWorld(t, running("dev")...)
	tests := map[string]struct {
		options mcpserver.Options
		tool    string
	}{
		"with --read-only":       {mcpserver.Options{ReadOnly: true, Use: []string{"dev"}}, "run_command"},
		"with --allow":           {mcpserver.Options{Allow: []string{"read_file"}}, "run_command"},
		"without --local-dir":    {mcpserver.Options{}, "download_file"},
		"resources of its tools": {mcpserver.Options{Allow: []string{"run_command"}, Use: []string{"dev"}}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := w.start(t, tt.options)
			if tt.tool != "" {
				s.refused(tt.tool, map[string]any{"command": "true"}, tt.tool)
				return
			}
			for _, uri := range []string{"sandbox-file://dev/etc/passwd", "sandbox-log://dev"} {
				if got, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
					t.Errorf("%s: %v", uri, got)
				}
			}
		})
	}
}

func TestASandboxOfTheUserIsOnlyWorkedIn(t *testing.T) {
	w := newWorld(t, running("mine")...)
	s := w.start(t, mcpserver.Options{Use: []string{"sandbox/mine"}})
	if ran := s.must("run_command", map[string]any{"sandbox": "mine", "command": "echo hi"}); stdout(ran) != "hi\n" {
		t.Errorf("got %v", ran)
	}
	for _, tool := range []string{"suspend_sandbox", "resume_sandbox", "extend_sandbox", "delete_sandbox"} {
		s.refused(tool, map[string]any{"sandbox": "mine"}, "was not created by this session")
	}
	all := s.must("list_sandboxes", nil)["sandboxes"].([]any)
	if one := all[0].(map[string]any); len(all) != 1 || one["own"] != false || one["state"] != "Ready" {
		t.Errorf("got %v", all)
	}
}

func TestResults(t *testing.T) {
	w := newWorld(t)
	s := w.start(t, mcpserver.Options{})
	s.must("create_sandbox", map[string]any{"template": "python", "name": "box"})
	var snapshot strings.Builder
	for _, command := range []string{
		"echo out; echo err >&2; exit 3", "true", "yes line | head -10000", "printf 'no end'",
	} {
		_, text, _ := s.call("run_command", map[string]any{"command": command})
		if len(text) > 1000 {
			text = text[:300] + "\n(...)\n" + text[len(text)-100:]
		}
		fmt.Fprintf(&snapshot, "$ %s\n%s\n", command, text)
	}
	golden.Compare(t, "testdata/results.txt", []byte(snapshot.String()))
}
