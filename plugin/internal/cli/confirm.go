// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

// Package confirm asks before something is destroyed. The answer is No unless the user says otherwise.
package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/agent-sandbox/kubectl-sandbox/sdk/printable"
)

// ErrNotConfirmed is what Ask returns for any answer but yes.
var ErrNotConfirmed = errors.New("nothing was deleted")

// CanConfirm says whether there is a terminal to ask on.
func CanConfirm(in io.Reader) bool { return printers.IsTerminal(in) }

// Confirm asks the question on stderr and reads the answer. It returns nil for yes. An interrupt ends the asking.
func Confirm(ctx context.Context, streams genericiooptions.IOStreams, question string) error {
	if _, err := io.WriteString(streams.ErrOut, printable.Text(question)+" [y/N] "); err != nil {
		return err
	}
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(streams.In).ReadString('\n') // an answer cut off by EOF is judged as it is
		answer <- line
	}()
	select {
	case <-ctx.Done():
		_, _ = io.WriteString(streams.ErrOut, "\n") // the prompt's line ends
		return ctx.Err()
	case line := <-answer:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return nil
		}
		return ErrNotConfirmed
	}
}
