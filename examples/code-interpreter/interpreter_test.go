// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-sandbox/kubectl-sandbox/sdk"
)

// directory is a sandbox that runs commands in a directory of this machine. It has sh, and programs that a test adds.
type directory struct {
	path string
	ran  []string
	// failing is the error of every Run.
	failing error
}

func newDirectory(t *testing.T) *directory { return &directory{path: t.TempDir()} }

func (d *directory) Write(_ context.Context, path string, content []byte) error {
	return os.WriteFile(filepath.Join(d.path, path), content, 0o600)
}

func (d *directory) Run(ctx context.Context, command ...string) (sdk.Result, error) {
	d.ran = append(d.ran, strings.Join(command, " "))
	process := exec.CommandContext(ctx, command[0], command[1:]...)
	var out, errOut bytes.Buffer
	process.Dir, process.Stdout, process.Stderr = d.path, &out, &errOut
	if err := process.Run(); process.ProcessState == nil {
		return sdk.Result{}, err
	}
	return sdk.Result{
		Stdout: out.Bytes(), Stderr: errOut.Bytes(), ExitCode: process.ProcessState.ExitCode(),
	}, d.failing
}

// calls returns a line for each recorded call of a model.
func calls(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheRecordedCallsFitTheDefinitionAndReachTheSandbox(t *testing.T) {
	box, out := newDirectory(t), &bytes.Buffer{}
	// The tests need no Python: this program prints the code that it gets.
	if err := os.Mkdir(filepath.Join(box.path, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(box.path, "bin", "python3")
	if err := os.WriteFile(python, []byte("#!/bin/sh\nexec cat \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(python)+":"+os.Getenv("PATH"))
	if err := answer(t.Context(), NewInterpreter(box, time.Minute), strings.NewReader(calls(t)), out); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"call_1": `{"exit_code":0,"stdout":"2\n","stderr":""}`,
		"call_2": `{"exit_code":0,"stdout":"import csv\nfor a, b in csv.reader(open('sides.csv')):\n` +
			`    print((int(a) ** 2 + int(b) ** 2) ** 0.5)\n","stderr":""}`,
		"call_3": `{"exit_code":0,"stdout":"print(1 / 0)\n","stderr":""}`,
		"call_4": `{"error":"language is \"ruby\"; it must be python or sh"}`,
	}
	got := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var one Answer
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatal(err)
		}
		got[one.ID] = one.Content
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{
		"timeout 60 sh main.sh", "timeout 60 python3 main.py", "timeout 60 python3 main.py",
	}, box.ran); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatTheModelLearns(t *testing.T) {
	long := strings.Repeat("x", maxText)
	for name, tt := range map[string]struct {
		tool, arguments string
		limit           time.Duration
		failing         error
		want            string
	}{
		"a program that fails": {
			arguments: `{"language": "sh", "code": "echo no >&2; exit 3"}`, want: `{"exit_code":3,"stdout":"","stderr":"no\n"}`,
		},
		"the end of a long output": {
			arguments: `{"language": "sh", "code": "printf %9000s | tr ' ' x"}`,
			want:      `{"exit_code":0,"stdout":"` + long + `","stderr":"","truncated":true}`,
		},
		"an output that the SDK has cut off": {
			arguments: `{"language": "sh", "code": "echo begin"}`, failing: fmt.Errorf("run: %w", sdk.ErrTooLarge),
			want: `{"exit_code":0,"stdout":"begin\n","stderr":"","truncated":true}`,
		},
		"bytes that are no text": {
			arguments: `{"language": "sh", "code": "printf 'a\\377b'"}`,
			want:      "{\"exit_code\":0,\"stdout\":\"a\uFFFDb\",\"stderr\":\"\"}",
		},
		"a program that takes too long": {
			arguments: `{"language": "sh", "code": "sleep 60"}`, limit: 100 * time.Millisecond,
			want: `{"exit_code":124,"stdout":"","stderr":"","remark":"the program was ended after 100ms"}`,
		},
		"a tool that does not exist": {
			tool: "browse", arguments: `{}`, want: `{"error":"there is no tool \"browse\"; call run_code"}`,
		},
		"an argument that does not exist": {
			arguments: `{"language": "sh", "code": "", "user": "root"}`,
			want:      `{"error":"the arguments do not fit the schema: json: unknown field \"user\""}`,
		},
		"arguments that are no JSON": {
			arguments: `{"language": "sh`, want: `{"error":"the arguments do not fit the schema: unexpected EOF"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			box := newDirectory(t)
			box.failing = tt.failing
			if tt.tool == "" {
				tt.tool = ToolName
			}
			if tt.limit == 0 {
				tt.limit = time.Minute
			}
			got, err := NewInterpreter(box, tt.limit).Call(t.Context(), tt.tool, []byte(tt.arguments))
			if err != nil || got != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestASandboxThatIsGoneEndsTheConversation(t *testing.T) {
	box := newDirectory(t)
	box.failing = sdk.ErrLost
	err := answer(t.Context(), NewInterpreter(box, time.Minute), strings.NewReader(calls(t)), &bytes.Buffer{})
	if !errors.Is(err, sdk.ErrLost) || !strings.Contains(err.Error(), "call_1") {
		t.Errorf("got %v", err)
	}
}

func TestTheDefinitionNamesWhatTheInterpreterReads(t *testing.T) {
	text, err := json.Marshal(Definition())
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Name       string
		Parameters struct {
			Properties map[string]struct{ Enum []string }
			Required   []string
		}
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"language", "code"}, read.Parameters.Required); diff != "" || read.Name != ToolName {
		t.Errorf("the schema of %q (-want +got):\n%s", read.Name, diff)
	}
	for _, language := range read.Parameters.Properties["language"].Enum {
		arguments, err := json.Marshal(map[string]string{"language": language, "code": ""})
		if err != nil {
			t.Fatal(err)
		}
		box := newDirectory(t)
		got, err := NewInterpreter(box, time.Minute).Call(t.Context(), ToolName, arguments)
		if err != nil || strings.Contains(got, `"error"`) || len(box.ran) != 1 {
			t.Errorf("%s: %s, %v", language, got, err)
		}
	}
}
