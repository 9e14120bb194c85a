// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
	"sigs.k8s.io/yaml"
)

// workflow is the part of a workflow of GitHub Actions that the example uses.
type workflow struct {
	Name        string            `json:"name"`
	On          map[string]any    `json:"true"` // what YAML 1.1 takes the word for
	Permissions map[string]string `json:"permissions"`
	Jobs        map[string]struct {
		RunsOn         string `json:"runs-on"`
		TimeoutMinutes int    `json:"timeout-minutes"`
		Steps          []step `json:"steps"`
	} `json:"jobs"`
}

type step struct {
	Name string            `json:"name"`
	Uses string            `json:"uses"`
	With map[string]any    `json:"with"`
	Env  map[string]string `json:"env"`
	Run  string            `json:"run"`
}

func TestTheWorkflowRunsNothingOfThePullRequestOutsideOfASandbox(t *testing.T) {
	var read workflow
	text := readFile(t, filepath.Join(root, "ci/github-workflow.yaml"))
	if err := yaml.UnmarshalStrict([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Permissions) != 1 || read.Permissions["contents"] != "read" {
		t.Errorf("permissions %v", read.Permissions)
	}
	if _, is := read.On["pull_request_target"]; !is || len(read.On) != 1 {
		t.Errorf("on %v", read.On)
	}
	steps := read.Jobs["test"].Steps
	if len(read.Jobs) != 1 || len(steps) == 0 {
		t.Fatalf("jobs %v", read.Jobs)
	}
	for i, step := range steps {
		last := i == len(steps)-1
		if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
			t.Errorf("step %d leaves a token of the repository on the disk: %v", i+1, step.With)
		}
		if strings.Contains(step.Run, "untrusted") != last || (len(step.Env) > 0) != last {
			t.Errorf("step %d has the secret, or touches the pull request, and is not the only one: %+v", i+1, step)
		}
		if strings.Contains(step.Run, "${{") {
			t.Errorf("step %d pastes an expression into its script, which may be foreign text: %s", i+1, step.Run)
		}
		parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
		if _, err := parser.Parse(strings.NewReader(step.Run), step.Name); err != nil {
			t.Errorf("step %d: %v", i+1, err)
		}
	}
	lines := strings.Split(strings.TrimSpace(steps[len(steps)-1].Run), "\n")
	if len(lines) < 2 || !strings.Contains(lines[len(lines)-2], "::stop-commands::") ||
		!strings.HasPrefix(lines[len(lines)-1], "ci/run-tests.sh untrusted ") {
		t.Errorf("the script does not end with the tests, of which the runner takes no commands: %q", lines)
	}
	if info, err := os.Stat(filepath.Join(root, "ci/run-tests.sh")); err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("run-tests.sh is not a program: %v, %v", info, err)
	}
}
