// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

func TestEnvironmentVariables(t *testing.T) {
	t.Setenv("SHELL_HAS", "it")
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("\ufeff# words\r\nA=1\r\n\n  # more\nB= two words # no comment\nSHELL_HAS\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("A=1\nexport B=2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		options cli.EnvOptions
		want    []cli.EnvVar
		says    string
	}{
		"nothing is nothing":    {},
		"a value may contain =": {options: cli.EnvOptions{Env: []string{"A=b=c"}}, want: []cli.EnvVar{{"A", "b=c"}}},
		"a value may be empty":  {options: cli.EnvOptions{Env: []string{"A="}}, want: []cli.EnvVar{{"A", ""}}},
		"a name alone is passed on": {
			options: cli.EnvOptions{Env: []string{"SHELL_HAS"}}, want: []cli.EnvVar{{"SHELL_HAS", "it"}},
		},
		"the last one of a name counts": {
			options: cli.EnvOptions{Env: []string{"A=1", "B=2", "A=3"}}, want: []cli.EnvVar{{"A", "3"}, {"B", "2"}},
		},
		"a file has lines and comments, and flags overrule it": {
			options: cli.EnvOptions{Env: []string{"A=3"}, Files: []string{file}},
			want:    []cli.EnvVar{{"A", "3"}, {"B", " two words # no comment"}, {"SHELL_HAS", "it"}},
		},
		"what the shell lacks is refused":  {options: cli.EnvOptions{Env: []string{"SHELL_LACKS"}}, says: "use NAME=VALUE"},
		"a name that is none is refused":   {options: cli.EnvOptions{Env: []string{"=x"}}, says: "cannot be the name"},
		"a file that is missing is named":  {options: cli.EnvOptions{Files: []string{"/nonexistent"}}, says: "/nonexistent"},
		"a line that is wrong is numbered": {options: cli.EnvOptions{Files: []string{bad}}, says: "bad, line 2: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tt.options.Parse()
			if !slices.Equal(got, tt.want) || (err != nil) != (tt.says != "") {
				t.Fatalf("got %v, %v", got, err)
			}
			if err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q in it", err, tt.says)
			}
		})
	}
}
