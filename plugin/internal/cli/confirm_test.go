// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/agent-sandbox/kubectl-sandbox/plugin/internal/cli"
)

func TestOnlyYesIsYes(t *testing.T) {
	for answer, want := range map[string]error{
		"y\n": nil, "YES\n": nil, "\n": cli.ErrNotConfirmed, "n\n": cli.ErrNotConfirmed, "yesterday\n": cli.ErrNotConfirmed,
		"": cli.ErrNotConfirmed,
	} {
		streams, in, _, _ := genericiooptions.NewTestIOStreams()
		in.WriteString(answer)
		if err := cli.Confirm(t.Context(), streams, "Delete it?"); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", answer, err, want)
		}
	}
}

func TestAnInterruptEndsTheQuestion(t *testing.T) {
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	streams.In = never{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cli.Confirm(ctx, streams, "Delete it?"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// never is a reader that never returns.
type never struct{}

func (never) Read([]byte) (int, error) { select {} }

func TestAQuestionSteersNoTerminal(t *testing.T) {
	streams, in, _, errOut := genericiooptions.NewTestIOStreams()
	in.WriteString("y\n")
	if err := cli.Confirm(t.Context(), streams, "Delete \x1b]0;owned\x07\u202e\u009b2J?"); err != nil {
		t.Fatal(err)
	}
	if said := errOut.String(); !strings.Contains(said, "owned") || strings.ContainsAny(said, "\x1b\x07\u202e\u009b") {
		t.Errorf("asked %q", said)
	}
}
