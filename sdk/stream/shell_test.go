// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package stream_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
	"github.com/agent-sandbox/kubectl-sandbox/test/fakeserver"
)

func TestTheShellIsTheBestThatTheImageHas(t *testing.T) {
	tests := map[string]struct {
		has  []string
		want string
	}{
		"bash before sh":       {has: []string{"sh", "bash"}, want: "bash"},
		"sh without bash":      {has: []string{"sh"}, want: "sh"},
		"none, and it is said": {has: nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server, client := cluster(t, false)
			server.Exec = func(_ context.Context, p fakeserver.Process) error {
				if slices.Contains(tt.has, p.Command[0]) {
					return nil
				}
				return errors.New(`exec: "` + p.Command[0] + `": executable file not found in $PATH`)
			}
			got, err := stream.Shell(t.Context(), client, container())
			var none *stream.NoShellError
			if got != tt.want || errors.As(err, &none) != (tt.want == "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
