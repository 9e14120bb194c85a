// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/factory/fake"
)

// ending runs a command that returns an error.
func ending(ctx context.Context, err error) (code int, stderr string) {
	var errOut bytes.Buffer
	f := &fake.Factory{}
	root := newCommand(f, genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &bytes.Buffer{}, ErrOut: &errOut})
	root.AddCommand(&cobra.Command{Use: "end", RunE: func(*cobra.Command, []string) error { return err }})
	code = execute(ctx, root, []string{"end"}, f, &errOut)
	return code, errOut.String()
}

func TestARemoteExitCodeIsPassedOnWithoutAWord(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for _, want := range []int{1, 2, 3, 124, 130, 141, 255} {
		for _, ctx := range []context.Context{t.Context(), interrupted} {
			if code, said := ending(ctx, cli.RemoteExitError(want)); code != want || said != "" {
				t.Errorf("%d (context: %v): got %d, %q", want, ctx.Err(), code, said)
			}
		}
	}
}

func TestWrongUsageSaysWhereHelpIs(t *testing.T) {
	if code, said := ending(t.Context(), cli.UsageError(errors.New("no"))); code != 2 ||
		said != "Error: no\nSee 'kubectl sandbox end --help'.\n" {
		t.Errorf("got %d, %q", code, said)
	}
}

func TestOutputThatNobodyReadsEndsACommandWithoutAWord(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"kubectl-sandbox", "options"}, {"kubectl-sandbox", "create", "--help"}} {
		var errOut bytes.Buffer
		code := Run(
			t.Context(), args, genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: w, ErrOut: &errOut}, clock.RealClock{},
		)
		if code != cli.ExitOutputClosed || errOut.String() != "" {
			t.Errorf("%v: got %d, %q", args, code, errOut.String())
		}
	}
}
