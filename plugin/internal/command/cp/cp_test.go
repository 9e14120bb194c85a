// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/transfer"
	"github.com/agent-sandbox/kubectl-sandbox/sdk/stream"
)

func TestWhatALostCopySays(t *testing.T) {
	lost := fmt.Errorf("x: %w", &stream.LostError{})
	f := &fake.Factory{In: "team", InGiven: true}
	tests := map[string]struct {
		options Options
		err     error
		left    string
		code    int
		want    string
	}{
		"with the command that resumes": {
			Options{Sources: []string{"my file"}, Destination: "dev:/w/x", Container: "side"}, lost, "/w/.kubectl-sandbox-1",
			cli.ExitConnectionLost,
			"what has arrived is in dev:/w/.kubectl-sandbox-1; the copy is incomplete; to continue it: " +
				"kubectl sandbox cp 'my file' dev:/w/x --resume -c side -n team",
		},
		"with all sources, and what was left out": {
			Options{
				Sources: []string{"a", "b", "c", "d"}, Destination: "dev:/w", Filter: transfer.Filter{
					Exclude: []string{"*.log"}, AllFilesystems: true,
				},
			}, lost, "", cli.ExitConnectionLost,
			"copy a, b and 2 more to dev:/w: x: " + (&stream.LostError{}).Error() + "; the copy is incomplete; to continue it: " +
				"kubectl sandbox cp a b c d dev:/w --resume --exclude '*.log' --all-filesystems -n team",
		},
		"a copy of a stream is not resumed": {
			Options{Sources: []string{"-"}, Destination: "dev:/w/x"}, lost, "", cli.ExitConnectionLost, "the copy is incomplete",
		},
		"an interrupted copy says where the arrived part is": {
			Options{Sources: []string{"dev:/w/x"}, Destination: "y"}, context.Canceled, "./.kubectl-sandbox-1", cli.ExitInterrupted,
			"arrived is in ./.kubectl-sandbox-1",
		},
		"any other failure exits with 1": {
			Options{Sources: []string{"dev:/w/x"}, Destination: "y"}, errors.New("full"), "", cli.ExitFailed, "copy dev:/w/x to y: full",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := tt.options.Validate(); err != nil {
				t.Fatal(err)
			}
			err := tt.options.failure(tt.err, tt.left, f)
			if cli.ExitCode(err) != tt.code || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("%d: %v", cli.ExitCode(err), err)
			}
		})
	}
}
